import { limits, serviceUnavailable } from '@parley/contracts';
import { LogFollower, readEntriesForAudiences, readHead } from '@parley/event-log';
import type { LogHead } from '@parley/event-log';
import { serveApi, startUpkeep } from '@parley/http';
import type { ServiceFrame, StartService } from '@parley/http';
import { SharedPresence } from '@parley/presence-state';
import { connectForSubscriptions } from '@parley/redis';
import { connectStores, keepLease, openPool } from '@parley/service';
import {
  deriveKeySecrets,
  listHeldInStream,
  openEventMembers,
  privateConversationIdsOf,
  StreamTraffic,
} from '@parley/store';

import type { EventsContext } from './context.ts';
import { endpoints } from './endpoints/index.ts';
import { FlagReader } from './feed/flag-reader.ts';
import { createViewReads } from './feed/load-user-views.ts';
import { NodeFeed } from './feed/node-feed.ts';
import { SubscriberReader } from './feed/subscriber-reader.ts';
import { KeptState } from './initial-state/kept-state.ts';
import { newestPresence } from './initial-state/presence-state.ts';
import { maintenanceWorks } from './maintenance.ts';
import {
  countReads,
  countRefusals,
  countRefusedRegisters,
  countStreams,
  registerMetrics,
} from './metrics.ts';
import { AnswerStarts } from './queues/answer-starts.ts';
import { EventStreams } from './queues/event-stream.ts';
import { FairLine } from './queues/fair-line.ts';
import { Heartbeats } from './queues/heartbeats.ts';
import type { ReadContext } from './queues/queue-reader.ts';
import { QueueRegistry } from './queues/queue-registry.ts';
import { registerQueues } from './queues/register-queue.ts';
import type { RegisterLine } from './queues/register-queue.ts';
import { TypingEvents } from './typing/typing-events.ts';

const tailBounds = { entriesMax: 50_000, bytesMax: 64 * 1_048_576 };
/** Held polls of a node that drains are answered over this time. */
const drainSpreadMs = 500;
/** How long a user's view waits for this node to take what the view knows. */
const catchUpTimeoutMs = 5_000;
/** Of registers: a client waits longer than they may, and the bound on their number is above what a gateway can hold for clients. */
const registerLine = {
  batchMax: 16,
  waitingMax: 10_000,
  waitMaxMs: limits.registerWaitMaxMs,
};
/** So much of the connections may be taken for registers; polls, and what else there is to do, have the others. */
const registersShare = 1 / 4;
/** The follower reads the log on connections of its own: one for the head check, one for gaps. */
const followerConnections = 2;

