import { badRequest, mustBeAdministrator, notAllowedForGuests, notForBots } from '@parley/api';
import { userGroupPolicies } from '@parley/api/organization';
import type { RealmSettings } from '@parley/api/organization';
import type { User, UserGroup } from '../index.ts';

/** Permissions for parts of the organization that not only administrators change (reference facts, people 11). */

type Actor = Pick<User, 'id' | 'role' | 'botType'>;

/** Only human members may change groups and emoji. */
function checkIsMember(actor: Actor): void {
  if (actor.role === 'guest') throw notAllowedForGuests();
  if (actor.botType !== null) throw notForBots();
}

/**
 * @throws ApiError for guests and bots; `Must be an organization administrator` if only administrators may edit groups
 */
export function checkMayEditGroups(
  actor: Actor,
  settings: Pick<RealmSettings, 'user_group_edit_policy'>,
): void {
  checkIsMember(actor);
  const isRestricted = settings.user_group_edit_policy === userGroupPolicies.administrators;
  if (isRestricted && actor.role !== 'administrator') throw mustBeAdministrator();
}

/** @throws ApiError unless the actor is an administrator or in the group */
export function checkMayEditGroup(actor: Actor, group: Pick<UserGroup, 'memberIds'>): void {
  if (actor.role !== 'administrator' && !group.memberIds.includes(actor.id))
    throw badRequest(
      'Only group members and organization administrators can administer this group.',
    );
}

/**
 * @throws ApiError for guests and bots; `Must be an organization administrator` if only administrators may add emoji
 */
export function checkMayAddEmoji(
  actor: Actor,
  settings: Pick<RealmSettings, 'add_emoji_by_admins_only'>,
): void {
  checkIsMember(actor);
  checkEmojiAreOpen(actor, settings);
}

function checkEmojiAreOpen(
  actor: Actor,
  settings: Pick<RealmSettings, 'add_emoji_by_admins_only'>,
): void {
  if (settings.add_emoji_by_admins_only && actor.role !== 'administrator')
    throw mustBeAdministrator();
}

/**
 * Guests and bots follow the same rule.
 *
 * @param emoji.authorId null if the author is unknown
 * @throws ApiError `Must be an organization administrator` if only administrators may change emoji; otherwise unless the actor is an
 *   administrator or the author
 */
export function checkMayRemoveEmoji(
  actor: Actor,
  emoji: { readonly authorId: number | null },
  settings: Pick<RealmSettings, 'add_emoji_by_admins_only'>,
): void {
  checkEmojiAreOpen(actor, settings);
  if (actor.role !== 'administrator' && emoji.authorId !== actor.id)
    throw badRequest('Must be an organization administrator or emoji author');
}
