import fc from 'fast-check';
import { contextOfData, renderMessage } from '@parley/markdown';
import { expect, test } from 'vitest';

import { translateMrkdwn } from './slack-mrkdwn.ts';
import { translateMessage } from './slack-text.ts';

const plainContext = contextOfData({
  realmUri: 'https://chat.example.com',
  users: [],
  groups: [],
  streams: [],
  emoji: [],
  linkifiers: [],
  inlineImagePreview: false,
  translateEmoticons: false,
});

const names = {
  person: (id: string) => (id === 'U1' ? '@**Ana|7**' : undefined),
  channel: (id: string) => (id === 'C1' ? '#**general**' : undefined),
  file: () => undefined,
};

test.each([
  ['*bold* and _it_ and ~no~', '**bold** and *it* and ~~no~~'],
  ['2*3*4 and snake_case_name and a * b * c', '2*3*4 and snake_case_name and a * b * c'],
  ['*hi <@U1>*', '**hi @**Ana|7****'],
  ['<@U2|bo> <@U3> <#C1|x> <#C9|old> <#C9>', 'bo U3 #**general** #old #private channel'],
  ['<!here> <!everyone> <!subteam^S1|@team> <!date^1^{date}|May>', '@here @**all** @team May'],
  ['<mailto:a@b.example|a@b.example> <tel:1>', 'a@b.example 1'],
  ['<https://a.example/(x)|l[a]bel>', '[l[a]bel](https://a.example/%28x%29)'],
  ['&amp;lt; &lt;b&gt;', '&lt; <b>'],
  ['`*a* <https://x.example|y>`', '`*a* y`'],
  ['a ```x``` b', 'a \n```\nx\n```\n b'],
  ['• one\n  ◦ two\n&gt; three', '* one\n  * two\n> three'],
  [':+1::skin-tone-3: :nosuch: http://h:8080:', ':+1: :nosuch: http://h:8080:'],
  ['\uE0000\uE001 <@U1>', '0 @**Ana|7**'],
])('%j becomes %j', (written, translated) => {
  expect(translateMrkdwn(written, names)).toBe(translated);
});

const listElement = (indent: number, style: string, ...texts: readonly string[]): object => ({
  type: 'rich_text_list',
  style,
  indent,
  elements: texts.map((text) => ({
    type: 'rich_text_section',
    elements: [{ type: 'text', text }],
  })),
});

test('lists of several depths are one nested list, and no code', () => {
  const elements = [
    listElement(0, 'bullet', 'one'),
    listElement(1, 'bullet', 'two', 'and\n\nits end'),
    listElement(2, 'ordered', 'three'),
    listElement(0, 'bullet', 'four'),
    listElement(0, 'ordered', 'five'),
    { type: 'rich_text_section', elements: [{ type: 'text', text: 'after' }] },
    listElement(3, 'bullet', 'deep at once'),
    listElement(1, 'bullet', 'and less'),
  ];
  const content = translateMessage({ text: '', blocks: [{ type: 'rich_text', elements }] }, names);
  expect(content).toBe(
    [
      '* one\n  * two\n  * and\n    its end\n    1. three\n* four\n\n1. five',
      'after',
      '* deep at once\n* and less',
    ].join('\n'),
  );
  const { html } = renderMessage(content, plainContext);
  expect(html).not.toContain('<code>');
  expect(html.match(/<ul>|<ol>/g)).toHaveLength(5);
});

const table = {
  type: 'table',
  rows: [
    [
      { type: 'raw_text', text: 'Name' },
      { type: 'raw_text', text: 'a|b' },
    ],
    [
      {
        type: 'rich_text',
        elements: [
          {
            type: 'rich_text_section',
            elements: [{ type: 'text', text: 'x', style: { bold: true } }],
          },
        ],
      },
    ],
  ],
};

test('a table is a table', () => {
  const said = { type: 'rich_text', elements: [{ type: 'text', text: 'x' }] };
  const content = translateMessage({ text: 'fallback', blocks: [said, table] }, names);
  expect(content).toBe(String.raw`| Name | a\|b |
| --- | --- |
| **x** |`);
  expect(renderMessage(content, plainContext).html).toMatch(
    /<table>.*<strong>x<\/strong><\/td>\s*<td><\/td>/s,
  );
});

test('an attachment has its blocks, and those of the message that it shares', () => {
  const section = (text: string): object => ({ type: 'section', text: { type: 'mrkdwn', text } });
  const attachments = [
    { fallback: '[no preview available]', blocks: [section('*deployed*'), table] },
    {
      is_share: true,
      author_name: 'Bo',
      text: '',
      message_blocks: [{ channel: 'C1', message: { blocks: [section('said before')] } }],
    },
    { author_name: 'Ci', title: 'Chart', image_url: 'https://a.example/c.png' },
    {
      title: 'With a file',
      files: [{ id: 'F1', name: 'a.txt', url_private: 'https://a.example/a' }],
    },
  ];
  expect(translateMessage({ text: 'Now', attachments }, names)).toBe(
    [
      'Now\n**deployed**\n',
      String.raw`| Name | a\|b |`,
      '| --- | --- |\n| **x** |',
      '> Bo: said before',
      'Ci\nChart\nhttps://a.example/c.png',
      'With a file\n[a.txt](https://a.example/a)',
    ].join('\n'),
  );
});

test('no text and no block stops a translation', () => {
  const strange = fc.anything({ maxDepth: 4 });
  fc.assert(
    fc.property(
      fc.record({
        text: fc.oneof(fc.string(), strange),
        blocks: strange,
        attachments: strange,
        files: strange,
      }),
      (message) => {
        expect(typeof translateMessage(message, names)).toBe('string');
      },
    ),
  );
});

test('blocks of known types with anything in them do not stop a translation either', () => {
  const types = [
    'rich_text',
    'rich_text_list',
    'rich_text_preformatted',
    'rich_text_quote',
    'section',
    'header',
    'context',
    'image',
    'video',
    'table',
    'text',
    'link',
    'user',
    'emoji',
    'other',
  ];
  const blockOf = (elements: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
    fc.record({
      type: fc.constantFrom(...types),
      elements: fc.oneof(fc.array(elements, { maxLength: 3 }), fc.anything({ maxDepth: 1 })),
      text: fc.oneof(
        fc.string(),
        fc.record({ type: fc.constant('mrkdwn'), text: fc.string() }),
        fc.constant(null),
      ),
      style: fc.oneof(fc.constant({ bold: true, italic: true }), fc.anything({ maxDepth: 1 })),
      indent: fc.anything({ maxDepth: 1 }),
      offset: fc.anything({ maxDepth: 1 }),
      url: fc.anything({ maxDepth: 1 }),
      rows: fc.anything({ maxDepth: 3 }),
    });
  const block = blockOf(blockOf(blockOf(fc.constant(null))));
  fc.assert(
    fc.property(fc.array(block, { maxLength: 4 }), (blocks) => {
      expect(typeof translateMessage({ text: '', blocks }, names)).toBe('string');
    }),
  );
});

test('hostile texts are translated in time with their length', () => {
  const long = 20_000;
  for (const piece of ['<', '*a', '_ _', '`', '```', '<@U1', ':a', '&amp;', '~x ~', '> '])
    expect(translateMrkdwn(piece.repeat(long), names).length).toBeGreaterThan(0);
});
