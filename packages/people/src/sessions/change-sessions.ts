/** Sessions of browsers (decision 0048). Every end names the account, so that gateways forget the session and end its polls. */
import { withoutCode } from '@parley/api';
import type { Caller } from '@parley/api';
import type { Append } from '@parley/event-log';
import { makeSessionToken, sealUnder } from '@parley/auth/secrets';
import {
  deleteSession,
  deleteSessions,
  findSignInAccount,
  insertSession,
  lockUserForOwnChange,
  lockUsersForOwnChange,
} from '@parley/store';
import type { SignInAccount } from '@parley/store';

import { entryForEveryone } from '../accounts/account-events.ts';
import { accountDisabled, incorrectCredentials } from '../accounts/sign-in-refusals.ts';
import type { PeopleContext } from '../people-context.ts';

type SessionContext = Pick<PeopleContext, 'eventLog' | 'sessionIdleSecs'>;

/** What a transaction appends that ended sessions of these accounts. */
function endingFor(userIds: readonly number[]): { readonly append?: Append } {
  return userIds.length === 0
    ? {}
    : { append: { entries: [entryForEveryone([])], accountUserIds: userIds } };
}

/**
 * Opens a session for an account that was signed in.
 *
 * @param replaced the caller by whose session the browser sent the request: that session ends, whosever it is, so that no secret from before
 *   the sign-in is worth anything after it
 * @param by the provider that signed the person in, with its token, if one did
 * @returns the new session with its token, which is stored nowhere
 * @throws ApiError 403 if the account was deactivated, or its password changed, since it was checked
 */
export async function openSession(
  { eventLog, sessionIdleSecs }: SessionContext,
  account: SignInAccount,
  device: string,
  replaced: Caller | undefined,
  by?: { readonly provider: string; readonly idToken: string },
): Promise<{ readonly id: number; readonly token: string }> {
  const token = makeSessionToken();
  return eventLog.transaction(async (client) => {
    await lockUsersForOwnChange(client, [account.id, replaced?.userId ?? account.id]);
    const current = await findSignInAccount(client, account.deliveryEmail);
    const isSame = current?.id === account.id && current.passwordHash === account.passwordHash;
    if (current === undefined || !isSame) throw incorrectCredentials();
    if (!current.isActive) throw accountDisabled();
    const changed = new Set<number>();
    if (replaced?.sessionId !== undefined) {
      await deleteSession(client, replaced.userId, replaced.sessionId);
      changed.add(replaced.userId);
    }
    const { id, endedOthers } = await insertSession(
      client,
      {
        userId: account.id,
        token,
        device,
        by: by && { provider: by.provider, idTokenSealed: sealUnder(token, by.idToken) },
      },
      sessionIdleSecs,
    );
    if (endedOthers) changed.add(account.id);
    return { result: { id, token }, ...endingFor([...changed]) };
  });
}

/**
 * Ends one session of the caller.
 *
 * @throws ApiError `No such session`, also for that of somebody else
 */
export async function endSession(
  { eventLog }: SessionContext,
  { userId }: Caller,
  sessionId: number,
): Promise<void> {
  await eventLog.transaction(async (client) => {
    await lockUserForOwnChange(client, userId);
    if (!(await deleteSession(client, userId, sessionId))) throw withoutCode('No such session');
    return { result: undefined, ...endingFor([userId]) };
  });
}

/** Ends the caller's sessions, except for the one of the request. */
export async function endOtherSessions(
  { eventLog }: SessionContext,
  { userId, sessionId }: Caller,
): Promise<void> {
  await eventLog.transaction(async (client) => {
    await lockUserForOwnChange(client, userId);
    const hasEnded = await deleteSessions(client, userId, sessionId);
    return { result: undefined, ...endingFor(hasEnded ? [userId] : []) };
  });
}
