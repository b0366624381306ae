import { contextOfData, renderMessage } from '@parley/markdown';
import type { RenderedMessage } from '@parley/markdown';
import fc from 'fast-check';
import { defaultTreeAdapter, parseFragment } from 'parse5';
import type { DefaultTreeAdapterTypes } from 'parse5';
import { expect, test } from 'vitest';

import { renderDataOf } from './render-data.ts';
import {
  bold,
  codeBlock,
  joinNotices,
  listNotices,
  mention,
  notice,
  silentMention,
  streamLink,
  streamName,
} from './notice.ts';
import type { Notice } from './notice.ts';

const realm = {
  stringId: '',
  inlineImagePreview: true,
  linkifiers: [],
  alertWordsVersion: '0',
};

/** Renders a notice as a send of it does. */
function render({ content, named }: Notice): RenderedMessage {
  const author = { translateEmoticons: true };
  const data = renderDataOf('https://chat.example.com', realm, author, named);
  return renderMessage(content, contextOfData(data));
}

type Shown = {
  /** As browsers show it, without white space and what nobody sees. */
  readonly text: string;
  /** All elements but paragraphs and lists, as tag and what they stand for. */
  readonly elements: readonly string[];
};

const layout = new Set(['p', 'ul', 'li']);

function show(html: string): Shown {
  const elements: string[] = [];
  let text = '';
  const visit = (node: DefaultTreeAdapterTypes.ParentNode): void => {
    for (const child of node.childNodes) {
      if (defaultTreeAdapter.isTextNode(child)) text += child.value;
      if (!defaultTreeAdapter.isElementNode(child)) continue;
      if (!layout.has(child.tagName)) {
        const { href, 'data-user-id': userId } = Object.fromEntries(
          child.attrs.map(({ name, value }) => [name, value]),
        );
        elements.push([child.tagName, href ?? userId ?? ''].join(' ').trim());
      }
      visit(child);
    }
  };
  visit(parseFragment(html));
  return { text: seen(text), elements };
}

function seen(text: string): string {
  return text.replaceAll(/[\s\p{Cc}]+/gu, '');
}

const pieces = [
  '`',
  '``',
  '\\',
  '@**all**',
  '@*x*',
  '#**x**',
  '**',
  '~~',
  ':smile:',
  'https://x.example/a.png',
  'a@b.example',
  '[x](y)',
  '$$',
  '!avatar(x)',
  '\n',
  '\n```\n',
  '> ',
  '* ',
  ' ',
  '<b>',
  '&amp;',
  '&lt;',
  '&#64;',
  'word',
  'example.com',
  'www.',
  '#1',
  '(x)',
  '!gravatar',
  ':::js\n',
  '\r',
  '\t',
  '\u0002',
  '\u0003',
  '\u{10fffd}',
  ...Array.from(`_&/#+'"()=%?!.,-|{}^~@:;$ℹ`),
];

test.each([
  'Denmark',
  'dev_ops',
  '_a_',
  'R&D',
  'a/b',
  'C#',
  'C++',
  "what's up?",
  'help!',
  'issue #1',
  '50% (x)',
  'über uns',
])('the name %s is in bold', (name) => {
  expect(bold(name).content).toBe(`**${name}**`);
  expect(streamName(name).content).toBe(`#**${name}**`);
});

test.each(['open evil.com/login now', 'x evil.com/a.png y', 'word example.com word', '@all'])(
  'the name %s is code',
  (name) => {
    expect(bold(name).content).toBe(`\`${name}\``);
    expect(streamName(name).content).toBe(`\`${name}\``);
  },
);

test.each([
  ['v1.5 & later', '#**v1.5 & later**'],
  ['open evil.com/login now', '#**open evil.com/login now**'],
  ['a** @**all', '[`a** @**all`](#narrow/stream/7-a.2A.2A-.40.2A.2Aall)'],
])('the stream %s is linked', (name, link) => {
  expect(streamLink({ id: 7, name }).content).toBe(link);
});

const anyText = fc.oneof(
  fc
    .array(fc.constantFrom(...pieces), { minLength: 1, maxLength: 10 })
    .map((parts) => parts.join('')),
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 60 }),
  fc.string({ unit: 'binary', minLength: 1, maxLength: 60 }),
);
const names = anyText
  .map((name) => name.replaceAll('\0', '').trim())
  .filter((name) => seen(name) !== '');
