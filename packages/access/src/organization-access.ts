import {
  badRequest,
  mustBeAdministrator,
  notAllowedForGuests,
  notForBots,
} from '@parley/contracts';
import type { RealmSettings, User, UserGroup } from '@parley/store';

/** Who may change what belongs to the organization but not to its administrators alone (reference facts, people 11). */

type Actor = Pick<User, 'id' | 'role' | 'botType'>;

/** The value of `user_group_edit_policy` with which only administrators change groups. */
const groupsByAdministrators = 2;

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
  const isRestricted = settings.user_group_edit_policy === groupsByAdministrators;
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
  if (settings.add_emoji_by_admins_only && actor.role !== 'administrator')
    throw mustBeAdministrator();
}

/**
 * @param emoji.authorId null where nobody is known to have added it
 * @throws ApiError as `checkMayAddEmoji`, and for whoever is neither an administrator nor the author
 */
export function checkMayRemoveEmoji(
  actor: Actor,
  emoji: { readonly authorId: number | null },
  settings: Pick<RealmSettings, 'add_emoji_by_admins_only'>,
): void {
  checkMayAddEmoji(actor, settings);
  if (actor.role !== 'administrator' && emoji.authorId !== actor.id)
    throw badRequest('Must be an organization administrator or emoji author');
}
