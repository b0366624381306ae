/**
 * Some changes would leave a thief of a key or session with the account: another address, another key, another way to sign in. They ask for the
 * password, or for a session that began a moment ago (decision 0071).
 */
import { limits, withoutCode } from '@parley/api';
import type { ApiError, Caller } from '@parley/api';
import type { Queryable } from '@parley/database';
import { verifyPassword } from '@parley/auth/secrets';
import { findSessionAgeSecs, findSignInAccount, getUser } from '@parley/store';

import type { PeopleContext } from '../people-context.ts';

/**
 * Passes if the caller is the person of the account. It belongs into the transaction of the change, so that what ended a moment ago proves nothing.
 *
 * @throws ApiError
 */
export type CallerProof = (db: Queryable) => Promise<void>;

/** The operator needs none. */
export const provenByOperator: CallerProof = () => Promise.resolve();

function proofRequired(): ApiError {
  return withoutCode('Give your password too, or sign in again in this browser.', 403, {
    reason: 'proof required',
  });
}

export function wrongPassword(): ApiError {
  return withoutCode('Wrong password!');
}

/**
 * Prepares the proof outside any transaction, because judging a password takes long and needs no lock.
 *
 * @param password of the caller; undefined or empty if the session has to do
 * @throws ApiError if it is wrong
 */
export async function prepareProof(
  { pool }: Pick<PeopleContext, 'pool'>,
  { userId, sessionId }: Caller,
  password: string | undefined,
): Promise<CallerProof> {
  if (password === undefined || password === '')
    return async (db) => {
      const ageSecs =
        sessionId === undefined ? undefined : await findSessionAgeSecs(db, userId, sessionId);
      if (ageSecs === undefined || ageSecs > limits.freshSignInSecs) throw proofRequired();
    };
  const { deliveryEmail } = await getUser(pool, userId);
  const { passwordHash } = (await findSignInAccount(pool, deliveryEmail)) ?? {};
  if (!(await verifyPassword(password, passwordHash))) throw wrongPassword();
  return async (db) => {
    const current = await findSignInAccount(db, deliveryEmail);
    // Another request with the password was faster.
    if (current?.id !== userId || current.passwordHash !== passwordHash) throw wrongPassword();
  };
}
