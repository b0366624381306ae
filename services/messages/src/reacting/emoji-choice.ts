/** Which emoji a reaction means, and whether there is such a one (reference facts, messages 15). */
import { badRequest } from '@parley/contracts';
import type { Queryable } from '@parley/database';
import { extraEmoji, findEmojiCode, isEmojiName, namesOfEmojiCode } from '@parley/markdown';
import { findRealmEmoji } from '@parley/store';
import type { ReactionType, RealmEmojiFacts } from '@parley/store';

/** An emoji as a request names it. */
export type NamedEmoji = {
  readonly emojiName: string | undefined;
  readonly emojiCode: string | undefined;
  readonly reactionType: string | undefined;
};

/** What identifies an emoji. The type is whatever the request said: only a new reaction asks for a known one. */
export type EmojiChoice = { readonly reactionType: string; readonly emojiCode: string };

type Found = { readonly reactionType: ReactionType; readonly emojiCode: string };

/** @returns undefined for a name that no emoji of that type has */
function findWithin(type: ReactionType, name: string, realm: RealmEmojiFacts): Found | undefined {
  const code = {
    realm_emoji: realm.named === undefined ? undefined : String(realm.named.id),
    zulip_extra_emoji: name === extraEmoji.name ? extraEmoji.code : undefined,
    unicode_emoji: findEmojiCode(name),
  }[type];
  return code === undefined ? undefined : { reactionType: type, emojiCode: code };
}

/** Custom emoji come first, so that they may shadow others. */
function findByName(name: string, realm: RealmEmojiFacts): Found | undefined {
  return (
    findWithin('realm_emoji', name, realm) ??
    findWithin('zulip_extra_emoji', name, realm) ??
    findWithin('unicode_emoji', name, realm)
  );
}

/** A name with a type means the one of that type; where there is none, its code goes with the type given, and is refused by that. */
function findNamed(
  name: string,
  type: string | undefined,
  realm: RealmEmojiFacts,
): EmojiChoice | undefined {
  const found = findByName(name, realm);
  if (found === undefined || type === undefined) return found;
  const within = (['realm_emoji', 'zulip_extra_emoji', 'unicode_emoji'] as const)
    .filter((known) => known === type)
    .map((known) => findWithin(known, name, realm))
    .find((candidate) => candidate !== undefined);
  return within ?? { reactionType: type, emojiCode: found.emojiCode };
}

/** Why nobody may be the first to use the emoji, or undefined. */
function faultOf(choice: EmojiChoice, name: string, realm: RealmEmojiFacts): string | undefined {
  const { reactionType, emojiCode } = choice;
  switch (reactionType) {
    case 'realm_emoji':
      if (realm.coded === undefined) return 'Invalid custom emoji.';
      if (realm.coded.name !== name) return 'Invalid custom emoji name.';
      return realm.coded.isDeactivated ? 'This custom emoji has been deactivated.' : undefined;
    case 'unicode_emoji':
      if (namesOfEmojiCode(emojiCode).length === 0) return 'Invalid emoji code.';
      return isEmojiName(name, emojiCode) ? undefined : 'Invalid emoji name.';
    case 'zulip_extra_emoji':
      if (emojiCode !== extraEmoji.code) return 'Invalid emoji code.';
      return name === extraEmoji.name ? undefined : 'Invalid emoji name.';
    default:
      return 'Invalid emoji type.';
  }
}

const defaultType = 'unicode_emoji';

/**
 * Finds the emoji that a request means.
 *
 * @returns the choice, and why nobody may be the first to use it on a message, if so
 * @throws ApiError that no emoji has the name, or that neither name nor code is given
 */
export async function chooseEmoji(
  db: Queryable,
  named: NamedEmoji,
): Promise<{ readonly choice: EmojiChoice; readonly fault: string | undefined }> {
  const { emojiName, emojiCode, reactionType } = named;
  if (emojiName === undefined && emojiCode === undefined)
    throw badRequest(
      'At least one of the following arguments must be present: emoji_name, emoji_code',
    );
  const realm = await findRealmEmoji(db, emojiName, emojiCode);
  if (emojiCode !== undefined) {
    const choice = { reactionType: reactionType ?? defaultType, emojiCode };
    return { choice, fault: faultOf(choice, emojiName ?? '', realm) };
  }
  const name = emojiName ?? '';
  const choice = findNamed(name, reactionType, realm);
  if (choice === undefined) throw badRequest(`Emoji '${name}' does not exist`);
  return { choice, fault: faultOf(choice, name, { ...realm, coded: realm.named }) };
}
