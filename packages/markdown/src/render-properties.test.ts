import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { createTestContext } from '../tests/test-context.ts';
import { mentionCandidates } from './mention-candidates.ts';
import { isPlainText, renderHtmlByRules, renderMessage } from './render-message.ts';

const context = createTestContext({ translateEmoticons: true });

const fragments = [
  '*',
  '**',
  '***',
  '~~',
  '`',
  '``',
  '```',
  '```\n',
  '\n```py\n',
  '```quote\n',
  '```spoiler x\n',
  '\n```\n',
  '~~~\n',
  '```math\n',
  '> ',
  '>',
  '- ',
  '* ',
  '1. ',
  '  - ',
  '    ',
  '# ',
  '---\n',
  '|',
  'a | b\n--|--\n',
  '\n',
  '\n\n',
  '\\',
  '[',
  ']',
  '](',
  '[x](',
  '(',
  ')',
  '<',
  '>',
  '"',
  "'",
  '&',
  '&#106;',
  '&#x6a;avascript:',
  ';',
  ':',
  ':tada:',
  ':party_newt:',
  '🎉',
  '❤',
  ':)',
  '@**',
  '@_**',
  '@**Oleg Tarn**',
  '@**Pat Lee|14**',
  '@**all**',
  '@*Ops*',
  '#**',
  '#**garden**',
  '#**garden>plot**',
  '$$',
  '$$x$$',
  '$',
  '!avatar(',
  'http://',
  'https://chat.example.com/',
  'https://quay.com/a.png',
  'quay.com',
  'crew@quay.com',
  'javascript:',
  'javascript:alert(1)',
  'JaVaScRiPt:',
  'data:text/html,',
  'vbscript:',
  '/user_uploads/1/a/',
  '<script>',
  '</p>',
  '" onload="x',
  'TKT-4',
  'reef/anchor#3',
  '\u0001',
  '\u0002',
  '\u0003',
  '\t',
  '\r',
  ' ',
  '\u{100000}',
  '\u{10FFFD}',
  '\u2028',
  '\uFEFF',
  '\uD800',
  'word',
  '_',
  '/me ',
  '\0',
  'file:///a',
  '%(num)s',
];

const hostileContent = fc
  .array(
    fc.oneof(
      { weight: 6, arbitrary: fc.constantFrom(...fragments) },
      fc.string({ unit: 'grapheme' }),
    ),
    {
      maxLength: 40,
    },
  )
  .map((parts) => parts.join(''));

const allowedTags = new Set(
  (
    'p h1 h2 h3 h4 h5 h6 ul ol li blockquote table thead tbody tr th td hr br div pre span a img code ' +
    'strong em del math semantics annotation mrow mi mn mo ms msup msub msubsup mtext mfrac mspace mover munder ' +
    'mstyle mpadded svg path'
  ).split(' '),
);
const voidTags = new Set(['hr', 'br', 'img', 'path']);
const tagPattern = /^<(\/?)([a-z0-9]+)((?: [a-zA-Z:-]+="[^"<>]*")*)\s*\/?>/;

function decode(value: string): string {
  return value
    .replaceAll(/&#x([0-9a-f]+);/gi, (_whole, code: string) =>
      String.fromCodePoint(Number.parseInt(code, 16) % 0x10_ffff),
    )
    .replaceAll(/&#([0-9]+);/g, (_whole, code: string) =>
      String.fromCodePoint(Number(code) % 0x10_ffff),
    )
    .replaceAll('&colon;', ':')
    .replaceAll('&Tab;', '')
    .replaceAll('&NewLine;', '')
    .replaceAll('&amp;', '&');
}

/** The scheme as a browser sees it: it drops control characters and white space first. */
function browserScheme(href: string): string | undefined {
  const cleaned = Array.from(decode(href))
    .filter((character) => character > ' ')
    .join('');
  return /^([a-zA-Z][a-zA-Z0-9+.-]*):/.exec(cleaned)?.[1]?.toLowerCase();
}

/** The fault of HTML that should be a balanced sequence of known tags with quoted attributes. */
function problemIn(html: string): string | undefined {
  const open: string[] = [];
  let position = html.indexOf('<');
  while (position !== -1) {
    const match = tagPattern.exec(html.slice(position));
    if (match === null) return `stray < in ${html.slice(position, position + 80)}`;
    const [whole, slash = '', tag = '', attributes = ''] = match;
    if (!allowedTags.has(tag)) return `tag ${tag}`;
    for (const [, name = '', value = ''] of attributes.matchAll(/ ([a-zA-Z:-]+)="([^"]*)"/g)) {
      if (name.startsWith('on')) return `attribute ${name}`;
      if (name !== 'href' && name !== 'src') continue;
      const scheme = browserScheme(value);
      if (
        scheme !== undefined &&
        !['http', 'https', 'ftp', 'mailto', 'file', 'bitcoin'].includes(scheme)
      ) {
        return `${name} with scheme ${scheme}`;
      }
    }
    if (slash === '/') {
      if (open.pop() !== tag) return `unbalanced ${tag} in ${html}`;
    } else if (!voidTags.has(tag)) {
      open.push(tag);
    }
    position = html.indexOf('<', position + whole.length);
  }
  return open.length > 0 ? `unclosed ${open.join(' ')}` : undefined;
}

