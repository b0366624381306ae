import { fetchApiKeyEndpoint } from '@parley/api/people';
import {
  accountDisabled,
  checkEmailShape,
  incorrectCredentials,
  organizationDeactivated,
  passwordSignInDisabled,
} from '@parley/people';
import type { PeopleContext } from '@parley/people';
import { implement } from '@parley/server';
import { verifyPassword } from '@parley/secrets';
import { authenticationMethods } from '@parley/objects';
import { findApiKey, findRealm, findSignInAccount } from '@parley/store';

/** POST fetch_api_key (reference facts, people 5.1). */
export const fetchApiKeyHandler = implement(
  fetchApiKeyEndpoint,
  async (context: PeopleContext, { parameters }) => {
    const email = checkEmailShape(parameters.username);
    const realm = await findRealm(context.pool);
    if (realm !== undefined && authenticationMethods(realm, context.mode)['Email'] !== true)
      throw passwordSignInDisabled();
    const account = await findSignInAccount(context.pool, email);
    // The answer for a deactivated account does not depend on the password; all other requests cost one check of a password.
    if (account !== undefined && !account.isActive) throw accountDisabled();
    if (realm?.isDeactivated === true) throw organizationDeactivated();
    const isHuman = account !== undefined && account.botType === null && !account.isSystem;
    const isRight = await verifyPassword(
      parameters.password,
      isHuman ? account.passwordHash : undefined,
    );
    const key =
      account !== undefined && isRight
        ? await findApiKey(context.pool, context.keySecrets, account.id)
        : undefined;
    if (account === undefined || key === undefined) throw incorrectCredentials();
    return { api_key: key, email: account.deliveryEmail };
  },
);
