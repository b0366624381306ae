/** Finds the emoji of a reaction, and checks that it exists (reference facts, messages 15). */
import { badRequest } from '@parley/api';
import type { ApiError } from '@parley/api';
import { extraEmoji, findEmojiCode, namesOfEmojiCode } from '@parley/markdown';
import type { EmojiKey, ReactedEmoji, ReactionType, RealmEmojiFacts } from '@parley/store';

/** An emoji as a request names it. Its type is unchecked text: only a new reaction needs a known type. */
export type NamedEmoji = {
  readonly name: string | undefined;
  readonly code: string | undefined;
  readonly type: string | undefined;
};

type Found = EmojiKey & { readonly reactionType: ReactionType };

/** @returns undefined for a name that no emoji of that type has */
function findWithin(type: ReactionType, name: string, realm: RealmEmojiFacts): Found | undefined {
  const code = {
    realm_emoji: realm.named === undefined ? undefined : String(realm.named.id),
    zulip_extra_emoji: name === extraEmoji.name ? extraEmoji.code : undefined,
    unicode_emoji: findEmojiCode(name),
  }[type];
  return code === undefined ? undefined : { reactionType: type, emojiCode: code };
}

/** Custom emoji come first, so that they can replace others with the same name. */
function findByName(name: string, realm: RealmEmojiFacts): Found | undefined {
  return (
    findWithin('realm_emoji', name, realm) ??
    findWithin('zulip_extra_emoji', name, realm) ??
    findWithin('unicode_emoji', name, realm)
  );
}

/** A name with a type means the emoji of that type. If there is none, its code is used with the given type, which then refuses it. */
function findNamed(
  name: string,
  type: string | undefined,
  realm: RealmEmojiFacts,
): EmojiKey | undefined {
  const found = findByName(name, realm);
  if (found === undefined || type === undefined) return found;
  const within = (['realm_emoji', 'zulip_extra_emoji', 'unicode_emoji'] as const)
    .filter((known) => known === type)
    .map((known) => findWithin(known, name, realm))
    .find((candidate) => candidate !== undefined);
  return within ?? { reactionType: type, emojiCode: found.emojiCode };
}

/** The reason why nobody may be the first to use the emoji, or undefined. */
function faultOf(
  { reactionType, emojiCode }: EmojiKey,
  name: string,
  realm: RealmEmojiFacts,
): string | undefined {
  switch (reactionType) {
    case 'realm_emoji':
      if (realm.coded === undefined) return 'Invalid custom emoji.';
      if (realm.coded.name !== name) return 'Invalid custom emoji name.';
      return realm.coded.isDeactivated ? 'This custom emoji has been deactivated.' : undefined;
    case 'unicode_emoji':
      return namesOfEmojiCode(emojiCode).length === 0 ? 'Invalid emoji code.' : undefined;
    case 'zulip_extra_emoji':
      if (emojiCode !== extraEmoji.code) return 'Invalid emoji code.';
      return name === extraEmoji.name ? undefined : 'Invalid emoji name.';
    default:
      return 'Invalid emoji type.';
  }
}

const defaultType = 'unicode_emoji';

/** A Unicode emoji keeps a name of its own, and gets its canonical one in place of any other (decision 0057). */
function storedName({ reactionType, emojiCode }: EmojiKey, name: string): string {
  if (reactionType !== 'unicode_emoji') return name;
  const names = namesOfEmojiCode(emojiCode);
  return names.includes(name) ? name : (names[0] ?? name);
}

/** The refusal of a name without an emoji. */
export const noSuchEmoji = (name: string): ApiError => badRequest(`Emoji '${name}' does not exist`);

/** The stored form of a new reaction, with the reason if nobody may be the first to use the emoji on a message. */
export type NewReaction = { readonly emoji: ReactedEmoji; readonly fault: string | undefined };

/**
 * Finds the emoji of a new reaction.
 *
 * @throws ApiError if no emoji has the name
 */
export function chooseEmoji(
  { name, code, type }: NamedEmoji & { readonly name: string },
  realm: RealmEmojiFacts,
): NewReaction {
  const key =
    code === undefined
      ? findNamed(name, type, realm)
      : { reactionType: type ?? defaultType, emojiCode: code };
  if (key === undefined) throw noSuchEmoji(name);
  const coded = code === undefined ? realm.named : realm.coded;
  return {
    emoji: { ...key, emojiName: storedName(key, name) },
    fault: faultOf(key, name, { ...realm, coded }),
  };
}

/**
 * Finds the emoji of a reaction to remove.
 *
 * @returns undefined if no emoji has the name
 * @throws ApiError if neither name nor code is given
 */
export function findReactedEmoji(
  { name, code, type }: NamedEmoji,
  realm: RealmEmojiFacts,
): EmojiKey | undefined {
  if (code !== undefined) return { reactionType: type ?? defaultType, emojiCode: code };
  if (name !== undefined) return findNamed(name, type, realm);
  throw badRequest(
    'At least one of the following arguments must be present: emoji_name, emoji_code',
  );
}
