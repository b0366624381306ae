import { devEnvironmentOff } from '@parley/api';
import { devFetchApiKeyEndpoint } from '@parley/api/people';
import {
  accountDisabled,
  checkEmailShape,
  notRegistered,
  organizationDeactivated,
} from '@parley/people';
import type { PeopleContext } from '@parley/people';
import { implement } from '@parley/server';
import { authenticationMethods } from '@parley/objects';
import { findApiKey, findRealm, findSignInAccount } from '@parley/store';

/** POST dev_fetch_api_key (contract, Server and development endpoints; reference facts, people 5.2). */
export const devFetchApiKeyHandler = implement(
  devFetchApiKeyEndpoint,
  async (context: PeopleContext, { parameters }) => {
    const realm = await findRealm(context.pool);
    const isOn = realm === undefined || authenticationMethods(realm, context.mode)['Dev'] === true;
    if (context.mode !== 'development' || !isOn) throw devEnvironmentOff();
    const email = checkEmailShape(parameters.username);
    const account = await findSignInAccount(context.pool, email);
    if (account !== undefined && !account.isActive) throw accountDisabled();
    if (realm?.isDeactivated === true) throw organizationDeactivated();
    const key =
      account === undefined
        ? undefined
        : await findApiKey(context.pool, context.keySecrets, account.id);
    if (account === undefined || key === undefined) throw notRegistered();
    return { api_key: key, email: account.deliveryEmail };
  },
);
