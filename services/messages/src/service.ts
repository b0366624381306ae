import { RealmFactsReader } from '@parley/composing';
import { ConfigError } from '@parley/config';
import { EventLog } from '@parley/event-log';
import { openFileStore } from '@parley/files';
import type { FileStore } from '@parley/files';
import {
  Turns,
  RateLimiter,
  connectStores,
  keepLease,
  openPool,
  serveApi,
  startMaintenance,
} from '@parley/server';
import type { RequestHandler, ServiceFrame, Stores } from '@parley/server';
import { SideEffectRunner } from '@parley/outgoing/jobs';
import { subjectLogger } from '@parley/telemetry/logging';
import { AddressRules, callService, findAddressesInDns } from '@parley/outgoing';
import { deriveKeySecrets } from '@parley/auth/secrets';

import { AnswerListener } from './answering/answer-listener.ts';
import { AnswerPoster } from './answering/answer-poster.ts';
import type { MessagesContext } from './context.ts';
import { DeferredMessages } from './deferring/deferred-messages.ts';
import { endpoints } from './endpoints/index.ts';
import { UploadFiles } from './files/upload-files.ts';
import { BatchWriter } from './sending/batch-writer.ts';
import { StreamIds } from './narrow/stream-ids.ts';
import { PageReader } from './pages/page-reader.ts';
import { MessageRenderer } from './rendering/message-renderer.ts';
import { MessageSender } from './sending/send.ts';
import { streamNotices } from './notices/stream-notices.ts';
import { CallMetrics } from './outgoing/call-metrics.ts';
import { outgoingWebhooks } from './outgoing/outgoing-webhooks.ts';
import { maintenanceOfMessages } from './maintenance.ts';

/** One batch is in flight at a time; a second connection is there while a broken one is replaced. */
const sendingConnections = 2;
/** Slow searches and narrows leave other requests their connections. */
const costlyConnections = 4;
/** No request waits for the job that takes side effects from the log and runs them. */
const sideEffectConnections = 3;

/** @throws ConfigError if the configuration has no place for uploaded files */
async function openFiles({ clock, config, onDispose }: ServiceFrame): Promise<FileStore> {
  const { files: place } = config.uploads;
  if (place === undefined) {
    throw new ConfigError([
      'PARLEY_UPLOADS_DIR or PARLEY_S3_BUCKET is required: where uploaded files are kept',
    ]);
  }
  const files = await openFileStore(place, clock);
  onDispose('files', () => files.close());
  return files;
}

/** @returns the renderer of messages and their sender */
function openSending(
  frame: ServiceFrame,
  { pool, redis, keyPrefix }: Stores,
): Pick<MessagesContext, 'realmFacts' | 'renderer' | 'sender'> {
  const { clock, config, log, metrics } = frame;
  const eventLog = new EventLog({
    pool: openPool(frame, 'sending', sendingConnections, { looksUpByKey: true }),
    redis,
    keyPrefix,
    clock,
    log,
  });
  const writer = new BatchWriter({
    clock,
    send: (items) => eventLog.sendMessages(items),
    log: subjectLogger(log, 'messages:sending'),
    registry: metrics.registry,
  });
  // Requests are answered before stores are closed, so no new sends gather; this waits for sends whose client gave up.
  frame.onDispose('batch writer', () => writer.drain());
  frame.onSettle('batch writer', () => writer.isIdle);
  const renderer = new MessageRenderer({ clock, log: subjectLogger(log, 'messages:rendering') });
  frame.onDispose('renderer', () => renderer.close());
  const realmFacts = new RealmFactsReader(pool);
  const sender = new MessageSender({
    clock,
    pool,
    writer,
    renderer,
    realmFacts,
    participantsMax: config.participantsMax,
    publicUrl: config.publicUrl,
    redis,
    keyPrefix,
    log: subjectLogger(log, 'messages:notices'),
  });
  frame.onDispose('notices', () => sender.drain());
  frame.onSettle('notices', () => sender.isIdle);
  return { realmFacts, renderer, sender };
}

