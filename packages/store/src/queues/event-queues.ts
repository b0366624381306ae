/** Event queues (owner of `event_queues`): the options given at register, and the time of the last poll. */
import { transactionTogether } from '@parley/database';
import type { Pool, Queryable, Statement } from '@parley/database';

export type EventQueueRow<Descriptor> = {
  readonly queueId: string;
  readonly userId: number;
  readonly startPosition: number;
  readonly epoch: number;
  readonly descriptor: Descriptor;
  readonly lifespanSecs: number;
  readonly client: string;
};

export type StoredEventQueue<Descriptor> = EventQueueRow<Descriptor> & {
  /** Seconds since the last recorded poll. */
  readonly idleSecs: number;
};

/**
 * The queues of an owner and the owner's bots are counted and stored by one transaction at a time, under an advisory lock of this number
 * and the owner's id.
 */
const queuesLock = 7_217_005;

/** Why a queue was not stored: its user, or an owner with all bots, has reached the bound. */
export type QueueRefusal = 'user' | 'owner';

/**
 * Stores queues, except those beyond the bounds of a user, or of an owner with all bots. Other registers of these users wait meanwhile.
 *
 * @returns why some were not stored, by queue id; no living queue is ended for a new one
 */
export async function insertEventQueues<Descriptor>(
  pool: Pool,
  queues: readonly EventQueueRow<Descriptor>[],
  bounds: { readonly perUserMax: number; readonly perOwnerMax: number },
): Promise<ReadonlyMap<string, QueueRefusal>> {
  // In ascending order, so that transactions with common users do not block each other in a circle.
  const lock: Statement = {
    name: 'store-lock-event-queues-of-owners',
    text: `SELECT pg_advisory_xact_lock($1, o.id)
           FROM (SELECT DISTINCT coalesce(u.bot_owner_id, u.id) AS id FROM users u WHERE u.id = ANY ($2::int[]) ORDER BY id) o`,
    values: [queuesLock, queues.map(({ userId }) => userId)],
  };
  const insert: Statement = {
    name: 'store-insert-event-queues-within-bounds',
    text: `WITH asked AS (
             SELECT q.*, coalesce(u.bot_owner_id, u.id) AS owner_id,
               row_number() OVER (PARTITION BY q.user_id ORDER BY q.ordinal) AS nth
             FROM unnest($1::text[], $2::int[], $3::bigint[], $4::int[], $5::jsonb[], $6::int[], $7::text[])
               WITH ORDINALITY AS q (queue_id, user_id, start_position, epoch, descriptor, lifespan_secs, client, ordinal)
             JOIN users u ON u.id = q.user_id
           ), owners AS (
             SELECT DISTINCT owner_id FROM asked
           ), accounts AS (
             SELECT owner_id AS user_id, owner_id FROM owners
             UNION ALL SELECT u.id, u.bot_owner_id FROM users u JOIN owners o ON u.bot_owner_id = o.owner_id
           ), known AS (
             SELECT user_id, c.owner_id, count(*) AS queues FROM accounts c JOIN event_queues e USING (user_id) GROUP BY 1, 2
           ), of_owner AS (
             SELECT k.owner_id, sum(k.queues) AS queues FROM known k GROUP BY k.owner_id
           ), fitting AS (
             SELECT a.*, row_number() OVER (PARTITION BY a.owner_id ORDER BY a.ordinal) AS nth_of_owner
             FROM asked a LEFT JOIN known k USING (user_id) WHERE coalesce(k.queues, 0) + a.nth <= $8
           ), stored AS (
             INSERT INTO event_queues (queue_id, user_id, start_position, epoch, descriptor, lifespan_secs, client)
             SELECT f.queue_id, f.user_id, f.start_position, f.epoch, f.descriptor, f.lifespan_secs, f.client
             FROM fitting f LEFT JOIN of_owner o USING (owner_id)
             WHERE coalesce(o.queues, 0) + f.nth_of_owner <= $9
             RETURNING queue_id
           )
           SELECT a.queue_id AS "queueId", CASE WHEN f.queue_id IS NULL THEN 'user' ELSE 'owner' END AS refusal
           FROM asked a LEFT JOIN fitting f USING (queue_id) WHERE a.queue_id NOT IN (SELECT queue_id FROM stored)`,
    values: [
      queues.map(({ queueId }) => queueId),
      queues.map(({ userId }) => userId),
      queues.map(({ startPosition }) => startPosition),
      queues.map(({ epoch }) => epoch),
      queues.map(({ descriptor }) => JSON.stringify(descriptor)),
      queues.map(({ lifespanSecs }) => lifespanSecs),
      queues.map(({ client }) => client),
      bounds.perUserMax,
      bounds.perOwnerMax,
    ],
  };
  const [, stored] = await transactionTogether<{ queueId: string; refusal: QueueRefusal }>(pool, [
    lock,
    insert,
  ]);
  return new Map((stored?.rows ?? []).map(({ queueId, refusal }) => [queueId, refusal]));
}

