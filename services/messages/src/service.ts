import type { RequestHandler, ServiceFrame } from '@parley/http';
import { subjectLogger } from '@parley/logging';
import { connectStores, keepLease } from '@parley/service';

import { createMessagesApp } from './app.ts';
import { BatchWriter } from './sending/batch-writer.ts';
import { MessageRenderer } from './rendering/message-renderer.ts';
import { RealmFactsReader } from './sending/realm-facts.ts';
import { MessageSender } from './sending/send.ts';
import { startUpkeep } from './upkeep.ts';

/** Connects the service to its stores and builds its app; the frame serves it. */
export async function startMessages(frame: ServiceFrame): Promise<RequestHandler> {
  const { config, log } = frame;
  const stores = await connectStores(frame);
  keepLease(frame, stores);
  const writer = new BatchWriter({
    send: (items) => stores.eventLog.sendMessages(items),
    log: subjectLogger(log, 'messages:sending'),
    registry: frame.metrics.registry,
  });
  // Requests are answered before stores are closed, so nothing gathers any more; this waits for what a client gave up on.
  frame.onDispose('batch writer', () => writer.drain());
  const renderer = new MessageRenderer({ log: subjectLogger(log, 'messages:rendering') });
  frame.onDispose('renderer', () => renderer.close());
  const realmFacts = new RealmFactsReader(stores.pool);
  const sender = new MessageSender({
    pool: stores.pool,
    writer,
    renderer,
    realmFacts,
    publicUrl: config.publicUrl,
    redis: stores.redis,
    keyPrefix: stores.keyPrefix,
    log: subjectLogger(log, 'messages:notices'),
  });
  frame.onDispose('notices', () => sender.drain());
  startUpkeep(frame, stores.pool);
  return createMessagesApp({
    context: {
      pool: stores.pool,
      eventLog: stores.eventLog,
      sender,
      realmFacts,
      renderer,
      publicUrl: config.publicUrl,
    },
    identitySecrets: config.internalSecrets.map((secret) => secret.reveal()),
    log,
    metrics: frame.metrics,
    checkAnswers: config.checkAnswers,
  });
}
