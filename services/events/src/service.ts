import { serviceUnavailable } from '@parley/api';
import { LogFollower, readEntriesForAudiences, readHead } from '@parley/event-log';
import type { LogHead } from '@parley/event-log';
import {
  awaitStore,
  connectStores,
  keepLease,
  openPool,
  serveApi,
  startMaintenance,
} from '@parley/server';
import type { ServiceFrame, StartService, Stores } from '@parley/server';
import { SharedPresence } from '@parley/store/presence-state';
import { connectForSubscriptions } from '@parley/cluster/redis';
import { BatchedReads } from '@parley/database';
import { deriveKeySecrets, openEventMembers } from '@parley/auth/secrets';
import {
  StreamTraffic,
  findFirstMessageUpTo,
  listFlagsOfHolders,
  listHeldInStreams,
  namesOfFlags,
  privateConversationIdsOf,
} from '@parley/store';
import type { KeySecrets } from '@parley/auth/secrets';
import type { HeldRange, MessageOfUser } from '@parley/store';

import type { EventsContext } from './context.ts';
import { endpoints } from './endpoints/index.ts';
import { createViewReads } from './feed/load-user-views.ts';
import { NodeFeed } from './feed/node-feed.ts';
import { SubscriberReader } from './feed/subscriber-reader.ts';
import { KeptState } from './initial-state/kept-state.ts';
import { MemberLists } from './initial-state/member-lists.ts';
import { newestPresence } from './initial-state/presence-state.ts';
import { maintenanceTasks } from './maintenance.ts';
import { countReads, countRefusals, countRefusedRegisters, registerMetrics } from './metrics.ts';
import { EventTexts } from './queues/event-texts.ts';
import { Heartbeats } from './queues/heartbeats.ts';
import type { ReadContext } from './queues/queue-reader.ts';
import { QueueRegistry } from './queues/queue-registry.ts';
import { registerQueues } from './queues/register-queue.ts';
import { RegisterLine } from './queues/register-line.ts';

const tailBounds = { entriesMax: 50_000, bytesMax: 64 * 1_048_576 };
/** When a node drains, its held polls are answered spread over this time. */
const drainSpreadMs = 500;
/** How long a user's view waits until this node has applied the entries that the view includes. */
const catchUpTimeoutMs = 5_000;
/** For the lists of subscribers that registers answer: about six million memberships. */
const memberListsMaxBytes = 32 * 1_048_576;
/** The part of the connections that registers may use; polls and other work have the rest. */
const registersShare = 1 / 4;
/** For a message that is edited before a large audience. One statement for many reads takes far less time than a poll may. */
const flagReads = { keysPerRead: 1_000, readsAtOnce: 2 };
/** For many people who leave a stream at once. Each answer may hold 50,000 ids. */
const heldReads = { keysPerRead: 50, readsAtOnce: 2 };
/** The follower has its own connections to read the log: one for the head check, one for gaps. */
const followerConnections = 2;

type Feeding = {
  readonly feed: NodeFeed;
  readonly registry: QueueRegistry;
  readonly follower: LogFollower;
};

/** Follows the log, and feeds the queues of this node from it. */
async function followLog(frame: ServiceFrame, stores: Stores): Promise<Feeding> {
  const { clock, config, log } = frame;
  const subscriber = connectForSubscriptions(config.redis, log, clock);
  frame.onDispose('subscriber', () => subscriber.disconnect());
  const views = createViewReads(stores.pool);
  const feed: NodeFeed = new NodeFeed({
    tail: tailBounds,
    deliveriesMax: 2_000,
    loadView: async (userId) => {
      const loaded = await views.get(userId);
      if (!(await follower.waitFor(loaded.exactAt, catchUpTimeoutMs))) throw serviceUnavailable();
      return loaded;
    },
    findQueue: (queueId) => registry.peek(queueId),
    onUnreadableEntry: (error) => {
      // Without a lease, gateways use nodes of a newer release.
      log.fatal({ err: error }, 'the log holds an entry that this release cannot read');
    },
  });
  const registry = new QueueRegistry({ clock, pool: stores.pool, feed, log });
  frame.onDispose('queues', () => registry.stop());
  frame.onSettle('queues', () => registry.settle());
  const pool = openPool(frame, 'log follower', followerConnections);
  const follower = await awaitStore(frame, 'Postgres', () =>
    LogFollower.start({
      clock,
      pool,
      subscriber,
      keyPrefix: stores.keyPrefix,
      log,
      onStart: (head: LogHead) => feed.reset(head.endPosition),
      onEntries: (entries) => feed.take(entries),
      onReset: (head: LogHead) => feed.reset(head.endPosition),
    }),
  );
  frame.onDispose('log follower', () => follower.stop());
  frame.onSettle('log follower', () => follower.settle());
  frame.addReadinessCheck('log follower', () => {
    if (!follower.isCurrent(5_000) || !feed.canRead) throw new Error('the log is not followed');
  });
  return { feed, registry, follower };
}

