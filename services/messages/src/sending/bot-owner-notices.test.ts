import { renderMessage } from '@parley/markdown';
import type { RenderContext } from '@parley/markdown';
import fc from 'fast-check';
import { expect, test } from 'vitest';

import { asCode } from './bot-owner-notices.ts';

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
