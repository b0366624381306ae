import { ConfigError } from '@parley/config';
import { EventLog } from '@parley/event-log';
import { openFileStore } from '@parley/files';
import type { FileStore } from '@parley/files';
import { serveApi, startUpkeep } from '@parley/http';
import type { RequestHandler, ServiceFrame } from '@parley/http';
import { SideEffectRunner } from '@parley/jobs';
import { subjectLogger } from '@parley/logging';
import { connectStores, keepLease, openPool } from '@parley/service';
import { deriveKeySecrets } from '@parley/store';

import { DeferredMessages } from './deferring/deferred-messages.ts';
import { endpoints } from './endpoints/index.ts';
import { UploadFiles } from './files/upload-files.ts';
import { BatchWriter } from './sending/batch-writer.ts';
import { StreamIds } from './narrow/stream-ids.ts';
import { MessageRenderer } from './rendering/message-renderer.ts';
import { RealmFactsReader } from './sending/realm-facts.ts';
import { MessageSender } from './sending/send.ts';
import { streamNotices } from './notices/stream-notices.ts';
import { AddressRules } from './outgoing/address-rules.ts';
import { CallMetrics } from './outgoing/call-metrics.ts';
import { callService } from './outgoing/call-service.ts';
import { findAddressesInDns } from './outgoing/find-addresses.ts';
import { outgoingWebhooks } from './outgoing/outgoing-webhooks.ts';
import { upkeepOfMessages } from './upkeep.ts';

/** One batch is in flight at a time; a second connection is there while a broken one is replaced. */
const sendingConnections = 2;
/** Searches that take long leave other requests their connections. */
const searchConnections = 4;
/** Taking effects from the log, and running them, waits for no request. */
const sideEffectConnections = 3;

/** @throws ConfigError when the configuration names no place for uploaded files */
async function openFiles({ config, onDispose }: ServiceFrame): Promise<FileStore> {
  const { files: place } = config.uploads;
  if (place === undefined) {
    throw new ConfigError([
      'PARLEY_UPLOADS_DIR or PARLEY_S3_BUCKET is required: where uploaded files are kept',
    ]);
  }
  const files = await openFileStore(place);
  onDispose('files', () => files.close());
  return files;
}

/** Connects the service to its stores and builds its app; the frame serves it. */
export async function startMessages(frame: ServiceFrame): Promise<RequestHandler> {
  const { config, log } = frame;
  const files = await openFiles(frame);
  const stores = await connectStores(frame);
  keepLease(frame, stores);
  const sendingLog = new EventLog({
    pool: openPool(frame, 'sending', sendingConnections, { looksUpByKey: true }),
    redis: stores.redis,
    keyPrefix: stores.keyPrefix,
    log,
  });
  const writer = new BatchWriter({
    send: (items) => sendingLog.sendMessages(items),
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
  const deferredMessages = new DeferredMessages({
    pool: stores.pool,
    sender,
    log: subjectLogger(log, 'messages:deferred'),
    registry: frame.metrics.registry,
  });
  const effectPool = openPool(frame, 'side effects', sideEffectConnections);
  const { allowedNetworks, timeoutMs } = config.outgoingWebhooks;
  const callOptions = {
    rules: new AddressRules(allowedNetworks),
    findAddresses: findAddressesInDns,
    timeoutMs,
  };
  // A time limit of the connection costs nothing, where one of the statement takes a transaction around it.
  const searchPool = openPool(frame, 'searches', searchConnections, {
    statementTimeoutMs: Math.ceil(config.searchTimeoutMs),
  });
  const sideEffects = new SideEffectRunner({
    pool: effectPool,
    redis: config.redis,
    handlers: {
      ...streamNotices({
        pool: stores.pool,
        send: async (message) => sender.sendSystemMessage(message),
      }),
      ...outgoingWebhooks({
        pool: effectPool,
        keySecrets: deriveKeySecrets(config.keySecret.reveal(), config.keySecretPrevious?.reveal()),
        publicUrl: config.publicUrl,
        call: async (call, signal) => callService(call, callOptions, signal),
        send: async (request) => sender.send(request),
        metrics: new CallMetrics(frame.metrics.registry),
      }),
    },
    log: subjectLogger(log, 'messages:side-effects'),
    registry: frame.metrics.registry,
  });
  sideEffects.start();
  frame.onDispose('side effects', () => sideEffects.stop());
  const uploads = new UploadFiles({
    pool: stores.pool,
    eventLog: stores.eventLog,
    files,
    quotaBytes: config.uploads.quotaBytes,
    log: subjectLogger(log, 'messages:files'),
    registry: frame.metrics.registry,
  });
  startUpkeep(frame, upkeepOfMessages(stores.pool, { uploads, deferredMessages }, frame.stopping));
  return serveApi(frame, {
    endpoints,
    context: {
      pool: stores.pool,
      eventLog: stores.eventLog,
      sender,
      deferredMessages,
      realmFacts,
      renderer,
      files,
      uploads,
      fileMaxBytes: config.uploads.fileMaxBytes,
      searchPool,
      streamIds: new StreamIds(),
      publicUrl: config.publicUrl,
    },
  }).handler;
}
