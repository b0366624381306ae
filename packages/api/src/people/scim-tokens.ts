import { exampleVariables } from '../declare/endpoint-example.ts';
import { declareEndpoint } from '../declare/endpoint.ts';
import { pathInteger, textParameter } from '../declare/parameters.ts';
import {
  described,
  integer,
  listOf,
  nullable,
  object,
  text,
  timestamp,
} from '../declare/schema.ts';
import { limits } from '../limits.ts';
import { ownPassword, proofRefusal } from './sign-in.ts';

/** Tokens of programs that keep accounts by SCIM (decision 0052). */

const access = { authentication: 'required', administratorsOnly: true, bots: 'refused' } as const;

/** POST scim_tokens. */
export const createScimTokenEndpoint = declareEndpoint({
  name: 'create-scim-token',
  method: 'POST',
  path: '/scim_tokens',
  service: 'people',
  tag: 'Organization',
  summary: 'Make a token for a program that keeps accounts by SCIM',
  description: [
    'An identity provider creates, changes and deactivates people and user groups with it, at `/scim/v2` of this server, as SCIM 2.0 (RFC 7644) says; `/scim/v2/Schemas` describes what is kept. The program sends the token as `Authorization: Bearer TOKEN`.',
    `The token is in this answer only. It belongs to the organization: it works until it is revoked, also when its maker has left. There may be at most ${limits.scimTokensMax}.`,
  ].join('\n\n'),
  example: { parameters: { name: 'Identity provider', password: exampleVariables.password } },
  access,
  parameters: [
    textParameter('name', {
      required: true,
      description: `What the token is for, at most ${limits.scimTokenNameMaxCodePoints} characters`,
    }),
    ownPassword,
  ],
  success: object({ id: integer, token: described(text, 'It is stored nowhere') }),
  errors: ['BAD_REQUEST'],
  refusals: [proofRefusal],
  judgesPassword: true,
  answersKey: true,
});

/** GET scim_tokens. */
export const listScimTokensEndpoint = declareEndpoint({
  name: 'list-scim-tokens',
  method: 'GET',
  path: '/scim_tokens',
  service: 'people',
  tag: 'Organization',
  summary: 'List the tokens of programs that keep accounts by SCIM',
  access,
  parameters: [],
  success: object({
    scim_tokens: described(
      listOf(
        object(
          {
            id: integer,
            name: described(text, 'What it is for'),
            creator_id: described(nullable(integer), 'Who made it; null for the operator'),
            created_at: described(timestamp, 'When, seconds since 1970'),
            last_used_at: described(
              nullable(timestamp),
              'Its last use, seconds since 1970; some minutes old while it is in use, null if it was never used',
            ),
          },
          { name: 'ScimToken' },
        ),
      ),
      'The newest first',
    ),
  }),
});

/** DELETE scim_tokens/{token_id}. */
export const revokeScimTokenEndpoint = declareEndpoint({
  name: 'revoke-scim-token',
  method: 'DELETE',
  path: '/scim_tokens/{token_id}',
  service: 'people',
  tag: 'Organization',
  summary: 'Revoke a token of a program that keeps accounts by SCIM',
  description: 'It is refused from then on. The accounts stay as they are.',
  example: { parameters: { token_id: exampleVariables.scimTokenId } },
  access,
  parameters: [pathInteger('token_id', { description: 'The id of the token' })],
  success: object({}),
});
