import { badRequest, mustBeAdministrator, notAllowedForGuests, notForBots } from '@parley/api';
import { userGroupPolicies } from '@parley/api/organization';
import type { RealmSettings } from '@parley/api/organization';
import type { User, UserGroup } from '@parley/store';

/** Who may change what belongs to the organization but not to its administrators alone (reference facts, people 11). */

type Actor = Pick<User, 'id' | 'role' | 'botType'>;

/** Groups and emoji are for people who are members. */
function checkIsMember(actor: Actor): void {
  if (actor.role === 'guest') throw notAllowedForGuests();
  if (actor.botType !== null) throw notForBots();
}

/**
 * @throws ApiError for guests and bots; `Must be an organization administrator` where the organization leaves groups to these
 */
export function checkMayEditGroups(
  actor: Actor,
  settings: Pick<RealmSettings, 'user_group_edit_policy'>,
): void {
  checkIsMember(actor);
  const isRestricted = settings.user_group_edit_policy === userGroupPolicies.administrators;
  if (isRestricted && actor.role !== 'administrator') throw mustBeAdministrator();
}

/** @throws ApiError for whoever is neither an administrator nor in the group */
export function checkMayEditGroup(actor: Actor, group: Pick<UserGroup, 'memberIds'>): void {
  if (actor.role !== 'administrator' && !group.memberIds.includes(actor.id))
    throw badRequest(
      'Only group members and organization administrators can administer this group.',
    );
}

/**
 * @throws ApiError for guests and bots; `Must be an organization administrator` where the organization leaves emoji to these
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
 * Guests and bots are judged like all others.
 *
 * @param emoji.authorId null where nobody is known to have added it
 * @throws ApiError `Must be an organization administrator` where the organization leaves emoji to these; else for whoever is neither an
 *   administrator nor the author
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
