import { regenerateOwnApiKeyEndpoint } from '@parley/api/people';
import { prepareProof, replaceApiKey } from '@parley/people';
import type { PeopleContext } from '@parley/people';
import { implement } from '@parley/server';

/** POST users/me/api_key/regenerate (reference facts, people 5.4): the old key stops working at once. */
export const regenerateOwnApiKeyHandler = implement(
  regenerateOwnApiKeyEndpoint,
  async (context: PeopleContext, { caller, parameters }) => {
    const prove = await prepareProof(context, caller, parameters.password);
    return { api_key: await replaceApiKey(context, caller, prove) };
  },
);