/** Runs the side effects of sends: notices, and the calls of outgoing webhooks. */
function startSideEffects(
  frame: ServiceFrame,
  stores: Stores,
  { sender, pages }: Pick<MessagesContext, 'sender' | 'pages'>,
): void {
  const { clock, config, log, metrics } = frame;
  const effectPool = openPool(frame, 'side effects', sideEffectConnections);
  const { allowedNetworks, timeoutMs } = config.outgoingWebhooks;
  const callOptions = {
    clock,
    rules: new AddressRules(allowedNetworks),
    findAddresses: findAddressesInDns,
    timeoutMs,
  };
  const sideEffects = new SideEffectRunner({
    clock,
    pool: effectPool,
    redis: config.redis,
    handlers: {
      ...streamNotices({
        pool: stores.pool,
        send: async (message) => sender.sendSystemMessage(message),
      }),
      ...outgoingWebhooks({
        pool: effectPool,
        pages,
        keySecrets: deriveKeySecrets(config.keySecret.reveal(), config.keySecretPrevious?.reveal()),
        publicUrl: config.publicUrl,
        call: async (call, signal) => callService(call, callOptions, signal),
        send: async (request) => sender.send(request),
        metrics: new CallMetrics(clock, metrics.registry),
      }),
    },
    log: subjectLogger(log, 'messages:side-effects'),
    registry: metrics.registry,
  });
  sideEffects.start();
  frame.onDispose('side effects', () => sideEffects.stop());
  frame.onSettle('side effects', () => sideEffects.settle());
}

/** Takes answers to mails, if the configuration says where (decision 0055). */
function takeAnswers(
  frame: ServiceFrame,
  { pool, redis, keyPrefix }: Stores,
  { sender, uploads }: Pick<MessagesContext, 'sender' | 'uploads'>,
): void {
  const { clock, config, metrics } = frame;
  if (config.mailAnswers === undefined) return;
  const { addresses, days, lmtp } = config.mailAnswers;
  const log = subjectLogger(frame.log, 'messages:answers');
  const poster = new AnswerPoster({
    pool,
    addresses,
    days,
    sender,
    uploads,
    keySecrets: deriveKeySecrets(config.keySecret.reveal(), config.keySecretPrevious?.reveal()),
    fileMaxBytes: config.uploads.fileMaxBytes,
    rateLimiter: new RateLimiter({
      clock,
      redis,
      keyPrefix,
      limits: config.rateLimits,
      budgetsPerOwnerMax: config.budgetsPerOwnerMax,
      onRefused: () => undefined,
      onUncounted: (error) => log.warn({ err: error }, 'an answer by mail passed uncounted'),
    }),
  });
  frame.onListening(async () => {
    const listener = await AnswerListener.start({
      clock,
      ...lmtp,
      poster,
      log,
      registry: metrics.registry,
    });
    frame.onDrain('answers to mails', () => listener.stop());
    frame.onSettle('answers to mails', () => listener.isIdle);
  });
}

/** Connects the service to its stores and builds its app; the frame serves it. */
export async function startMessages(frame: ServiceFrame): Promise<RequestHandler> {
  const { clock, config, log, metrics } = frame;
  const files = await openFiles(frame);
  const stores = await connectStores(frame);
  keepLease(frame, stores);
  const { pool, eventLog } = stores;
  const sending = openSending(frame, stores);
  const deferredMessages = new DeferredMessages({
    clock,
    pool,
    eventLog,
    sender: sending.sender,
    log: subjectLogger(log, 'messages:deferred'),
    registry: metrics.registry,
  });
  // A time limit of the connection is free, but one of a statement needs a transaction around it.
  const costlyPool = openPool(frame, 'costly reads', costlyConnections, {
    statementTimeoutMs: Math.ceil(config.searchTimeoutMs),
  });
  const pages = new PageReader({ registry: metrics.registry });
  startSideEffects(frame, stores, { sender: sending.sender, pages });
  const uploads = new UploadFiles({
    pool,
    eventLog,
    files,
    quotaBytes: config.uploads.quotaBytes,
    log: subjectLogger(log, 'messages:files'),
    registry: metrics.registry,
  });
  takeAnswers(frame, stores, { sender: sending.sender, uploads });
  startMaintenance(
    frame,
    maintenanceOfMessages(pool, { uploads, deferredMessages, log }, frame.stopping),
  );
  return serveApi(frame, {
    implementations: endpoints,
    context: {
      clock,
      pool,
      eventLog,
      ...sending,
      deferredMessages,
      files,
      uploads,
      fileMaxBytes: config.uploads.fileMaxBytes,
      costlyPool,
      streamIds: new StreamIds(),
      pages,
      markingTurns: new Turns(),
      publicUrl: config.publicUrl,
    },
  }).handler;
}
