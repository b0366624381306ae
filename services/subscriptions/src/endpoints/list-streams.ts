import { checkStreamSources } from '@parley/access';
import { listedStreamSchema } from '@parley/api-schemas';
import { defineEndpoint, jsonBoolean } from '@parley/http';
import { listStreams, streamJson } from '@parley/store';

import type { SubscriptionsContext } from '../context.ts';

/** GET streams (contract, Streams; reference facts, streams 1 and 4.1). */
export const listStreamsEndpoint = defineEndpoint({
  name: 'list-streams',
  method: 'GET',
  path: '/streams',
  summary: 'List streams',
  description: 'The union of the chosen sources, by name in code-point order.',
  access: { authentication: 'required' },
  parameters: [
    jsonBoolean('include_public', { default: true, description: 'All public streams' }),
    jsonBoolean('include_subscribed', {
      default: true,
      description: 'Streams to which the caller is subscribed',
    }),
    jsonBoolean('include_all_active', {
      default: false,
      description: 'All streams; for administrators',
    }),
    jsonBoolean('include_default', {
      default: false,
      description: 'Default streams that the caller may access; adds is_default to every stream',
    }),
    jsonBoolean('include_owner_subscribed', {
      default: false,
      description: 'For a bot: streams to which its owner is subscribed',
    }),
  ],
  response: {
    type: 'object',
    properties: { streams: { type: 'array', items: listedStreamSchema } },
    required: ['streams'],
  },
  handler: async (context: SubscriptionsContext, { caller, parameters }) => {
    const sources = checkStreamSources(caller, {
      includePublic: parameters.include_public,
      includeSubscribed: parameters.include_subscribed,
      includeAllActive: parameters.include_all_active,
      includeDefault: parameters.include_default,
      includeOwnerSubscribed: parameters.include_owner_subscribed,
    });
    const streams = await listStreams(context.pool, sources);
    return {
      streams: streams.map((stream) => ({
        ...streamJson(stream),
        ...(parameters.include_default && { is_default: stream.isDefault }),
      })),
    };
  },
});
