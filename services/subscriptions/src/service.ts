import type { RequestHandler, ServiceFrame } from '@parley/http';
import { descriptionRenderer } from '@parley/markdown';
import { connectStores, keepLease } from '@parley/service';
import { StreamTraffic } from '@parley/store';

import { createSubscriptionsApp } from './app.ts';

/** Connects the service to its stores and builds its app; the frame serves it. */
export async function startSubscriptions(frame: ServiceFrame): Promise<RequestHandler> {
  const { config, log, metrics } = frame;
  const stores = await connectStores(frame);
  keepLease(frame, stores);
  return createSubscriptionsApp({
    context: {
      pool: stores.pool,
      eventLog: stores.eventLog,
      traffic: new StreamTraffic(),
      renderDescription: descriptionRenderer(config.publicUrl),
      nowMs: Date.now,
    },
    identitySecrets: config.internalSecrets.map((secret) => secret.reveal()),
    log,
    metrics,
    checkAnswers: config.checkAnswers,
  });
}
