import { expect, test } from 'vitest';

import { translateMarkdown, translatePost } from './mattermost-text.ts';

const people = new Map([
  ['ana', '@**Ana|7**'],
  ['ana.b', '@**Ana B|8**'],
]);
const names = {
  person: (name: string) => people.get(name),
  emoji: (name: string) => `:${name}:`,
  channel: (name: string) => (name === '404' ? '#**Lost**' : undefined),
};

test.each([
  [
    '_it_ and __bold__ and snake_case_name and *it*',
    '*it* and **bold** and snake_case_name and *it*',
  ],
  ['@ana.b @Ana. @ana-c. @nobody', '@**Ana B|8** @**Ana|7**. @ana-c. @nobody'],
  ['@all: @channel. @here', '@**all**: @**all**. @here'],
  ['ana@ana.b.example and /x/@ana', 'ana@ana.b.example and /x/@ana'],
  ['~404 and ~nosuch and ~~gone~~', '#**Lost** and ~nosuch and ~~gone~~'],
  ['![plan](https://a.example/p_q_.png =300x200)', '[plan](https://a.example/p_q_.png)'],
  ['[plan](https://a.example/ "The plan")', '[plan](https://a.example/)'],
  ['`_a_ @ana` and ```\n__a__ ~404\n```', '`_a_ @ana` and ```\n__a__ ~404\n```'],
  ['https://a.example/_x_/@ana', 'https://a.example/_x_/@ana'],
  ['```latex\nx_1\n```', '```math\nx_1\n```'],
  [String.raw`\_a\_ \__b\__ \@ana \~404`, String.raw`\_a\_ \__b\__ \@ana \~404`],
  ['[a]: https://a.example/', '[a]: https://a.example/'],
])('%j becomes %j', (written, translated) => {
  expect(translateMarkdown(written, names)).toBe(translated);
});

test('a card is shown by its title, text, fields and footer, and by its fallback if it has none', () => {
  const cards = [
    {
      pretext: 'For @ana',
      title: 'Build [7]',
      title_link: 'https://c.example/7',
      text: '__red__',
      fields: [{ title: 'Branch', value: '_main_' }, 'no field'],
      footer: 'CI',
      fallback: 'unused',
      image_url: 'https://c.example/secret.png',
    },
    { fallback: 'Only this' },
  ];
  expect(translatePost({ message: '', props: { attachments: cards } }, names)).toBe(
    'For @**Ana|7**\n[Build [7]](https://c.example/7)\n**red**\n**Branch**: *main*\nCI\nOnly this',
  );
});

test('who is shown in the place of an integration stands in front', () => {
  const props = { override_username: 'CI', webhook_display_name: 'Hook', from_webhook: 'true' };
  expect(translatePost({ message: 'red', props }, names)).toBe('**CI**: red');
  expect(translatePost({ message: 'red', props: { webhook_display_name: 'Hook' } }, names)).toBe(
    '**Hook**: red',
  );
});
