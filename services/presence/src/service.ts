import type { RequestHandler, ServiceFrame } from '@parley/http';
import { descriptionRenderer } from '@parley/markdown';
import { connectStores, keepLease } from '@parley/service';
import { deriveKeySecrets } from '@parley/store';

import { createPresenceApp } from './app.ts';
import { realmDescriptionRenderer } from './render-realm-description.ts';

/** Connects the service to its stores and builds its app; the frame serves it. */
export async function startPresence(frame: ServiceFrame): Promise<RequestHandler> {
  const { config, log, metrics } = frame;
  const stores = await connectStores(frame);
  keepLease(frame, stores);
  return createPresenceApp({
    context: {
      pool: stores.pool,
      eventLog: stores.eventLog,
      keySecrets: deriveKeySecrets(config.keySecret.reveal()),
      mode: config.mode,
      publicUrl: config.publicUrl,
      renderDescription: realmDescriptionRenderer(config.publicUrl),
      // Names of people, groups and streams stay plain text: everybody may read a profile.
      renderProfileText: descriptionRenderer(config.publicUrl),
    },
    identitySecrets: config.internalSecrets.map((secret) => secret.reveal()),
    log,
    metrics,
    checkAnswers: config.checkAnswers,
  });
}