/** Starts an events node. */
export const start: StartService = async (frame: ServiceFrame) => {
  const { config, log } = frame;
  const stores = await connectStores(frame);
  const keySecrets = deriveKeySecrets(
    config.keySecret.reveal(),
    config.keySecretPrevious?.reveal(),
  );
  const subscriber = connectForSubscriptions(config.redis, log);
  frame.onDispose('subscriber', () => subscriber.disconnect());

  const views = createViewReads(stores.pool);
  const feed: NodeFeed = new NodeFeed({
    tail: tailBounds,
    deliveriesMax: 2_000,
    loadView: async (userId) => {
      const loaded = await views.find(userId);
      if (loaded === undefined || !(await follower.waitFor(loaded.exactAt, catchUpTimeoutMs)))
        throw serviceUnavailable();
      return loaded;
    },
    findQueue: (queueId) => registry.peek(queueId),
    onUnreadableEntry: (error) => {
      // Without a lease gateways go to nodes of a newer release.
      log.fatal({ err: error }, 'the log holds an entry that this release cannot read');
    },
  });
  const registry = new QueueRegistry({ pool: stores.pool, feed, log });
  frame.onDispose('queues', () => registry.stop());

  const follower = await LogFollower.start({
    pool: openPool(frame, 'log follower', followerConnections),
    subscriber,
    keyPrefix: stores.keyPrefix,
    log,
    onStart: (head: LogHead) => feed.reset(head.endPosition),
    onEntries: (entries) => feed.take(entries),
    onReset: (head: LogHead) => feed.reset(head.endPosition),
  });
  frame.onDispose('log follower', () => follower.stop());
  frame.addReadinessCheck('log follower', () => {
    if (!follower.isCurrent(5_000) || !feed.canRead) throw new Error('the log is not followed');
  });

  startUpkeep(
    frame,
    maintenanceWorks({
      pool: stores.pool,
      eventLog: stores.eventLog,
      follower,
      feed,
      outageGraceMs: config.queues.outageGraceMs,
      log,
    }),
  );

  const typing = new TypingEvents({ eventLog: stores.eventLog, log });
  frame.onDispose('typing', () => typing.stop());

  const reads = countReads(frame.metrics.registry);
  const flags = new FlagReader(stores.pool);
  const subscribers = new SubscriberReader(stores.pool);
  const read: ReadContext = {
    registry,
    follower,
    canRead: () => feed.canRead,
    logAccess: {
      tail: feed.tail,
      conversationIdsOf: async (userId) => privateConversationIdsOf(stores.pool, userId),
      readEntries: async (range, audiences, entriesMax) => {
        reads.onReplayPage();
        return readEntriesForAudiences(stores.pool, range, audiences, entriesMax);
      },
      readBeginPosition: async () => (await readHead(stores.pool)).beginPosition,
      openSealed: (text) => openEventMembers(keySecrets, text),
      flagsOf: async (userId, messageId) => flags.of(userId, messageId),
      subscribersAt: (streamId, position) => subscribers.at(streamId, position),
      heldInStream: async (userId, streamId, upToMessageId) =>
        listHeldInStream(stores.pool, userId, streamId, upToMessageId),
    },
    heartbeats: new Heartbeats({
      minMs: config.queues.heartbeatMinMs,
      maxMs: config.queues.heartbeatMaxMs,
    }),
    draining: frame.stopping,
    onRefused: countRefusals(frame.metrics.registry),
    onAnswer: reads.onAnswer,
    onFullAnswer: reads.onFullAnswer,
    log,
  };
  const streams = new EventStreams(
    read,
    config.queues.stream,
    countStreams(frame.metrics.registry),
  );
  const onRegisterRefused = countRefusedRegisters(frame.metrics.registry);
  const registerBounds = {
    perUserMax: config.queues.perUserMax,
    onRefused: onRegisterRefused,
  };
  const registers: RegisterLine = new FairLine(
    {
      ...registerLine,
      batchesAtOnce: Math.max(1, Math.floor(config.database.poolMax * registersShare)),
    },
    onRegisterRefused,
    (requests) => registerQueues(stores.pool, requests, registerBounds),
  );
  const context: EventsContext = {
    ...stores,
    queues: config.queues,
    registers,
    traffic: new StreamTraffic(),
    keptState: new KeptState(),
    keySecrets,
    server: {
      mode: config.mode,
      publicUrl: config.publicUrl,
      uploadQuotaBytes: config.uploads.quotaBytes,
    },
    newestPresence: newestPresence(new SharedPresence(stores), log),
    typing,
    read,
    answerStarts: new AnswerStarts(),
    streams,
  };
  registerMetrics(frame.metrics.registry, {
    registry,
    feed,
    follower,
    streams,
    typing,
    subscribers,
    registers,
  });
  const { handler, links } = serveApi(frame, {
    endpoints,
    context,
    answerHeaders: { 'x-parley-node': config.nodeId },
  });
  // Drains run in reverse: the lease, registered once the node listens, is given up before, so whoever polls again finds another
  // holder.
  frame.onDrain('held polls and streams', () => {
    links.sayLeaving();
    return registry.finishTurns(drainSpreadMs);
  });
  keepLease(frame, stores, () => follower.isCurrent(2_000) && feed.canRead);
  return handler;
};
