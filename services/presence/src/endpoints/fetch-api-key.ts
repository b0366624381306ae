import { defineEndpoint, exampleVariables, text } from '@parley/http';
import {
  authenticationMethods,
  findApiKey,
  findRealm,
  findSignInAccount,
  verifyPassword,
} from '@parley/store';

import {
  accountDisabled,
  checkEmailShape,
  incorrectCredentials,
  organizationDeactivated,
  passwordSignInDisabled,
} from '../accounts/sign-in-refusals.ts';
import type { PresenceContext } from '../context.ts';
import { apiKeyAnswer, signInRefusal } from './api-key-answer.ts';

/** POST fetch_api_key (reference facts, people 5.1). */
export const fetchApiKey = defineEndpoint({
  name: 'fetch-api-key',
  method: 'POST',
  path: '/fetch_api_key',
  summary: 'Get the API key of an account by its password',
  example: {
    parameters: { username: exampleVariables.email, password: exampleVariables.password },
  },
  access: { authentication: 'none' },
  parameters: [
    text('username', { required: true, description: 'The email address of the account' }),
    text('password', { required: true, description: 'The password of the account' }),
  ],
  response: apiKeyAnswer,
  errors: ['BAD_REQUEST'],
  refusals: [signInRefusal, { status: 429, description: 'Too many wrong passwords' }],
  handler: async (context: PresenceContext, { parameters }) => {
    const email = checkEmailShape(parameters.username);
    const realm = await findRealm(context.pool);
    if (realm !== undefined && authenticationMethods(realm, context.mode)['Email'] !== true)
      throw passwordSignInDisabled();
    const account = await findSignInAccount(context.pool, email);
    // A deactivated account is told so whatever the password; everything else costs one password check.
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
});
