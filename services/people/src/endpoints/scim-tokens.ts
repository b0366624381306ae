import {
  createScimTokenEndpoint,
  listScimTokensEndpoint,
  revokeScimTokenEndpoint,
} from '@parley/api/people';
import { makeScimToken, prepareProof, revokeScimToken } from '@parley/people';
import type { PeopleContext } from '@parley/people';
import { implement } from '@parley/server';
import { listScimTokens } from '@parley/store/scim';

/** POST scim_tokens (decision 0052). */
export const createScimTokenHandler = implement(
  createScimTokenEndpoint,
  async (context: PeopleContext, { caller, parameters }) => {
    const prove = await prepareProof(context, caller, parameters.password);
    return makeScimToken(context, caller, prove, parameters.name);
  },
);

/** GET scim_tokens (decision 0052). */
export const listScimTokensHandler = implement(
  listScimTokensEndpoint,
  async (context: PeopleContext) => {
    const tokens = await listScimTokens(context.pool);
    return {
      scim_tokens: tokens.map(({ id, name, makerId, createdAtSecs, lastUsedAtSecs }) => ({
        id,
        name,
        creator_id: makerId,
        created_at: createdAtSecs,
        last_used_at: lastUsedAtSecs,
      })),
    };
  },
);

/** DELETE scim_tokens/{token_id} (decision 0052). */
export const revokeScimTokenHandler = implement(
  revokeScimTokenEndpoint,
  async (context: PeopleContext, { caller, parameters }) => {
    await revokeScimToken(context, caller, parameters.token_id);
    return {};
  },
);