describe('any content', () => {
  it('becomes balanced, harmless HTML or is refused', () => {
    fc.assert(
      fc.property(hostileContent, (content) => {
        expect(problemIn(renderMessage(content, context).html)).toBeUndefined();
      }),
    );
  });

  it('has no link with an unsafe scheme', () => {
    const url = fc
      .array(
        fc.constantFrom(
          '"',
          "'",
          '"onload=x',
          'java',
          'script',
          ':',
          '&#58;',
          '&#106;',
          '&colon;',
          '\u0001',
          ' ',
          '\t',
          '/',
          '#',
          '?',
          '//',
          'x',
          '\\',
          'https://chat.example.com/',
          'data',
          'http:',
        ),
        { maxLength: 8 },
      )
      .map((parts) => parts.join(''));
    fc.assert(
      fc.property(url, (target) => {
        for (const content of [
          `[x](${target})`,
          `[x](<${target}>)`,
          ` ${target} `,
          `[](${target})`,
        ]) {
          expect(problemIn(renderMessage(content, context).html)).toBeUndefined();
        }
      }),
    );
  });

  it('reports exactly the mentions that its HTML shows', () => {
    const open = fc.constantFrom('[x](', '[x](https://quay.com "', '$$', '#**garden>', '[', '> ');
    const mention = fc.constantFrom('@**all**', '@**Oleg Tarn**', '@_**Mara Quist**', '@*Ops*');
    const close = fc.constantFrom(')', '")', '](https://quay.com)', '$$', '**', ')**', '*', '');
    const space = fc.constantFrom('', ' ', '(', '\n');
    const parts = fc.tuple(open, space, mention, space, mention, close, space);
    const content = fc.array(parts, { maxLength: 4 }).map((pieces) => pieces.flat().join(''));
    fc.assert(
      fc.property(content, (text) => {
        const message = renderMessage(text, context);
        const shown = (pattern: RegExp): number[] =>
          [...new Set(Array.from(message.html.matchAll(pattern), ([, id]) => Number(id)))].toSorted(
            (first, second) => first - second,
          );
        expect(message.mentionedUserIds).toEqual(
          shown(/<span class="user-mention" data-user-id="(\d+)"/g),
        );
        expect(message.mentionedGroupIds).toEqual(
          shown(/<span class="user-group-mention" data-user-group-id="(\d+)"/g),
        );
        expect(message.mentionsWildcard).toBe(
          message.html.includes('<span class="user-mention" data-user-id="*"'),
        );
      }),
    );
  });

  it('mentions nobody in a quote, except groups', () => {
    fc.assert(
      fc.property(hostileContent, fc.constantFrom('>', '> ', '>>'), (content, mark) => {
        const quoted = content
          .split(/\r\n?|\n/)
          .map((line) => `${mark}${line}`)
          .join('\n');
        expect(renderMessage(quoted, context).html).not.toContain('<span class="user-mention" ');
      }),
    );
  });

  it('finishes for repetitions of any fragment', () => {
    const pair = fc.tuple(fc.constantFrom(...fragments), fc.constantFrom(...fragments));
    fc.assert(
      fc.property(pair, ([first, second]) => {
        const unit = first + second;
        const content = unit.repeat(Math.ceil(3000 / unit.length));
        expect(renderMessage(content, context).html).not.toContain('<script');
      }),
    );
  });

  it('nests only so deep that nothing overflows', () => {
    for (const content of [
      '> '.repeat(5000),
      '>'.repeat(10_000) + 'x',
      '* '.repeat(5000) + 'x',
      '{'.repeat(9000),
    ]) {
      expect(renderMessage(content, context).html).toBeTypeOf('string');
    }
    const lines = Array.from({ length: 140 }, (_item, index) => `${'  '.repeat(index)}* a`).join(
      '\n',
    );
    expect(renderMessage(lines, context).html).toBeTypeOf('string');
    expect(renderMessage(`$$${'{'.repeat(1190)}$$`, context).html).toContain('tex-error');
  });
});

