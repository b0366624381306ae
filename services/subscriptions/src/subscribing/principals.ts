import { getActor } from '@parley/store/access';
import { foldName, unauthorizedPrincipal } from '@parley/api';
import type { Caller } from '@parley/api';
import type { Queryable } from '@parley/database';
import { lockUsersInUse } from '@parley/store';
import type { User } from '@parley/store';

/** A person named in a request: an address in any letter case, or a user id (reference facts, streams 1). */
export type Principal = string | number;

/** @returns whether the caller is the only one named, so that the request concerns nobody else */
export function isOnlyCaller(principals: readonly Principal[], caller: Caller): boolean {
  const [only] = principals;
  if (principals.length !== 1 || only === undefined) return false;
  return typeof only === 'number'
    ? only === caller.userId
    : foldName(only.trim()) === foldName(caller.email);
}

export type LockedPeople = {
  /** The current state of the caller, which may be newer than the identity of the request. */
  readonly actor: User;
  /**
   * The people that the request concerns, each once: those named, or else the caller.
   *
   * @throws ApiError 403 naming the first principal without an active account
   */
  readonly getTargets: () => User[];
};

/**
 * Locks the caller and all named people, so that their activity and roles stay the same until the change commits.
 *
 * @throws ApiError 401 if the caller was deactivated after the request was admitted
 */
export async function lockPeople(
  db: Queryable,
  caller: Caller,
  principals: readonly Principal[],
): Promise<LockedPeople> {
  const names = principals.map((principal) =>
    typeof principal === 'number' ? principal : principal.trim(),
  );
  const people = await lockUsersInUse(db, {
    // An id that no account can have would not fit the column.
    userIds: [
      caller.userId,
      ...names.filter((name) => typeof name === 'number' && name < 2 ** 31 && name > 0),
    ].map(Number),
    emails: names.filter((name) => typeof name === 'string'),
  });
  const byId = new Map(people.map((person) => [person.id, person]));
  const byEmail = new Map(people.map((person) => [foldName(person.email), person]));
  const actor = getActor(people, caller);
  const getTargets = (): User[] => {
    if (names.length === 0) return [actor];
    const targets = new Map<number, User>();
    for (const name of names) {
      const person = typeof name === 'number' ? byId.get(name) : byEmail.get(foldName(name));
      if (person === undefined || !person.isActive || person.isSystem)
        throw unauthorizedPrincipal(String(name));
      targets.set(person.id, person);
    }
    return [...targets.values()];
  };
  return { actor, getTargets };
}
