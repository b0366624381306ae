import { exampleVariables } from '../declare/endpoint-example.ts';
import { declareEndpoint } from '../declare/endpoint.ts';
import { pathInteger, textParameter } from '../declare/parameters.ts';
import {
  boolean,
  described,
  integer,
  listOf,
  nullable,
  object,
  text,
  timestamp,
} from '../declare/schema.ts';
import { limits } from '../limits.ts';
import { ownPassword, proofRefusal, signInRefusal } from './sign-in.ts';

/** Signing in by OpenID providers (decision 0051). */

const own = { authentication: 'required', bots: 'refused' } as const;

const provider = textParameter('provider', {
  required: true,
  description:
    'The id of the provider, as in `name` of `external_authentication_methods` of `GET server_settings` after `oidc:`',
});

const fromOwnPage = {
  status: 403,
  description: 'The request does not come from a page of this server',
} as const;
const tooMany = { status: 429, description: 'Too many sign-ins from this network' } as const;

const begun = object({
  url: described(text, 'The address at the provider, to which the page goes'),
});

/** POST sso/start. */
export const beginSingleSignOnEndpoint = declareEndpoint({
  name: 'begin-single-sign-on',
  method: 'POST',
  afterLoss: 'lapses',
  path: '/sso/start',
  service: 'people',
  tag: 'Server',
  summary: 'Begin to sign in a browser by an OpenID provider',
  description:
    'The answer sets a cookie for ten minutes, by which only this browser can finish. From the provider the browser comes back to a page of this server, which calls `POST sso/finish`.',
  access: { authentication: 'none' },
  parameters: [
    provider,
    textParameter('token', {
      description:
        'The part after `/#join/` of the link by which the person came. If the sign-in makes an account, that uses the invitation of a link for anybody',
    }),
  ],
  success: begun,
  errors: ['BAD_REQUEST', 'REQUEST_VARIABLE_MISSING'],
  refusals: [signInRefusal, fromOwnPage, tooMany],
  opensSession: true,
  clients: 'pages',
  limits: { network: 'sign-ins', waitMaxMs: limits.identityProviderWaitMaxMs },
});

/** POST sso/finish. */
export const finishSingleSignOnEndpoint = declareEndpoint({
  name: 'finish-single-sign-on',
  method: 'POST',
  path: '/sso/finish',
  service: 'people',
  tag: 'Server',
  summary: 'Finish a sign-in by an OpenID provider in the browser that began it',
  description:
    'Sets the cookie of a session, as `POST sessions` does. For who is signed in and called `POST sso/link`, it links the identity to the account, and the session stays.',
  access: { authentication: 'none' },
  parameters: [
    provider,
    textParameter('answer', {
      required: true,
      description: 'The query with which the browser came back, without the question mark',
    }),
  ],
  success: object({
    linked: described(boolean, 'Whether an identity was linked, instead of a sign-in'),
    user_id: integer,
  }),
  errors: ['BAD_REQUEST', 'REQUEST_VARIABLE_MISSING'],
  refusals: [signInRefusal, fromOwnPage],
  opensSession: true,
  takesHeaders: ['cookie'],
  clients: 'pages',
  limits: { waitMaxMs: limits.identityProviderWaitMaxMs },
});

/** POST sso/link. */
export const beginLinkingEndpoint = declareEndpoint({
  name: 'begin-linking-identity',
  method: 'POST',
  afterLoss: 'lapses',
  path: '/sso/link',
  service: 'people',
  tag: 'Own account',
  summary: "Begin to link an identity at an OpenID provider to the caller's account",
  description: 'It goes on as `POST sso/start` does, in the browser of a session of the caller.',
  access: own,
  parameters: [provider, ownPassword],
  success: begun,
  errors: ['REQUEST_VARIABLE_MISSING'],
  refusals: [signInRefusal, proofRefusal],
  judgesPassword: true,
  clients: 'pages',
  limits: { waitMaxMs: limits.identityProviderWaitMaxMs },
});

/** GET sso/identities. */
export const listIdentitiesEndpoint = declareEndpoint({
  name: 'list-identities',
  method: 'GET',
  path: '/sso/identities',
  service: 'people',
  tag: 'Own account',
  summary: "List the identities at OpenID providers that sign in to the caller's account",
  access: own,
  parameters: [],
  success: object({
    identities: described(
      listOf(
        object(
          {
            identity_id: integer,
            provider: described(
              nullable(text),
              'The id of the provider; null if the server no longer has it',
            ),
            display_name: described(text, 'What the provider is called'),
            created_at: described(timestamp, 'When it was linked, seconds since 1970'),
          },
          { name: 'Identity' },
        ),
      ),
      `The oldest first; at most ${limits.identitiesMax}`,
    ),
  }),
});

/** DELETE sso/identities/{identity_id}. */
export const unlinkIdentityEndpoint = declareEndpoint({
  name: 'unlink-identity',
  method: 'DELETE',
  path: '/sso/identities/{identity_id}',
  service: 'people',
  tag: 'Own account',
  summary: 'Remove an identity from the account of the caller, who has another way to sign in',
  example: { parameters: { identity_id: exampleVariables.identityId } },
  access: own,
  parameters: [pathInteger('identity_id', { description: 'The id of the identity' })],
  success: object({}),
});
