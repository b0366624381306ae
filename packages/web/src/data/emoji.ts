/** The emoji that reactions, completions and the picker offer: Unicode's, which are read when first needed, and the organization's. */
import { signal } from '@preact/signals';

import { bestOf, rankEmoji } from './ranking.ts';
import { hasMembers, isOneOf, isText } from './shapes.ts';
import type { Message, Realm } from './state.ts';

export type Reaction = Message['reactions'][number];

/** The three members are those of reactions. */
export type Emoji = {
  readonly emoji_name: string;
  readonly emoji_code: string;
  readonly reaction_type: Reaction['reaction_type'];
};

export const isEmoji = hasMembers({
  emoji_name: isText,
  emoji_code: isText,
  reaction_type: isOneOf('unicode_emoji', 'realm_emoji', 'zulip_extra_emoji'),
});

/** A text that is equal for equal emoji, whatever their names. */
export function emojiKey({ reaction_type, emoji_code }: Emoji): string {
  return `${reaction_type} ${emoji_code}`;
}

/** An emoji to choose from. */
export type OfferedEmoji = Emoji & {
  /** All of them, `emoji_name` too. */
  readonly names: readonly string[];
};

export type EmojiCategory = { readonly name: string; readonly emoji: readonly OfferedEmoji[] };

const emojiPresentation = '\u{FE0F}';

/** Empty until `loadEmoji`. */
export const unicodeEmoji = signal<readonly EmojiCategory[]>([]);

/** Reads the Unicode emoji, once. A failure is retried by the next call. */
export async function loadEmoji(): Promise<void> {
  if (unicodeEmoji.peek().length > 0) return;
  const catalogue = await import('virtual:emoji-catalogue');
  unicodeEmoji.value = catalogue.categories.map(([name, listed]) => ({
    name,
    emoji: listed.map((entry) => {
      const [emoji_code = '', ...names] = entry.split(' ');
      const [emoji_name = ''] = names;
      return { emoji_name, emoji_code, reaction_type: 'unicode_emoji', names };
    }),
  }));
}

/** @returns the organization's own emoji and the built-in one that is a picture */
export function pictureEmoji(realm: Realm): readonly OfferedEmoji[] {
  const own = Object.values(realm.realm_emoji)
    .filter(({ deactivated }) => !deactivated)
    .map(({ name, id }) => ({
      emoji_name: name,
      emoji_code: id,
      reaction_type: 'realm_emoji' as const,
      names: [name],
    }));
  const builtIn = {
    emoji_name: 'zulip',
    emoji_code: 'zulip',
    reaction_type: 'zulip_extra_emoji',
    names: ['zulip'],
  } as const;
  return own.some(({ emoji_name }) => emoji_name === builtIn.emoji_name) ? own : [...own, builtIn];
}

/** @param code hex code points joined with `-`, as reactions have it */
export function characterOf(code: string): string {
  const [first = 0, ...rest] = code.split('-').map((point) => Number.parseInt(point, 16));
  if (![first, ...rest].every((point) => point >= 0 && point <= 0x10_ffff)) return '';
  return String.fromCodePoint(first) + emojiPresentation + String.fromCodePoint(...rest);
}

/** The most popular first. */
const popular: readonly Emoji[] = Object.entries({
  '+1': '1f44d',
  heart: '2764',
  tada: '1f389',
  joy: '1f602',
  check: '2705',
  eyes: '1f440',
  pray: '1f64f',
  clap: '1f44f',
  fire: '1f525',
  rocket: '1f680',
  slight_smile: '1f642',
  '-1': '1f44e',
}).map(([emoji_name, emoji_code]) => ({
  emoji_name,
  emoji_code,
  reaction_type: 'unicode_emoji',
}));

const popularities = new Map(
  popular.map(({ emoji_code }, index) => [characterOf(emoji_code), index / popular.length]),
);

/** @returns see `rankEmoji` */
export function popularityOf(character: string): number | undefined {
  return popularities.get(character);
}

/** How many emoji are one press away. */
const quickCount = 6;

/**
 * @param used emoji in the order of their use, one as often as it was used
 * @returns those used most, the latest first among equals, then popular ones
 */
export function mostUsed(used: readonly Emoji[], { realm_emoji }: Pick<Realm, 'realm_emoji'>) {
  const isThere = ({ reaction_type, emoji_code }: Emoji): boolean =>
    reaction_type !== 'realm_emoji' || realm_emoji[emoji_code]?.deactivated === false;
  const byKey = Map.groupBy([...used.filter(isThere).toReversed(), ...popular], emojiKey);
  return [...byKey.values()]
    .toSorted((one, other) => other.length - one.length)
    .flatMap(([first]) => first ?? [])
    .slice(0, quickCount);
}

/** The most emoji that a search shows. */
const foundMax = 96;

/** @returns those with a matching name, the best first */
export function searchEmoji(
  offered: readonly OfferedEmoji[],
  query: string,
): readonly OfferedEmoji[] {
  return bestOf(
    offered,
    ({ names, emoji_code }) => rankEmoji(names, query, popularityOf(characterOf(emoji_code))),
    foundMax,
  );
}
