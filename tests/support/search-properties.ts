import { foldName } from '@parley/api';
import type { Pool } from '@parley/database';
import { allOfWords, foldPhrases, phrasesSql, readSearchedWords, searchWords } from '@parley/store';
import { createTestDatabase, openTestPool } from '@parley/test-kit';
import type { TestDatabase } from '@parley/test-kit';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { hitMarker } from '../../services/messages/src/narrow/search-matches.ts';

/**
 * Defines the properties.
 *
 * @param scale a hundred for all runs of each
 */
export function testSearchProperties(scale: number): void {
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
          for (const phrases of [
            ...parts.map((part) => [part]),
            [...others, ...parts.slice(0, 1)],
          ]) {
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
        numRuns: 3 * scale,
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
        const { words } = readSearchedWords('lunch time https://lunch.org lünch');
        for (const marked of [words, ['lunch']]) {
          const { match_content: content, match_subject: subject } = hitMarker(marked)({
            topic,
            renderedContent,
          });
          expect(content.replaceAll(/<span class="highlight">([^<>&]+)<\/span>/g, '$1')).toBe(
            renderedContent,
          );
          expect(subject).toContain('&amp; <span class="highlight">lunch</span> &lt;');
          // Text in a tag or a formula is not highlighted.
          for (const [tag] of content.matchAll(/<(?:a|img|math)\b[^>]*>/g))
            expect(tag).not.toContain('highlight');
          expect(content).not.toContain('<mi><span');
        }
      }),
      { numRuns: 2 * scale },
    );
  });

  test('Postgres finds a message by all words of its text and by none that it has not', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(htmlPiece, { maxLength: 8 }), text(8), async (pieces, odd) => {
        const topic = odd.replaceAll('\0', '');
        const indexed = searchWords(topic, pieces.join(''));
        const all = allOfWords(indexed === '' ? ['S1'] : indexed.split(' '));
        const { rows } = await pool.query<Record<'whole' | 'more', boolean>>({
          text: `SELECT v @@ $2::text::tsquery AS whole, v @@ ($2::text || ' & absent')::tsquery AS more FROM message_words_vector($1, 1, 2, 3, 4) v`,
          values: [indexed, all],
        });
        expect([indexed, rows]).toEqual([indexed, [{ whole: true, more: false }]]);
      }),
      { numRuns: 2 * scale },
    );
  });

  test('English words have the stems of Postgres', async () => {
    const word = fc
      .tuple(
        fc.string({ unit: fc.constantFrom(...Array.from('rsaeingdtlyou')), maxLength: 7 }),
        fc.constantFrom(
          ...' s es ies ied ing ed edly ation ization fulness ement ative ogi ly'.split(' '),
        ),
      )
      .map((parts) => parts.join(''))
      .filter((made) => made.length > 1);
    await fc.assert(
      fc.asyncProperty(fc.array(word, { minLength: 1, maxLength: 50 }), async (given) => {
        const { rows } = await pool.query<{ words: string[] }>({
          text: `SELECT tsvector_to_array(to_tsvector('english', $1)) AS words`,
          values: [given.join(' ')],
        });
        expect(readSearchedWords(given.join(' ')).words.toSorted()).toEqual(
          rows[0]?.words.toSorted(),
        );
      }),
      { numRuns: scale },
    );
  });
}