const people = fc.record({
  id: fc.integer({ min: 1, max: 9 }),
  fullName: names,
  email: fc.constant('x@b.example'),
  botType: fc.constant(null),
  isActive: fc.boolean(),
});
const withoutMentions = {
  mentionedGroupIds: [],
  mentionsWildcard: false,
  attachmentPathIds: [],
  hasImage: false,
};

function linkOf(id: number): unknown {
  return expect.stringMatching(new RegExp(`^a /?#narrow/stream/${id}-[\\w.~-]*$`));
}

test('whatever the names, a notice shows them, mentions nobody and links only what is intended', () => {
  fc.assert(
    fc.property(people, names, names, (actor, before, after) => {
      const { html, ...found } = render(
        notice`${silentMention(actor)} renamed ${bold(before)} to ${bold(after)}; there is no ${streamName(before)}, ${after}.`,
      );
      const { text, elements } = show(html);
      const [a, b] = [seen(before), seen(after)];
      const shown = `${seen(actor.fullName)}renamed${a}to${b};thereisno`;
      expect([`${shown}${a},${b}.`, `${shown}#${a},${b}.`]).toContain(text);
      expect(elements.slice(1).every((element) => ['strong', 'code'].includes(element))).toBe(true);
      expect(['code', `span ${actor.id}`]).toContain(elements[0]);
      expect(found).toMatchObject({ ...withoutMentions, mentionedUserIds: [], hasLink: false });
    }),
  );
});

test('whatever their names, streams are linked and people are mentioned as intended', () => {
  fc.assert(
    fc.property(people, names, names, (actor, first, second) => {
      fc.pre(first !== second);
      const links = [streamLink({ id: 11, name: first }), streamLink({ id: 12, name: second })];
      const list = joinNotices(
        links.map((link) => notice`* ${link}`),
        '\n',
      );
      const { html, ...found } = render(
        notice`${mention(actor)} made ${joinNotices(links, ', ')}.\n\n${list}`,
      );
      const { text, elements } = show(html);
      const withoutSigns = (shown: string): string => seen(shown.replaceAll(/[#@]/g, ''));
      const names = [first, second].map(withoutSigns);
      expect(withoutSigns(text)).toBe(
        `${withoutSigns(actor.fullName)}made${names.join(',')}.${names.join('')}`,
      );
      expect(elements.filter((element) => element !== 'code')).toEqual([
        ...(elements[0] === `span ${actor.id}` ? [elements[0]] : []),
        linkOf(11),
        linkOf(12),
        linkOf(11),
        linkOf(12),
      ]);
      expect(found).toMatchObject({
        ...withoutMentions,
        mentionedUserIds: elements[0] === `span ${actor.id}` ? [actor.id] : [],
      });
    }),
  );
});

test('no quoted or listed element is cut in the middle, however many there are', () => {
  const hostile = '`) @**all** *x* '.repeat(4).slice(0, 60);
  const streams = Array.from({ length: 400 }, (_, id) => streamLink({ id, name: hostile }));
  const { content } =
    notice`There are ${listNotices(streams, ', ')} and ${'`@**all**'.repeat(900)}.`;
  expect(content.length).toBeLessThan(10_000);
  expect(content).toMatch(/, and 3\d\d more and /);
  const { elements } = show(render(listNotices(streams.slice(0, 3), '\n', '* ')).html);
  expect(elements.filter((element) => element.startsWith('a '))).toHaveLength(3);
  const bulleted = listNotices(streams, '\n', '* ').content;
  expect(bulleted).toMatch(/\n\* and 3\d\d more$/);
});

test('text of others in a code block stays in it', () => {
  fc.assert(
    fc.property(anyText, (words) => {
      const { html, ...found } = render(notice`It said:\n${codeBlock(words)}`);
      expect(html).toMatch(
        /^<p>It said:<\/p>\n<div class="codehilite"><pre><span><\/span>(?:[^<]|<span class="\w+">|<\/span>)*<\/pre><\/div>$/,
      );
      expect(found).toMatchObject({ ...withoutMentions, mentionedUserIds: [], hasLink: false });
    }),
  );
});
