import { exampleVariables } from '../declare/endpoint-example.ts';
import { declareEndpoint } from '../declare/endpoint.ts';
import { textParameter } from '../declare/parameters.ts';
import { limits } from '../limits.ts';
import { described, listOf, object, oneOfTexts, text } from '../declare/schema.ts';

/** Keys for people who sign in, and on a development server for everybody (reference facts, people 5). */

/** The name of who signs in. */
export const username = textParameter('username', {
  required: true,
  description: 'The email address of the account',
});

const keyGiven = object({ api_key: text, email: described(text, 'the real address') });

/** The refusals of a wrong password or a forbidden way of signing in (reference facts, people 5.1 and 5.2). */
export const signInRefusal = {
  status: 403,
  description: 'This way of signing in is not permitted; `reason` says why',
  fields: {
    reason: oneOfTexts([
      'user disable',
      'realm deactivated',
      'password auth disabled',
      'incorrect_creds',
      'unregistered',
    ]),
  },
} as const;

/** By what a change is confirmed that would leave somebody else with the account (decision 0071). */
export const ownPassword = textParameter('password', {
  description: `The caller's password. A session needs none for ${limits.freshSignInSecs / 60} minutes after the sign-in`,
});

export const proofRefusal = {
  status: 403,
  description: 'The password is required too, or a sign-in of a moment ago',
  fields: { reason: oneOfTexts(['proof required']) },
} as const;

/** POST fetch_api_key (reference facts, people 5.1). */
export const fetchApiKeyEndpoint = declareEndpoint({
  name: 'fetch-api-key',
  method: 'POST',
  afterLoss: 'read',
  path: '/fetch_api_key',
  service: 'people',
  tag: 'Server',
  summary: 'Get the API key of an account by its password',
  example: {
    parameters: { username: exampleVariables.email, password: exampleVariables.password },
  },
  access: { authentication: 'none' },
  parameters: [
    username,
    textParameter('password', { required: true, description: 'The password of the account' }),
  ],
  success: keyGiven,
  errors: ['BAD_REQUEST'],
  refusals: [signInRefusal, { status: 429, description: 'Too many wrong passwords' }],
  judgesPassword: true,
});

/** POST users/me/api_key/regenerate (reference facts, people 5.4): the old key stops working at once. */
export const regenerateOwnApiKeyEndpoint = declareEndpoint({
  name: 'regenerate-own-api-key',
  method: 'POST',
  path: '/users/me/api_key/regenerate',
  service: 'people',
  tag: 'Own account',
  summary: "Replace the caller's API key",
  description: 'Keys of bots are replaced by those who manage them.',
  example: { parameters: { password: exampleVariables.password } },
  access: { authentication: 'required', bots: 'refused' },
  parameters: [ownPassword],
  success: object({ api_key: text }),
  refusals: [proofRefusal],
  judgesPassword: true,
});

const onDevelopmentServer = {
  service: 'people',
  tag: 'Server',
  description: 'A production server always refuses.',
  access: { authentication: 'none' },
} as const;

/**
 * POST dev_fetch_api_key (contract, Server and development endpoints; reference facts, people 5.2). A production server refuses it in the
 * service, after the parameters (reference facts, people 2.1).
 */
export const devFetchApiKeyEndpoint = declareEndpoint({
  ...onDevelopmentServer,
  name: 'dev-fetch-api-key',
  method: 'POST',
  afterLoss: 'read',
  path: '/dev_fetch_api_key',
  summary: 'Get the API key of any account on a development server',
  example: { parameters: { username: exampleVariables.email } },
  parameters: [username],
  success: keyGiven,
  errors: ['BAD_REQUEST'],
  refusals: [signInRefusal],
});

const people = listOf(object({ email: text, realm_uri: text }));

const peopleList = {
  ...onDevelopmentServer,
  clients: 'development',
  path: '/dev_list_users',
  summary: 'List the people whose keys a development server gives out',
  parameters: [],
  success: object({ direct_admins: people, direct_users: people }),
} as const;

/** GET dev_list_users (reference facts, people 5.3). */
export const devListUsersEndpoint = declareEndpoint({
  ...peopleList,
  name: 'dev-list-users',
  method: 'GET',
});

/** POST dev_list_users (reference facts, people 5.3). */
export const devListUsersByPostEndpoint = declareEndpoint({
  ...peopleList,
  name: 'dev-list-users-by-post',
  method: 'POST',
  afterLoss: 'read',
});
