import { fetchApiKeyEndpoint } from '@parley/api/people';
import { incorrectCredentials, signInByPassword } from '@parley/people';
import type { PeopleContext } from '@parley/people';
import { implement } from '@parley/server';
import { findApiKey, findSignInAccount } from '@parley/store';

/** POST fetch_api_key (reference facts, people 5.1). */
export const fetchApiKeyHandler = implement(
  fetchApiKeyEndpoint,
  async (context: PeopleContext, { parameters: { username, password } }) => {
    const account = await signInByPassword(context, username, password);
    const key = await findApiKey(context.pool, context.keySecrets, account.id);
    if (key === undefined) throw incorrectCredentials();
    // A password that was replaced meanwhile must not be worth the new key.
    const current = await findSignInAccount(context.pool, account.deliveryEmail);
    if (current?.passwordHash !== account.passwordHash) throw incorrectCredentials();
    return { api_key: key, email: account.deliveryEmail };
  },
);