describe('plain text', () => {
  const withoutLinkifiers = createTestContext({ translateEmoticons: true }, { linkifiers: [] });
  const plainUnits = [
    ...Array.from('abcXYZ0123456789 .,;?!()/%='),
    '"',
    "'",
    'é',
    '日',
    'ñ',
    'Σ',
    '٣',
    '²',
    'Ⅷ',
    '〡',
    '㉈',
    'www',
    '. ',
    '!avatar(',
    '!gravatar(a)',
  ];
  const plainContent = fc
    .array(
      fc.oneof(fc.constantFrom(...plainUnits), fc.string({ unit: 'grapheme', maxLength: 1 })),
      {
        maxLength: 30,
      },
    )
    .map((parts) => parts.join(''))
    .filter((content) => isPlainText(content, withoutLinkifiers));

  it('renders the same in the short way as by all rules', () => {
    fc.assert(
      fc.property(plainContent, (content) => {
        expect(renderMessage(content, withoutLinkifiers).html).toBe(
          renderHtmlByRules(content, withoutLinkifiers),
        );
      }),
    );
  });

  it('does not use the short way if a rule could match', () => {
    for (const content of [
      '1. a',
      'quay.com',
      ' a',
      'a\nb',
      'a  *b*',
      'x_y:z',
      '',
      'a@b',
      'a & b',
      '# a',
      'x !avatar(mara)',
      'x !gravatar()',
    ]) {
      expect(isPlainText(content, withoutLinkifiers)).toBe(false);
    }
    expect(isPlainText('a', context)).toBe(false);
    expect(isPlainText('Soup at 12.', withoutLinkifiers)).toBe(true);
  });
});

describe('candidates', () => {
  it('contain everything that rendering looks up', () => {
    fc.assert(
      fc.property(hostileContent, (content) => {
        const found = mentionCandidates(content);
        const recording = createTestContext(
          {},
          {
            usersByName: (name) => {
              expect(found.names).toContain(name);
              return [];
            },
            userById: (id) => {
              expect(found.ids).toContain(id);
              return undefined;
            },
            groupByName: (name) => {
              expect(found.groupNames).toContain(name);
              return undefined;
            },
            streamByName: (name) => {
              expect(found.streamNames).toContain(name);
              return undefined;
            },
            userByEmail: (email) => {
              expect(found.emails).toContain(email);
              return undefined;
            },
          },
        );
        renderMessage(content, recording);
      }),
    );
  });
});