/** @returns the existing ones of the queues, in no particular order */
export async function findEventQueues<Descriptor>(
  database: Queryable,
  queueIds: readonly string[],
): Promise<StoredEventQueue<Descriptor>[]> {
  const { rows } = await database.query<StoredEventQueue<Descriptor>>({
    name: 'store-find-event-queues',
    text: `SELECT queue_id AS "queueId", user_id AS "userId", start_position AS "startPosition", epoch, descriptor,
             lifespan_secs AS "lifespanSecs", client,
             extract(epoch FROM parley_now() - last_polled_at)::float8 AS "idleSecs"
           FROM event_queues WHERE queue_id = ANY ($1::text[])`,
    values: [queueIds],
  });
  return rows;
}

export async function findEventQueue<Descriptor>(
  database: Queryable,
  queueId: string,
): Promise<StoredEventQueue<Descriptor> | undefined> {
  const [queue] = await findEventQueues<Descriptor>(database, [queueId]);
  return queue;
}

/** A queue as an operator sees it. */
export type ListedEventQueue = {
  readonly queueId: string;
  readonly userId: number;
  readonly email: string;
  readonly client: string;
  readonly startPosition: number;
  readonly epoch: number;
  readonly lifespanSecs: number;
  readonly createdAt: Date;
  /** Recorded at most once per tenth of the lifetime. */
  readonly lastPolledAt: Date;
  readonly idleSecs: number;
};

/** @returns the queues, the longest idle first */
export async function listEventQueues(
  database: Queryable,
  queuesMax: number,
): Promise<ListedEventQueue[]> {
  const { rows } = await database.query<ListedEventQueue>({
    text: `SELECT q.queue_id AS "queueId", q.user_id AS "userId", coalesce(u.delivery_email, u.email) AS email, q.client,
        q.start_position AS "startPosition", q.epoch, q.lifespan_secs AS "lifespanSecs", q.created_at AS "createdAt",
        q.last_polled_at AS "lastPolledAt", extract(epoch FROM parley_now() - q.last_polled_at)::float8 AS "idleSecs"
      FROM event_queues q JOIN users u ON u.id = q.user_id ORDER BY q.last_polled_at, q.queue_id LIMIT $1`,
    values: [queuesMax],
  });
  return rows;
}

/** @returns whether the queue existed and belonged to the user */
export async function deleteEventQueue(
  database: Queryable,
  queueId: string,
  userId: number,
): Promise<boolean> {
  const { rowCount } = await database.query({
    text: 'DELETE FROM event_queues WHERE queue_id = $1 AND user_id = $2',
    values: [queueId, userId],
  });
  return rowCount === 1;
}

/** Ends all queues of deactivated people. */
export async function deleteEventQueuesOf(
  database: Queryable,
  userIds: readonly number[],
): Promise<void> {
  await database.query({
    text: 'DELETE FROM event_queues WHERE user_id = ANY ($1::int[])',
    values: [userIds],
  });
}

/** Records that these queues are in use. Called in batches, for each queue at most once per tenth of its lifetime. */
export async function touchEventQueues(
  database: Queryable,
  queueIds: readonly string[],
): Promise<void> {
  await database.query({
    name: 'store-touch-event-queues',
    // In one order, because a queue may be polled at two nodes.
    text: `UPDATE event_queues SET last_polled_at = parley_now() WHERE queue_id IN (
      SELECT q.queue_id FROM event_queues q WHERE q.queue_id = ANY ($1::text[]) ORDER BY q.queue_id FOR NO KEY UPDATE)`,
    values: [queueIds],
  });
}

/** @returns the time on Postgres' clock from which the caller can keep queues alive */
export async function readClock(database: Queryable): Promise<Date> {
  const { rows } = await database.query<{ now: Date }>({ text: 'SELECT parley_now() AS now' });
  const clock = rows[0];
  if (clock === undefined) throw new Error('the clock gave nothing');
  return clock.now;
}

/**
 * Ends queues that were idle for their lifetime plus the time for which a poll may stay unrecorded: a tenth of the lifetime, and two
 * seconds for the shortest. All times are on Postgres' clock.
 *
 * @param reachableSince the time since which polls could always be recorded; idleness counts from it at the earliest, so that nobody loses
 *   a queue for a time when polls were impossible
 * @returns the ids of the ended queues
 */
export async function deleteIdleEventQueues(
  database: Queryable,
  reachableSince: Date,
): Promise<string[]> {
  const { rows } = await database.query<{ queueId: string }>({
    text: `DELETE FROM event_queues
           WHERE greatest(last_polled_at, $1) < parley_now() - make_interval(secs => lifespan_secs * 1.1 + 2)
           RETURNING queue_id AS "queueId"`,
    values: [reachableSince],
  });
  return rows.map((row) => row.queueId);
}
