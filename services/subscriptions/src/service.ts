import { RealmFactsReader } from '@parley/composing';
import { connectStores, keepLease, serveApi } from '@parley/server';
import type { RequestHandler, ServiceFrame } from '@parley/server';
import { descriptionRenderer } from '@parley/markdown';
import { StreamTraffic } from '@parley/store';

import { endpoints } from './endpoints/index.ts';

/** Connects the service to its stores and builds its app; the frame serves it. */
export async function startSubscriptions(frame: ServiceFrame): Promise<RequestHandler> {
  const { config } = frame;
  const stores = await connectStores(frame);
  keepLease(frame, stores);
  return serveApi(frame, {
    implementations: endpoints,
    context: {
      pool: stores.pool,
      eventLog: stores.eventLog,
      traffic: new StreamTraffic(),
      realmFacts: new RealmFactsReader(stores.pool),
      publicUrl: config.publicUrl,
      renderDescription: descriptionRenderer(config.publicUrl),
      newStreamsPerRequestMax: config.newStreamsPerRequestMax,
      nowMs: Date.now,
    },
  }).handler;
}
