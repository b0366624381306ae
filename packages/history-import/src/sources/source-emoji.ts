/**
 * Emoji by the names that Slack and Mattermost give them, which are often those of other emoji here. A name leads to the code of its emoji by
 * the table that both use, and the code to the name that it has here.
 */
import { extraEmoji, findEmojiCode, namesOfEmojiCode } from '@parley/markdown';
import { gemoji } from 'gemoji';

// Short names of emoji-datasource 16.0.0 (MIT), by its codes.
import table from './emoji-datasource.json' with { type: 'json' };

const codesByName = new Map(
  Object.entries(table).flatMap(([code, names]) => names.map((name) => [name, code] as const)),
);

const gemojiByName = new Map(
  gemoji.flatMap(({ emoji, names }) => names.map((name) => [name, emoji] as const)),
);

const tones = /-1f3f[b-f]/g;
const codeSyntax = /^[0-9a-f]{4,6}(?:-[0-9a-f]{4,6}){0,15}$/;
/** A joiner and the sign of a woman or a man. */
const genderSign = /-200d-264[02]$/;

/** Keeps a name between colons from being an emoji here. */
const wordJoiner = '\u2060';

/** @returns the code of a standard emoji, with variation selectors; undefined for any other name */
export function findSourceEmoji(name: string): string | undefined {
  return codesByName.get(name);
}

/** As `findSourceEmoji`, for the names that Mattermost had before it took those of the table, and still has. */
export function findGemoji(name: string): string | undefined {
  const emoji = gemojiByName.get(name);
  return emoji === undefined
    ? undefined
    : Array.from(emoji, (character) => hexOf(character.codePointAt(0) ?? 0)).join('-');
}

function hexOf(point: number): string {
  return point.toString(16).padStart(4, '0');
}

/** @returns a code that the source itself gives, without skin tones; undefined for anything else */
export function readEmojiCode(code: unknown): string | undefined {
  const lower = typeof code === 'string' ? code.toLowerCase() : '';
  return codeSyntax.test(lower) ? lower.replaceAll(tones, '') : undefined;
}

/**
 * @param code with or without variation selectors
 * @returns the emoji of a reaction, in place of a woman or a man without a picture here the person; undefined if there is none
 */
export function findReactionEmoji(
  code: string,
): { readonly kind: 'unicode'; readonly name: string; readonly code: string } | undefined {
  const plain = code.replaceAll('-fe0f', '');
  for (const candidate of [plain, plain.replace(genderSign, '')]) {
    const [name] = namesOfEmojiCode(candidate);
    if (name !== undefined) return { kind: 'unicode', name, code: candidate };
  }
  return undefined;
}

/**
 * Writes an emoji in a text.
 *
 * @param code of the emoji; undefined if the source has no standard emoji of the name
 * @param isCustom whether a custom emoji has a name here
 */
export function writeEmoji(
  name: string,
  code: string | undefined,
  isCustom: (name: string) => boolean = () => false,
): string {
  if (code === undefined) {
    const isOurs = name === extraEmoji.name || findEmojiCode(name) !== undefined;
    return isOurs ? `:${wordJoiner}${name}:` : `:${name}:`;
  }
  const [shown] = namesOfEmojiCode(code.replaceAll('-fe0f', ''));
  return shown === undefined || isCustom(shown)
    ? String.fromCodePoint(...code.split('-').map((point) => Number.parseInt(point, 16)))
    : `:${shown}:`;
}
