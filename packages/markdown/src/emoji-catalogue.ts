import { extraEmojiPath } from '@parley/api/extra-emoji';
import { gemoji } from 'gemoji';

import catalogue from './emoji-names.json' with { type: 'json' };

const variationSelector = 0xfe0f;
const keycap = 0x20e3;
/**
 * Newer blocks are excluded: the pictures of clients end before them (reference facts, markdown 9), and a code that nobody can show is
 * worse than its name as text.
 */
const newestCodePoint = 0x1f9ff;
const geometricShapes = { first: 0x1f780, last: 0x1f7ff };
const nameSyntax = /^[a-z0-9_+-]+$/;

/** The code of an emoji for the catalogue: one code point or a keycap, so no flags, skin tones and joined sequences. */
function findOfferedCode(emoji: string): string | undefined {
  const points = Array.from(emoji, (character) => character.codePointAt(0) ?? 0).filter(
    (point) => point !== variationSelector,
  );
  const [first = 0, second] = points;
  const isKeycap = points.length === 2 && second === keycap;
  if (points.length !== 1 && !isKeycap) return undefined;
  if (first > newestCodePoint) return undefined;
  if (first >= geometricShapes.first && first <= geometricShapes.last) return undefined;
  return points.map((point) => point.toString(16).padStart(4, '0')).join('-');
}

const namesByCode = new Map<string, string[]>(Object.entries(catalogue));
const codesByName = new Map<string, string>();
for (const [code, names] of namesByCode) for (const name of names) codesByName.set(name, code);

/** Names that the catalogue lacks; a name that another emoji has stays with that one. */
const newer = gemoji.flatMap((entry) => {
  const code = findOfferedCode(entry.emoji);
  return code === undefined || namesByCode.has(code) ? [] : [{ code, entry }];
});

function addName(code: string, name: string): void {
  if (!nameSyntax.test(name) || codesByName.has(name)) return;
  codesByName.set(name, code);
  namesByCode.set(code, [...(namesByCode.get(code) ?? []), name]);
}

for (const { code, entry } of newer) for (const name of entry.names) addName(code, name);
// The Unicode name is an alias; if another emoji has the short name, it is the only name.
for (const { code, entry } of newer) {
  addName(code, entry.description.toLowerCase().replaceAll(/[^a-z0-9]+/g, '_'));
}

/**
 * The code of a Unicode emoji (reference facts, markdown 9 and messages 15).
 *
 * @param name canonical or alias, case-sensitive
 * @returns lower-case hex code points joined with `-`, without variation selectors
 */
export function findEmojiCode(name: string): string | undefined {
  return codesByName.get(name);
}

/** All names of a Unicode emoji, the canonical one first; none for an unknown code. */
export function namesOfEmojiCode(code: string): readonly string[] {
  return namesByCode.get(code) ?? [];
}

export type ListedEmoji = {
  readonly code: string;
  /** The canonical one first. */
  readonly names: readonly string[];
};

/** All Unicode emoji in the order of pickers, by category. */
export function listEmojiByCategory(): ReadonlyMap<string, readonly ListedEmoji[]> {
  const categories = new Map<string, ListedEmoji[]>();
  const left = new Map(namesByCode);
  const list = (category: string, code: string): void => {
    const names = left.get(code);
    left.delete(code);
    if (names === undefined) return;
    categories.set(category, [...(categories.get(category) ?? []), { code, names }]);
  };
  for (const { emoji, category } of gemoji) {
    const code = findOfferedCode(emoji);
    if (code !== undefined) list(category, code);
  }
  // A map may lose the entry that a loop is at.
  for (const code of left.keys()) list('Symbols', code);
  return categories;
}

/**
 * The only built-in emoji that is not a Unicode character; reactions call it `zulip_extra_emoji` (reference facts, markdown 9 and messages
 * 15).
 */
export const extraEmoji = {
  name: 'zulip',
  code: 'zulip',
  url: extraEmojiPath,
} as const;
