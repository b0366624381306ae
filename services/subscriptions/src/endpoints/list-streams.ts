import { checkStreamSources } from '@parley/store/access';
import { notAuthenticated } from '@parley/api';
import { listStreamsEndpoint, listSubscriptionsEndpoint } from '@parley/api/streams';
import { CallerReads } from '@parley/database';
import { implement } from '@parley/server';
import { streamJson } from '@parley/store/objects';
import { findUserById, listStreams } from '@parley/store';

import type { SubscriptionsContext } from '../context.ts';
import { listSubscriptions } from '../subscribing/list-subscriptions.ts';

export const listStreamsHandler = implement(
  listStreamsEndpoint,
  async (context: SubscriptionsContext, { caller, parameters, signal }) => {
    const sources = checkStreamSources(caller, {
      includePublic: parameters.include_public,
      includeSubscribed: parameters.include_subscribed,
      includeAllActive: parameters.include_all_active,
      includeDefault: parameters.include_default,
      includeOwnerSubscribed: parameters.include_owner_subscribed,
    });
    const streams = await listStreams(new CallerReads(context.pool, signal), sources);
    return {
      streams: streams.map((stream) => ({
        ...streamJson(stream),
        ...(parameters.include_default && { is_default: stream.isDefault }),
      })),
    };
  },
);

export const listSubscriptionsHandler = implement(
  listSubscriptionsEndpoint,
  async (context: SubscriptionsContext, { caller, parameters, signal }) => {
    const traffic = await context.traffic.counts(context.pool);
    // One snapshot: if the caller leaves a stream meanwhile, the answer contains no later subscribers of it.
    return new CallerReads(context.pool, signal).snapshot(async (database) => {
      const user = await findUserById(database, caller.userId);
      if (user === undefined) throw notAuthenticated('Invalid API key');
      return {
        subscriptions: await listSubscriptions(database, user, {
          traffic,
          nowSecs: context.clock.nowMs() / 1000,
          withSubscriberEmails: parameters.include_subscribers,
        }),
      };
    });
  },
);
