import { RealmFactsReader } from '@parley/composing';
import { Turns, connectStores, keepLease, serveApi } from '@parley/server';
import type { RequestHandler, ServiceFrame } from '@parley/server';
import { descriptionRenderer } from '@parley/markdown';
import { StreamTraffic } from '@parley/store';

import { endpoints } from './endpoints/index.ts';

/** Connects the service to its stores and builds its app; the frame serves it. */
export async function startSubscriptions(frame: ServiceFrame): Promise<RequestHandler> {
  const { clock, config } = frame;
  const stores = await connectStores(frame);
  keepLease(frame, stores);
  return serveApi(frame, {
    implementations: endpoints,
    context: {
      clock,
      pool: stores.pool,
      eventLog: stores.eventLog,
      traffic: new StreamTraffic(clock),
      realmFacts: new RealmFactsReader(stores.pool),
      publicUrl: config.publicUrl,
      renderDescription: descriptionRenderer(config.publicUrl),
      renderingTurns: new Turns(),
      newStreamsPerRequestMax: config.newStreamsPerRequestMax,
      lists: config.lists,
    },
  }).handler;
}
