import { botCreationPolicies } from '@parley/api/organization';
import {
  botTypes,
  insufficientPermission,
  mustBeAdministrator,
  notAuthenticated,
} from '@parley/api';
import type { Caller, Role } from '@parley/api';
import type { RealmSettings } from '@parley/api/organization';
import type { Queryable } from '@parley/database';
import { lockUserForOwnChange, lockUsersInUse } from '../index.ts';
import type { User } from '../index.ts';

/** Who may change which account (reference facts, people 7 and 8). */

/** Administrators may change everybody, and people may change the bots that they own. */
function mayAdminister(
  actor: Pick<User, 'id' | 'role'>,
  target: Pick<User, 'botOwnerId'>,
): boolean {
  return actor.role === 'administrator' || target.botOwnerId === actor.id;
}

/** @throws ApiError `Insufficient permission` */
export function checkMayAdminister(
  actor: Pick<User, 'id' | 'role'>,
  target: Pick<User, 'botOwnerId'>,
): void {
  if (!mayAdminister(actor, target)) throw insufficientPermission();
}

/**
 * The person who runs the installation, with the permissions of an administrator. It is recognized by identity of this object, so no
 * request can be mistaken for it.
 */
export const operator: Caller = Object.freeze({
  userId: 0,
  email: '',
  role: 'administrator',
  botType: null,
  botOwnerId: null,
});

/** Ids of accounts begin at 1, so the operator owns nothing. */
const operatorAsUser: User = Object.freeze({
  id: operator.userId,
  email: '',
  deliveryEmail: '',
  fullName: 'Operator',
  shortName: '',
  role: 'administrator',
  isActive: true,
  isSystem: true,
  botType: null,
  botOwnerId: null,
  recipientId: 0,
  avatarSource: 'G',
  avatarVersion: 1,
  timezone: '',
  settings: {},
  pointer: -1,
  defaultSendingStreamId: null,
  defaultEventsRegisterStreamId: null,
  defaultAllPublicStreams: false,
  dateJoined: '',
});

/**
 * Finds the caller among locked accounts, in its current state, which may be newer than the identity of the request.
 *
 * @throws ApiError 401 if the caller was deactivated after the request was admitted
 */
export function getActor(people: readonly User[], caller: Pick<Caller, 'userId'>): User {
  if (caller === operator) return operatorAsUser;
  const actor = people.find((person) => person.id === caller.userId);
  if (actor?.isActive !== true) throw notAuthenticated('Account is deactivated');
  return actor;
}

/**
 * @returns the caller, who is an administrator
 * @throws ApiError `Must be an organization administrator`; 401 as `getActor`
 */
export function getAdministrator(people: readonly User[], caller: Pick<Caller, 'userId'>): User {
  const actor = getActor(people, caller);
  if (actor.role !== 'administrator') throw mustBeAdministrator();
  return actor;
}

/**
 * Locks the caller's account for a change of its own data, see `lockUserForOwnChange`.
 *
 * @throws ApiError 401 as `getActor`
 */
export async function lockOwnAccount(db: Queryable, caller: Pick<Caller, 'userId'>): Promise<User> {
  const user = await lockUserForOwnChange(db, caller.userId);
  return getActor(user === undefined ? [] : [user], caller);
}

/**
 * Locks the account that makes a change, so that its role and activity still hold at the change's position in the log.
 *
 * @throws ApiError 401 as `getActor`
 */
export async function lockCaller(db: Queryable, caller: Pick<Caller, 'userId'>): Promise<User> {
  return getActor(await lockUsersInUse(db, { userIds: [caller.userId] }), caller);
}

/**
 * Locks an administrator's account as `lockCaller` does.
 *
 * @throws ApiError as `getAdministrator`
 */
export async function lockAdministrator(
  db: Queryable,
  caller: Pick<Caller, 'userId'>,
): Promise<User> {
  return getAdministrator(await lockUsersInUse(db, { userIds: [caller.userId] }), caller);
}

const rank: Readonly<Record<Role, number>> = { guest: 0, member: 1, administrator: 2 };

/** @returns the role of a bot, limited by that of its owner (decision 0034) */
export function capRole(botRole: Role, ownerRole: Role): Role {
  return rank[botRole] > rank[ownerRole] ? ownerRole : botRole;
}

/**
 * Refuses callers who may not create or activate a bot of this kind (reference facts, people 8).
 *
 * @throws ApiError `Must be an organization administrator`
 */
export function checkMayCreateBot(
  actor: Pick<User, 'role'>,
  settings: Pick<RealmSettings, 'bot_creation_policy'>,
  botType: number,
): void {
  if (actor.role === 'administrator') return;
  const policy = settings.bot_creation_policy;
  if (
    policy === botCreationPolicies.administrators ||
    (policy === botCreationPolicies.genericByAdministrators && botType === botTypes.generic)
  )
    throw mustBeAdministrator();
}