/** The tools for reading queues, with readers for data that is not in this node's memory. */
function createReadContext(
  frame: ServiceFrame,
  { pool }: Stores,
  { feed, registry, follower }: Feeding,
  more: {
    readonly draining: AbortSignal;
    readonly keySecrets: KeySecrets;
    readonly subscribers: SubscriberReader;
  },
): ReadContext {
  const { clock, config, log, metrics } = frame;
  const reads = countReads(metrics.registry);
  const flags = new BatchedReads<MessageOfUser, string[]>(async (messages) => {
    const bits = await listFlagsOfHolders(pool, messages);
    return new Map(messages.map((message, index) => [message, namesOfFlags(bits[index] ?? 0)]));
  }, flagReads);
  const held = new BatchedReads<HeldRange, number[]>(async (ranges) => {
    const ids = await listHeldInStreams(pool, ranges);
    return new Map(ranges.map((range, index) => [range, ids[index] ?? []]));
  }, heldReads);
  return {
    clock,
    registry,
    follower,
    canRead: () => feed.canRead,
    logAccess: {
      tail: feed.tail,
      conversationIdsOf: async (userId) => privateConversationIdsOf(pool, userId),
      readEntries: async (range, audiences, entriesMax) => {
        reads.onReplayPage();
        return readEntriesForAudiences(pool, range, audiences, entriesMax);
      },
      readBeginPosition: async () => (await readHead(pool)).beginPosition,
      openSealed: (text) => openEventMembers(more.keySecrets, text),
      flagsOf: (message) => flags.get(message),
      subscribersAt: (streamId, position) => more.subscribers.at(streamId, position),
      firstMessageUpTo: async (streamId, messageId) =>
        findFirstMessageUpTo(pool, streamId, messageId),
      heldInStream: (range) => held.get(range),
    },
    heartbeats: new Heartbeats(clock, {
      minMs: config.queues.heartbeatMinMs,
      maxMs: config.queues.heartbeatMaxMs,
    }),
    draining: more.draining,
    onRefused: countRefusals(metrics.registry),
    onAnswer: reads.onAnswer,
    onFullAnswer: reads.onFullAnswer,
    log,
  };
}

/** @returns the line where registers wait, served in batches */
function openRegisterLine(
  { clock, config, metrics }: ServiceFrame,
  { pool }: Stores,
): RegisterLine {
  const onRefused = countRefusedRegisters(metrics.registry);
  const { perUserMax } = config.queues;
  const bounds = { perUserMax, perOwnerMax: perUserMax * config.budgetsPerOwnerMax, onRefused };
  return new RegisterLine(clock, {
    batchesAtOnce: Math.max(1, Math.floor(config.database.poolMax * registersShare)),
    onRefused,
    serve: (requests) => registerQueues({ clock, pool }, requests, bounds),
  });
}

/** Starts an event node. */
export const startEvents: StartService = async (frame: ServiceFrame) => {
  const { clock, config, log, metrics } = frame;
  const stores = await connectStores(frame);
  const keySecrets = deriveKeySecrets(
    config.keySecret.reveal(),
    config.keySecretPrevious?.reveal(),
  );
  const feeding = await followLog(frame, stores);
  const { feed, registry, follower } = feeding;
  startMaintenance(
    frame,
    maintenanceTasks({
      pool: stores.pool,
      eventLog: stores.eventLog,
      follower,
      feed,
      outageGraceMs: config.queues.outageGraceMs,
      log,
    }),
  );
  const draining = new AbortController();
  const subscribers = new SubscriberReader(stores.pool);
  const read = createReadContext(frame, stores, feeding, {
    draining: draining.signal,
    keySecrets,
    subscribers,
  });
  const registers = openRegisterLine(frame, stores);
  const memberLists = new MemberLists(memberListsMaxBytes);
  const context: EventsContext = {
    ...stores,
    clock,
    queues: config.queues,
    registers,
    traffic: new StreamTraffic(clock),
    keptState: new KeptState(),
    memberLists,
    keySecrets,
    server: {
      mode: config.mode,
      usesSingleSignOn: config.identityProviders.length > 0,
      publicUrl: config.publicUrl,
      uploadQuotaBytes: config.uploads.quotaBytes,
    },
    newestPresence: newestPresence(new SharedPresence(stores), log, clock),
    read,
    texts: new EventTexts(),
  };
  registerMetrics(metrics.registry, {
    registry,
    feed,
    follower,
    subscribers,
    registers,
    memberLists,
  });
  const { handler, links } = serveApi(frame, {
    implementations: endpoints,
    context,
    answerHeaders: { 'x-parley-node': config.nodeId },
  });
  // Drains run in reverse. The lease, registered once the node listens, is given up before this, so a client that polls again finds another
  // holder.
  frame.onDrain('held polls and streams', () => {
    links.sayLeaving();
    draining.abort();
    return registry.finishTurns(drainSpreadMs);
  });
  keepLease(frame, stores, () => follower.isCurrent(2_000) && feed.canRead);
  return handler;
};
