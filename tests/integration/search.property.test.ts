import { foldName } from '@parley/api';
import type { Pool } from '@parley/database';
import {
  allOfWords,
  findSearchWords,
  findWordRanges,
  foldPhrases,
  foldWords,
  phrasesSql,
} from '@parley/store';
import { createTestDatabase, openTestPool } from '@parley/test-kit';
import type { TestDatabase } from '@parley/test-kit';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { matchMessages } from '../../services/messages/src/narrow/search-matches.ts';

let database: TestDatabase;
let pool: Pool;
beforeAll(async () => {
  database = await createTestDatabase();
  pool = openTestPool(database.url);
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

// Characters that fold to others, to several or to themselves, that combine, or that have a meaning in patterns.
const character = fc.constantFrom(
  ...Array.from('aAsSiIıİßẞſﬁﬀﬄŉǰẛϵΐΣσςάΆᾳKΩωåÅéǅ𐐨𐐀ꭰᏸ%_\\\'"?*().^$| '),
  '\u0301',
  '\u0304',
  '\u0323',
  '\u0345',
  '\u030a',
  '\u1100',
  '\u1161',
);
const text = (maxLength: number): fc.Arbitrary<string> =>
  fc.oneof(
    fc.string({ unit: character, minLength: 1, maxLength }),
    fc.string({ unit: 'grapheme', minLength: 1, maxLength }),
  );

test('phrases compare as the fold function folds', async () => {
  await fc.assert(
    fc.asyncProperty(
      text(12),
      text(6),
      fc.array(text(3), { maxLength: 2 }),
      async (content, topic, others) => {
        // Parts of the text in another case are the interesting words; random ones hardly ever occur in it.
        const characters = Array.from(content);
        const parts = [
          characters.slice(1, 4).join('').toLowerCase(),
          characters.slice(-2).join('').toUpperCase(),
          topic.toUpperCase(),
        ].filter((part) => part !== '' && part.isWellFormed() && !part.includes('\0'));
        for (const phrases of [...parts.map((part) => [part]), [...others, ...parts.slice(0, 1)]]) {
          if (phrases.length === 0) continue;
          const values = Object.values(foldPhrases(phrases));
          const sql = phrasesSql('m', {
            phrases: '$1::text[]',
            characters: '$2::text',
            folded: '$3::text',
            expanding: '$4::text[]',
            expansions: '$5::text[]',
          });
          const { rows } = await pool.query<{ found: boolean }>({
            text: `SELECT ${sql} AS found FROM (SELECT $6::text AS content, $7::text AS topic) m`,
            values: [...values, content.replaceAll('\0', ''), topic.replaceAll('\0', '')],
          });
          const [inContent, inTopic] = [content, topic].map((shown) =>
            foldName(shown.replaceAll('\0', '')),
          );
          expect([phrases, rows[0]?.found]).toEqual([
            phrases,
            phrases.every(
              (phrase) =>
                inContent?.includes(foldName(phrase)) === true ||
                inTopic?.includes(foldName(phrase)) === true,
            ),
          ]);
        }
      },
    ),
    {
      numRuns: 300,
      // Letters whose upper case absorbs a following mark: the mark alone, both together, and the remainder after them.
      examples: [
        ['ſ\u0301', ' ', []],
        ['xſ\u0301', ' ', []],
        ['xẛ\u0323', ' ', []],
        ['ǰ\u0323x', ' ', []],
        ['ﬄ\u0323\u0304', ' ', ['\u0304']],
      ],
    },
  );
});

const htmlPiece = fc.constantFrom(
  'lunch',
  'Lunches',
  ' ',
  '. ',
  '&amp;',
  '&lt;',
  '&#39;',
  '&nbsp;',
  '&hellip;',
  '<b>',
  '</b>',
  '<a href="https://lunch.org/?a=1&amp;b=lunch" title="lunch > dinner">',
  '</a>',
  '<br>',
  '<math><mi>lunch</mi></math>',
  '<img alt=":lunch:" class="emoji" src="/lunch.png" title="lunch">',
  'https://lunch.org/lunch/lunch.html',
  'lunch@example.com',
  'lunch-time',
  '1.5e3lunch',
  'LÜNCH',
  '😀',
  '\u0301',
  '𝓁',
  '“',
  '\n',
);

test('highlights keep the HTML, and surround only words', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(htmlPiece, { maxLength: 12 }), text(8), async (pieces, odd) => {
      const renderedContent = pieces.join('');
      const topic = `${odd.replaceAll('\0', '')} & lunch <`;
      const words = await findSearchWords(pool, foldWords('lunch time https://lunch.org lünch'));
      for (const marked of [words, ['lunch']]) {
        const [match] = await matchMessages(pool, [{ topic, renderedContent }], marked);
        const content = match?.match_content ?? '';
        expect(content.replaceAll(/<span class="highlight">([^<>&]+)<\/span>/g, '$1')).toBe(
          renderedContent,
        );
        expect(match?.match_subject).toContain('&amp; <span class="highlight">lunch</span> &lt;');
        // Text in a tag or a formula is not highlighted.
        for (const [tag] of content.matchAll(/<(?:a|img|math)\b[^>]*>/g))
          expect(tag).not.toContain('highlight');
        expect(content).not.toContain('<mi><span');
      }
    }),
    { numRuns: 200 },
  );
});

