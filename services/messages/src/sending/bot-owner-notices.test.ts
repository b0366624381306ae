import { renderMessage } from '@parley/markdown';
import type { RenderContext } from '@parley/markdown';
import fc from 'fast-check';
import { expect, test } from 'vitest';

import { asBold, asCode, asStream } from './bot-owner-notices.ts';

/** Everybody and everything has the name that is asked for. */
const context: RenderContext = {
  realmUri: 'https://chat.example.com',
  usersByName: (fullName) => [{ id: 1, fullName }],
  userById: (id) => ({ id, fullName: 'Ann' }),
  groupByName: (name) => ({ id: 2, name }),
  streamByName: (name) => ({ id: 3, name }),
  realmEmoji: (name) => ({ id: name, url: '/emoji.png' }),
  linkifiers: [],
  settings: { inlineImagePreview: true },
};

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
  'word',
];

test('text of others is one piece of code, whatever it holds', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...pieces), { maxLength: 12 }), (parts) => {
      const text = parts.join('');
      fc.pre(text.trim() !== '');
      const { html, ...found } = renderMessage(`The stream ${asCode(text)} is not there.`, context);
      expect(html).toMatch(/^<p>The stream <code>[^<>]*<\/code> is not there\.<\/p>$/);
      expect(found).toMatchObject({
        mentionedUserIds: [],
        mentionedGroupIds: [],
        mentionsWildcard: false,
        hasLink: false,
      });
    }),
  );
});

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
  '50% (x)',
  'über uns',
])('the name %s is in bold', (name) => {
  expect(asBold(name)).toBe(`**${name}**`);
  expect(asStream(name)).toBe(`#**${name}**`);
});

test.each(['open evil.com/login now', 'x evil.com/a.png y', 'word example.com word', 'issue #1'])(
  'the name %s is code',
  (name) => {
    expect(asBold(name)).toBe(asCode(name));
    expect(asStream(name)).toBe(asCode(name));
  },
);

const namePieces = [
  ...pieces,
  ...Array.from(`_&/#+'"()=%?!.,-|{}^~@:;$ℹ`),
  'amp',
  'example.com',
  'www.',
  '#1',
  '(x)',
  '!gravatar',
];
const names = fc
  .oneof(
    fc.array(fc.constantFrom(...namePieces), { maxLength: 8 }).map((parts) => parts.join('')),
    fc.string({ unit: 'grapheme', maxLength: 60 }),
  )
  .map((name) => name.trim())
  // References to characters are read in code too.
  .filter((name) => name !== '' && !/&#?\w+;/.test(name));

/** @returns the text as browsers show it, without the spaces that part backticks in code from those around it */
function textOf(html: string): string {
  return html
    .trim()
    .replaceAll(/\s+/g, ' ')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
}

test('names in bold or as code show as they are, and are nothing else', () => {
  fc.assert(
    fc.property(names, names, (before, after) => {
      const text = `Renamed from ${asBold(before)} to ${asBold(after)}; there is no stream ${asStream(before)}, you see.`;
      const { html, ...found } = renderMessage(text, { ...context, streamByName: () => undefined });
      const shown =
        /^<p>Renamed from <(strong|code)>([^<>]*)<\/\1> to <(strong|code)>([^<>]*)<\/\3>; there is no stream #?<\1>\2<\/\1>, you see\.<\/p>$/u;
      const [, , first = '', , second = ''] = shown.exec(html) ?? [];
      expect([first, second].map(textOf)).toEqual(
        [before, after].map((name) => name.replaceAll(/\s+/g, ' ')),
      );
      expect(found).toMatchObject({
        mentionedUserIds: [],
        mentionedGroupIds: [],
        mentionsWildcard: false,
        hasLink: false,
      });
    }),
    { numRuns: 2_000 },
  );
});
