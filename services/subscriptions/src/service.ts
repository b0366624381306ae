import { serveApi } from '@parley/http';
import type { RequestHandler, ServiceFrame } from '@parley/http';
import { descriptionRenderer } from '@parley/markdown';
import { connectStores, keepLease } from '@parley/service';
import { StreamTraffic } from '@parley/store';

import { endpoints } from './endpoints/index.ts';

/** Connects the service to its stores and builds its app; the frame serves it. */
export async function startSubscriptions(frame: ServiceFrame): Promise<RequestHandler> {
  const { config } = frame;
  const stores = await connectStores(frame);
  keepLease(frame, stores);
  return serveApi(frame, {
    endpoints,
    context: {
      pool: stores.pool,
      eventLog: stores.eventLog,
      traffic: new StreamTraffic(),
      renderDescription: descriptionRenderer(config.publicUrl),
      nowMs: Date.now,
    },
  }).handler;
}
