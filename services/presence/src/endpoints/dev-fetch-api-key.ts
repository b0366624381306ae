import { withoutCode } from '@parley/contracts';
import { defineEndpoint, exampleVariables, text } from '@parley/http';
import { authenticationMethods, findApiKey, findRealm, findSignInAccount } from '@parley/store';

import {
  accountDisabled,
  checkEmailShape,
  notRegistered,
  organizationDeactivated,
} from '../accounts/sign-in-refusals.ts';
import type { PresenceContext } from '../context.ts';
import { apiKeyAnswer, signInRefusal } from './api-key-answer.ts';

/** POST dev_fetch_api_key (contract, Server and development endpoints; reference facts, people 5.2). */
export const devFetchApiKey = defineEndpoint({
  name: 'dev-fetch-api-key',
  method: 'POST',
  path: '/dev_fetch_api_key',
  summary: 'Get the API key of any account on a development server',
  description: 'A production server always refuses.',
  example: { parameters: { username: exampleVariables.email } },
  access: { authentication: 'none' },
  parameters: [
    text('username', { required: true, description: 'The email address of the account' }),
  ],
  response: apiKeyAnswer,
  errors: ['BAD_REQUEST'],
  refusals: [signInRefusal],
  handler: async (context: PresenceContext, { parameters }) => {
    const realm = await findRealm(context.pool);
    const isOn = realm === undefined || authenticationMethods(realm, context.mode)['Dev'] === true;
    if (context.mode !== 'development' || !isOn) throw withoutCode('Dev environment not enabled.');
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
});