test('each folded text with a word has a highlight', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(htmlPiece, { maxLength: 8 }), text(8), async (pieces, odd) => {
      const folded = foldWords(`${pieces.join('')} ${odd.replaceAll('\0', '')} x`);
      const words = await findSearchWords(pool, folded);
      for (const word of words.slice(0, 4)) {
        const [ranges] = await findWordRanges(pool, [folded], [word]);
        if (word.includes('/') || word.includes('-')) continue;
        expect([folded, word, ranges?.length]).not.toEqual([folded, word, 0]);
      }
    }),
    { numRuns: 100 },
  );
});

// Input of which the parser makes words, addresses, paths, numbers and compounds, and input of which it makes none.
const joint = fc.constantFrom(
  ...Array.from(` .,:;!?'"()[]{}/@-_+~#%=*\\|^$&     é`),
  ...Array.from('\n\t\v\u00a01ß'),
  '://',
  '...',
  "'s",
  '9e2',
);
const anyWord = fc.oneof(
  fc.constantFrom(
    ...'run running runs r sky skies dying the yes release release2 http lib o x.html ryan'.split(
      ' ',
    ),
    ...'www.example.com rétro Relier'.split(' '),
  ),
  fc.string({ unit: fc.constantFrom(...Array.from('rsaeingd')), minLength: 1, maxLength: 9 }),
);

test('words are highlighted where Postgres highlights them in the whole text', async () => {
  const marks = ['\u{e000}', '\u{e001}'];
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.oneof(anyWord, joint), { minLength: 1, maxLength: 30 }),
      fc.nat(9),
      async (pieces, picked) => {
        const folded = foldWords(pieces.join(''));
        const present = await findSearchWords(pool, folded);
        const words = present.filter((_, n) => n % 10 === picked % 3 || n === picked);
        if (words.length === 0) return;
        const [ranges = []] = await findWordRanges(pool, [folded], words);
        let marked = '';
        let at = 0;
        for (const { start, end } of ranges) {
          marked += folded.slice(at, start) + marks[0] + folded.slice(start, end) + marks[1];
          at = end;
        }
        const { rows } = await pool.query<{ marked: string }>({
          text: `SELECT ts_headline('english', $1, $2::tsquery, $3) AS marked`,
          values: [
            folded,
            allOfWords(words),
            `HighlightAll=true, StartSel="${marks[0]}", StopSel="${marks[1]}"`,
          ],
        });
        expect(marked + folded.slice(at)).toBe(rows[0]?.marked);
      },
    ),
    {
      numRuns: 1000,
      examples: [
        [[' ', '~', 'rr'], 0],
        [['rrr', '.', '.', ' ', 'nrr'], 2],
      ],
    },
  );
});

test('the words of a query are those by which its text is indexed', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyWord, { maxLength: 6 }), async (pieces) => {
      const folded = foldWords(pieces.join(' '));
      const { rows } = await pool.query<{ words: string[] }>({
        text: `SELECT tsvector_to_array(to_tsvector('english', $1)) AS words`,
        values: [folded],
      });
      expect((await findSearchWords(pool, folded)).toSorted()).toEqual(
        rows[0]?.words.filter((word) => !/^[a-z]$/.test(word)).toSorted(),
      );
    }),
    { numRuns: 200 },
  );
});
