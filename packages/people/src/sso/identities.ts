/** Who an account is at OpenID providers (decision 0051). */
import { limits, withoutCode } from '@parley/api';
import type { Caller } from '@parley/api';
import type { Identity } from '@parley/store';
import { isUniqueViolation } from '@parley/database';
import type { Client } from '@parley/database';
import {
  deleteIdentity,
  findIdentityAccount,
  findSessionAgeSecs,
  findSignInAccount,
  getRealm,
  insertIdentity,
  listIdentities,
  lockUserForOwnChange,
} from '@parley/store';
import { authenticationMethods } from '@parley/store/objects';

import { accountDisabled } from '../accounts/sign-in-refusals.ts';
import type { PeopleContext } from '../people-context.ts';

function belongsToAnother(): Error {
  return withoutCode('This sign-in belongs to another account here.');
}

/**
 * Gives an account that the transaction has locked another identity.
 *
 * @throws ApiError if it has too many; the database's unique violation if an account has the identity
 */
export async function addIdentity(
  client: Client,
  userId: number,
  identity: Identity,
): Promise<void> {
  if ((await listIdentities(client, userId)).length >= limits.identitiesMax)
    throw withoutCode(`An account has at most ${limits.identitiesMax} linked sign-ins.`);
  await insertIdentity(client, userId, identity);
}

/**
 * @param sessionId by which the person asks; a provider takes its time, and the session may have ended meanwhile
 * @throws ApiError if another account has the identity, or the account has too many
 */
export async function linkIdentity(
  context: Pick<PeopleContext, 'eventLog'>,
  userId: number,
  sessionId: number,
  identity: Identity,
): Promise<void> {
  try {
    await context.eventLog.transaction(async (client) => {
      const user = await lockUserForOwnChange(client, userId);
      if (user?.isActive !== true) throw accountDisabled();
      if ((await findSessionAgeSecs(client, userId, sessionId)) === undefined)
        throw withoutCode('You were signed out meanwhile.');
      const holder = await findIdentityAccount(client, identity);
      if (holder?.id === userId) return { result: undefined };
      if (holder !== undefined) throw belongsToAnother();
      await addIdentity(client, userId, identity);
      return { result: undefined };
    });
  } catch (error) {
    if (isUniqueViolation(error)) throw belongsToAnother();
    throw error;
  }
}

/**
 * Removes an identity of the caller, who must have another way to sign in.
 *
 * @throws ApiError if there is none
 */
export async function unlinkIdentity(
  context: PeopleContext,
  caller: Caller,
  identityId: number,
): Promise<void> {
  await context.eventLog.transaction(async (client) => {
    const user = await lockUserForOwnChange(client, caller.userId);
    const [realm, account, identities] = [
      await getRealm(client),
      user && (await findSignInAccount(client, user.deliveryEmail)),
      await listIdentities(client, caller.userId),
    ];
    const usable = new Set(
      Array.from(context.identityProviders.values(), ({ config }) => config.issuer),
    );
    const hasPassword =
      typeof account?.passwordHash === 'string' &&
      authenticationMethods(realm, context)['Email'] === true;
    const hasOther = identities.some(({ id, issuer }) => id !== identityId && usable.has(issuer));
    if (!identities.some(({ id }) => id === identityId)) throw withoutCode('No such link');
    if (!hasPassword && !hasOther)
      throw withoutCode(
        'This is your only way to sign in. Choose a password first: sign out, and ask for one at the sign-in page.',
      );
    await deleteIdentity(client, caller.userId, identityId);
    return { result: undefined };
  });
}
