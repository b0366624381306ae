/** The emoji that reactions, completions and the picker offer: Unicode's, which are read when first needed, and the organization's. */
import { signal } from '@preact/signals';

import { bestOf, rankEmoji } from './ranking.ts';
import type { Message, Realm } from './state.ts';

export type Reaction = Message['reactions'][number];

/** The three members are those of reactions. */
export type Emoji = {
  readonly emoji_name: string;
  readonly emoji_code: string;
  readonly reaction_type: Reaction['reaction_type'];
};

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

/** The most emoji that a search shows. */
const foundMax = 96;

/** @returns those with a matching name, the best first */
export function searchEmoji(
  offered: readonly OfferedEmoji[],
  query: string,
): readonly OfferedEmoji[] {
  return bestOf(offered, ({ names }) => rankEmoji(names, query), foundMax);
}
