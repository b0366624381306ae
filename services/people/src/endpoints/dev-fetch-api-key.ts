import { devFetchApiKeyEndpoint } from '@parley/api/people';
import { notRegistered, signInForDevelopment } from '@parley/people';
import type { PeopleContext } from '@parley/people';
import { implement } from '@parley/server';
import { findApiKey } from '@parley/store';

/** POST dev_fetch_api_key (contract, Server and development endpoints; reference facts, people 5.2). */
export const devFetchApiKeyHandler = implement(
  devFetchApiKeyEndpoint,
  async (context: PeopleContext, { parameters }) => {
    const account = await signInForDevelopment(context, parameters.username);
    const key = await findApiKey(context.pool, context.keySecrets, account.id);
    if (key === undefined) throw notRegistered();
    return { api_key: key, email: account.deliveryEmail };
  },
);
