import { devEnvironmentOff } from '@parley/api';
import { authenticationMethods } from '@parley/store/objects';
import { verifyPassword } from '@parley/auth/secrets';
import { findRealm, findSignInAccount } from '@parley/store';
import type { SignInAccount } from '@parley/store';

import type { PeopleContext } from '../people-context.ts';
import {
  accountDisabled,
  checkEmailShape,
  incorrectCredentials,
  notRegistered,
  organizationDeactivated,
  passwordSignInDisabled,
} from './sign-in-refusals.ts';

type SignInContext = Pick<PeopleContext, 'pool' | 'mode' | 'usesSingleSignOn'>;

/**
 * Checks a password (reference facts, people 5.1). The answer for a deactivated account does not depend on the password; all other requests
 * cost one check of a password.
 *
 * @returns the active account of a person
 * @throws ApiError with the first refusal
 */
export async function signInByPassword(
  context: SignInContext,
  username: string,
  password: string,
): Promise<SignInAccount> {
  const email = checkEmailShape(username);
  const realm = await findRealm(context.pool);
  if (realm !== undefined && authenticationMethods(realm, context)['Email'] !== true)
    throw passwordSignInDisabled();
  const account = await findSignInAccount(context.pool, email);
  if (account !== undefined && !account.isActive) throw accountDisabled();
  if (realm?.isDeactivated === true) throw organizationDeactivated();
  const isHuman = account !== undefined && account.botType === null && !account.isSystem;
  const isRight = await verifyPassword(password, isHuman ? account.passwordHash : undefined);
  if (account === undefined || !isRight) throw incorrectCredentials();
  return account;
}

/**
 * Signs in to a development server by the address alone (reference facts, people 5.2).
 *
 * @returns the active account
 * @throws ApiError with the first refusal; always at a production server
 */
export async function signInForDevelopment(
  context: SignInContext,
  username: string,
): Promise<SignInAccount> {
  if (context.mode !== 'development') throw devEnvironmentOff();
  const realm = await findRealm(context.pool);
  if (realm !== undefined && authenticationMethods(realm, context)['Dev'] !== true)
    throw devEnvironmentOff();
  const email = checkEmailShape(username);
  const account = await findSignInAccount(context.pool, email);
  if (account !== undefined && !account.isActive) throw accountDisabled();
  if (realm?.isDeactivated === true) throw organizationDeactivated();
  if (account === undefined) throw notRegistered();
  return account;
}
