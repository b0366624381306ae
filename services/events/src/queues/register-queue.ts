import { randomBytes } from 'node:crypto';

import { badRequest } from '@parley/contracts';
import type { Pool, Queryable } from '@parley/database';
import { transaction } from '@parley/database';
import { readHead } from '@parley/event-log';
import { insertEventQueue } from '@parley/store';

import { mirrorOf } from './queue-descriptor.ts';
import type { QueueDescriptor } from './queue-descriptor.ts';

export type QueueRequest = {
  readonly userId: number;
  readonly descriptor: QueueDescriptor;
  readonly client: string;
  readonly lifespanSecs: number;
};

/** What a queue may ask for is stored and read as a whole, on every node that serves it. */
const descriptorBytesMax = 65_536;

export type RegisterBounds = {
  readonly perUserMax: number;
  readonly onRefused: (bound: 'queues' | 'descriptor') => void;
};

/** Digits and a colon only: clients put the id into URLs (reference facts, events 2). */
function newQueueId(): string {
  const digits = BigInt(`0x${randomBytes(12).toString('hex')}`);
  return `${Math.floor(Date.now() / 1_000)}:${digits}`;
}

/**
 * Registers a queue. Head and state are read in one snapshot; the queue begins at that head, so every later change arrives as an
 * event. It is stored before anything is answered.
 *
 * @param readState reads what is returned with the queue, inside the snapshot
 * @throws ApiError BAD_REQUEST when the user has as many queues as one may have, or the queue asks for too much
 */
export async function registerQueue(
  pool: Pool,
  request: QueueRequest,
  bounds: RegisterBounds,
  readState: (snapshot: Queryable) => Promise<Record<string, unknown>>,
): Promise<{
  readonly queueId: string;
  readonly lastEventId: number;
  readonly state: Record<string, unknown>;
}> {
  const descriptor: QueueDescriptor = { ...request.descriptor, ...mirrorOf(request.client) };
  if (Buffer.byteLength(JSON.stringify(descriptor)) > descriptorBytesMax) {
    bounds.onRefused('descriptor');
    throw badRequest(
      `The filters of an event queue are too long (maximum ${descriptorBytesMax} bytes).`,
    );
  }
  const { head, state } = await transaction(
    pool,
    async (snapshot) => ({ head: await readHead(snapshot), state: await readState(snapshot) }),
    'REPEATABLE READ, READ ONLY',
  );
  const queueId = newQueueId();
  const isStored = await transaction(pool, (client) =>
    insertEventQueue(
      client,
      {
        queueId,
        userId: request.userId,
        startPosition: head.endPosition,
        epoch: head.epoch,
        descriptor,
        lifespanSecs: request.lifespanSecs,
        client: request.client,
      },
      bounds.perUserMax,
    ),
  );
  if (!isStored) {
    bounds.onRefused('queues');
    throw badRequest(
      `You have as many event queues as one may have (maximum ${bounds.perUserMax}).`,
    );
  }
  return { queueId, lastEventId: head.endPosition, state };
}

/**
 * @param askedSecs what the client asked for; 0 means the default (reference facts, events 2)
 * @returns the idle lifetime of a queue in seconds
 */
export function lifespanOf(
  askedSecs: number,
  bounds: { readonly lifetimeSecs: number; readonly lifetimeMaxSecs: number },
): number {
  return askedSecs === 0 ? bounds.lifetimeSecs : Math.min(askedSecs, bounds.lifetimeMaxSecs);
}
