import { randomBytes } from 'node:crypto';

import {
  ApiError,
  badRequest,
  serviceUnavailable,
  tooManyEventQueues,
  tooManyEventQueuesOfOwner,
} from '@parley/api';
import type { Clock } from '@parley/clock';
import { SnapshotReads, snapshot } from '@parley/database';
import type { Pool } from '@parley/database';
import { readHead } from '@parley/event-log';
import type { LogHead } from '@parley/event-log';
import { isStoreFailure } from '@parley/server';
import type { HangUpSignal } from '@parley/api';
import { insertEventQueues } from '@parley/store';
import type { EventQueueRow, QueueRefusal } from '@parley/store';

import type { InitialState } from '../initial-state/fetch-types.ts';
import { mirrorClientOf } from './queue-descriptor.ts';
import type { QueueDescriptor } from './queue-descriptor.ts';

export type QueueRequest = {
  readonly userId: number;
  /** The user, or the owner of a bot. */
  readonly ownerId: number;
  readonly client: string;
  readonly lifespanSecs: number;
  /** No work is done for a client that is gone. */
  readonly signal: HangUpSignal;
  /** Describes the queue. An ApiError that it throws refuses this request. */
  readonly describe: (snapshot: SnapshotReads) => Promise<QueueDescriptor>;
  /** Reads the state that is returned with the queue. The epoch is that of the log in the snapshot. */
  readonly readState: (snapshot: SnapshotReads, epoch: number) => Promise<InitialState>;
};

export type RegisteredQueue = {
  readonly queueId: string;
  readonly lastEventId: number;
  readonly state: InitialState;
};

/** The options of a queue are stored and read as a whole, on every node that serves it. */
const descriptorBytesMax = 65_536;

/** What registers are served with. */
export type RegisterTools = { readonly clock: Clock; readonly pool: Pool };

export type RegisterBounds = {
  readonly perUserMax: number;
  /** For an owner with all bots. */
  readonly perOwnerMax: number;
  readonly onRefused: (bound: 'queues' | 'queues-of-owner' | 'descriptor') => void;
};

/** Digits and a colon only: clients put the id into URLs (reference facts, events 2). */
function newQueueId(clock: Clock): string {
  const digits = BigInt(`0x${randomBytes(12).toString('hex')}`);
  return `${Math.floor(clock.nowMs() / 1_000)}:${digits}`;
}

/**
 * Registers queues together. Head and all states are read in one snapshot, and the queues begin at that head, so every later change arrives
 * as an event. They are stored before anything is answered.
 *
 * A request is refused with an ApiError BAD_REQUEST if its user, or an owner with all bots, already has the permitted number of queues, or
 * if the queue asks for too much. A fault of one request does not affect the others, except when the store fails.
 *
 * @returns an outcome for each request, in order
 */
export async function registerQueues(
  tools: RegisterTools,
  requests: readonly QueueRequest[],
  bounds: RegisterBounds,
): Promise<PromiseSettledResult<RegisteredQueue>[]> {
  try {
    return await registerTogether(tools, requests, bounds);
  } catch (error) {
    if (requests.length === 1 || isStoreFailure(error))
      return requests.map(() => ({ status: 'rejected', reason: error }));
    // If Postgres refuses one request, the transaction of all ends.
    const outcomes: PromiseSettledResult<RegisteredQueue>[] = [];
    for (const request of requests)
      outcomes.push(...(await registerQueues(tools, [request], bounds)));
    return outcomes;
  }
}

type Described =
  | { readonly request: QueueRequest; readonly descriptor: QueueDescriptor }
  | { readonly refusal: ApiError };

type Draft =
  | { readonly queue: EventQueueRow<QueueDescriptor>; readonly state: RegisteredQueue['state'] }
  | { readonly refusal: ApiError };

async function registerTogether(
  { clock, pool }: RegisterTools,
  requests: readonly QueueRequest[],
  bounds: RegisterBounds,
): Promise<PromiseSettledResult<RegisteredQueue>[]> {
  const drafts = await snapshot(pool, async (database) => {
    const shared = new SnapshotReads(database);
    const [head, described] = await Promise.all([
      readHead(database),
      Promise.all(requests.map((request) => describeQueue(request, shared, bounds))),
    ]);
    const read: Draft[] = [];
    // One after the other, because a connection runs one statement at a time, and polls get their turns in between.
    for (const queue of described) read.push(await draft(queue, shared, head, clock));
    return read;
  });
  const queues = drafts.flatMap((item) => ('queue' in item ? [item.queue] : []));
  const refusals =
    queues.length === 0
      ? new Map<string, QueueRefusal>()
      : await insertEventQueues(pool, queues, bounds);
  return drafts.map((item) => {
    if ('refusal' in item) return { status: 'rejected', reason: item.refusal };
    const { queueId, startPosition } = item.queue;
    const refusal = refusals.get(queueId);
    if (refusal === undefined)
      return {
        status: 'fulfilled',
        value: { queueId, lastEventId: startPosition, state: item.state },
      };
    return { status: 'rejected', reason: refuse(refusal, bounds) };
  });
}

function refuse(refusal: QueueRefusal, bounds: RegisterBounds): ApiError {
  if (refusal === 'user') {
    bounds.onRefused('queues');
    return tooManyEventQueues(bounds.perUserMax);
  }
  bounds.onRefused('queues-of-owner');
  return tooManyEventQueuesOfOwner(bounds.perOwnerMax);
}

async function describeQueue(
  request: QueueRequest,
  shared: SnapshotReads,
  bounds: RegisterBounds,
): Promise<Described> {
  const { client, describe } = request;
  try {
    const descriptor = { ...(await describe(shared)), ...mirrorClientOf(client) };
    if (Buffer.byteLength(JSON.stringify(descriptor)) <= descriptorBytesMax)
      return { request, descriptor };
  } catch (error) {
    if (error instanceof ApiError) return { refusal: error };
    throw error;
  }
  bounds.onRefused('descriptor');
  const text = `The filters of an event queue are too long (maximum ${descriptorBytesMax} bytes).`;
  return { refusal: badRequest(text) };
}

async function draft(
  described: Described,
  shared: SnapshotReads,
  { endPosition: startPosition, epoch }: LogHead,
  clock: Clock,
): Promise<Draft> {
  if ('refusal' in described) return described;
  const { request, descriptor } = described;
  if (request.signal.aborted) return { refusal: serviceUnavailable() };
  const { userId, client, lifespanSecs } = request;
  try {
    const queueId = newQueueId(clock);
    return {
      queue: { queueId, userId, startPosition, epoch, descriptor, lifespanSecs, client },
      state: await request.readState(shared, epoch),
    };
  } catch (error) {
    if (error instanceof ApiError) return { refusal: error };
    throw error;
  }
}

/**
 * @param askedSecs from the client; 0 means the default (reference facts, events 2)
 * @returns the idle lifetime of a queue in seconds
 */
export function lifespanOf(
  askedSecs: number,
  bounds: { readonly lifetimeSecs: number; readonly lifetimeMaxSecs: number },
): number {
  return askedSecs === 0 ? bounds.lifetimeSecs : Math.min(askedSecs, bounds.lifetimeMaxSecs);
}
