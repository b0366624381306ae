import type { PositionedEntry } from './log-entry.ts';
import type { Queryable } from '@parley/database';

export type LogHead = {
  readonly epoch: number;
  /** The last assigned position. */
  readonly endPosition: number;
  /** Entries at or below this position may have been trimmed. */
  readonly beginPosition: number;
  /** The newest message id. */
  readonly messageId: number;
};

/** The state of the log when an epoch opened. Positions in (previousEndPosition, startPosition] never existed in this log. */
export type Epoch = {
  readonly epoch: number;
  readonly previousEndPosition: number;
  readonly startPosition: number;
};

const selectHead = `
  SELECT h.epoch, h.begin_position,
    greatest(coalesce(newest.position + newest.length - 1, 0), h.start_position) AS end_position,
    greatest(coalesce(newest.message_id, 0), h.start_message_id) AS message_id
  FROM log_head h
  LEFT JOIN LATERAL (SELECT e.position, e.length, e.message_id FROM log_entries e ORDER BY e.position DESC LIMIT 1) newest ON true`;

/** @returns the position of the last change of accounts, 0 if none is known: while it is unchanged, all accounts are */
export async function readNewestAccountChange(database: Queryable): Promise<number> {
  const { rows } = await database.query<{ position: number }>({
    name: 'newest-account-change',
    text: 'SELECT coalesce(max(position), 0) AS position FROM account_changes',
  });
  return rows[0]?.position ?? 0;
}

/**
 * Reads the head without a lock. In a REPEATABLE READ transaction it is the head of all other data read there: the position at which that
 * state is exact (architecture, Queues).
 */
export async function readHead(database: Queryable): Promise<LogHead> {
  const { rows } = await database.query<{
    epoch: number;
    begin_position: number;
    end_position: number;
    message_id: number;
  }>({
    name: 'log-head',
    text: selectHead,
  });
  const head = rows[0];
  if (head === undefined) throw new Error('the log has no head row');
  return {
    epoch: head.epoch,
    endPosition: head.end_position,
    beginPosition: head.begin_position,
    messageId: head.message_id,
  };
}

export type LogSize = {
  readonly bytes: number;
  readonly partitions: number;
  /** Postgres' estimate; -1 before its first statistics. */
  readonly entries: number;
  readonly newestAt: Date | null;
};

/** @returns the size of the log on disk, including its indexes */
export async function readLogSize(database: Queryable): Promise<LogSize> {
  const { rows } = await database.query<LogSize>({
    text: `SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0)::bigint AS bytes, count(*) AS partitions,
        coalesce(sum(c.reltuples) FILTER (WHERE c.reltuples >= 0), -1)::bigint AS entries,
        (SELECT e.appended_at FROM log_entries e ORDER BY e.position DESC LIMIT 1) AS "newestAt"
      FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid WHERE i.inhparent = 'log_entries'::regclass`,
  });
  const size = rows[0];
  if (size === undefined) throw new Error('the sum of the sizes gave nothing');
  return size;
}

export async function readEpochs(database: Queryable): Promise<Epoch[]> {
  const { rows } = await database.query<{
    epoch: number;
    previous_end_position: number;
    start_position: number;
  }>({
    text: 'SELECT epoch, previous_end_position, start_position FROM log_epochs ORDER BY epoch',
  });
  return rows.map((row) => ({
    epoch: row.epoch,
    previousEndPosition: row.previous_end_position,
    startPosition: row.start_position,
  }));
}

type EntryRow = {
  position: number;
  length: number;
  message_id: number;
  audience: number;
  payload: string;
};

function positionedEntry(row: EntryRow): PositionedEntry {
  return {
    position: row.position,
    length: row.length,
    messageId: row.message_id,
    audience: row.audience,
    payload: row.payload,
  };
}

/** Reads entries in order of position, beginning with the one that follows or contains `afterPosition + 1`. */
export async function readEntriesAfter(
  database: Queryable,
  afterPosition: number,
  entriesMax: number,
): Promise<PositionedEntry[]> {
  const { rows } = await database.query<EntryRow>({
    name: 'log-entries-after',
    text: `SELECT position, length, message_id, audience, payload FROM log_entries
           WHERE position > $1 ORDER BY position LIMIT $2`,
    values: [afterPosition, entriesMax],
  });
  return rows.map(positionedEntry);
}

/**
 * Reads one page of the entries that can concern a user, by their audience keys.
 *
 * @param range positions above `after` and up to `upTo`; an entry whose run only ends above `after` is included
 * @param audiences keys of `audienceKey`; undefined for every entry
 */
export async function readEntriesForAudiences(
  database: Queryable,
  range: { readonly after: number; readonly upTo: number },
  audiences: readonly number[] | undefined,
  entriesMax: number,
): Promise<PositionedEntry[]> {
  // A run may have begun at or below `after`, so the newest entry there is checked too.
  const from = `(SELECT coalesce(max(position), 0) FROM log_entries WHERE position <= $1)`;
  const { rows } =
    audiences === undefined
      ? await database.query<EntryRow>({
          name: 'log-entries-in-range',
          text: `SELECT position, length, message_id, audience, payload FROM log_entries
                 WHERE position >= ${from} AND position + length - 1 > $1 AND position <= $2 ORDER BY position LIMIT $3`,
          values: [range.after, range.upTo, entriesMax],
        })
      : await database.query<EntryRow>({
          name: 'log-entries-for-audiences',
          text: `SELECT e.position, e.length, e.message_id, e.audience, e.payload
                 FROM unnest($4::bigint[]) wanted
                 CROSS JOIN LATERAL (
                   SELECT * FROM log_entries e WHERE e.audience = wanted AND e.position >= ${from}
                     AND e.position + e.length - 1 > $1 AND e.position <= $2 ORDER BY e.position LIMIT $3) e
                 ORDER BY e.position LIMIT $3`,
          values: [range.after, range.upTo, entriesMax, audiences],
        });
  return rows.map(positionedEntry);
}

/** Entries with side effects: changes that contain some, or messages for which bots are called. */
export type EffectSource = 'changes' | 'messages';

const effectColumns = { changes: 'has_side_effects', messages: 'brings_calls' } as const;

/**
 * Reads entries with side effects, in order of position.
 *
 * @param range positions above `after` and up to `upTo`
 */
export async function readEntriesWithSideEffects(
  database: Queryable,
  source: EffectSource,
  range: { readonly after: number; readonly upTo: number },
  entriesMax: number,
): Promise<PositionedEntry[]> {
  const { rows } = await database.query<EntryRow>({
    name: `log-entries-with-effects-of-${source}`,
    text: `SELECT position, length, message_id, audience, payload FROM log_entries
           WHERE ${effectColumns[source]} AND position > $1 AND position <= $2 ORDER BY position LIMIT $3`,
    values: [range.after, range.upTo, entriesMax],
  });
  return rows.map(positionedEntry);
}

/** @returns the positions up to which the log's side effects are rows; entries above them are still needed */
export async function readSideEffectCursor(
  database: Queryable,
): Promise<Readonly<Record<EffectSource, number>>> {
  const { rows } = await database.query<Record<EffectSource, number>>({
    name: 'side-effect-cursors',
    text: 'SELECT position AS changes, message_position AS messages FROM side_effect_cursor',
  });
  const cursor = rows[0];
  if (cursor === undefined) throw new Error('the cursor of side effects has no row');
  return cursor;
}

/**
 * Checks without a lock whether side effects of the log are to be taken: some entry above the cursors has one, or the cursors are far behind.
 *
 * @param behindMax how many positions the cursors may be behind the head while no entry between has side effects
 */
export async function findSideEffectWork(database: Queryable, behindMax: number): Promise<boolean> {
  const { rows } = await database.query<{ has_work: boolean }>({
    name: 'side-effect-work',
    // With EXISTS instead of an order, a plan could scan the whole log.
    text: `SELECT (SELECT e.position FROM log_entries e
          WHERE e.has_side_effects AND e.position > c.position ORDER BY e.position LIMIT 1) IS NOT NULL
        OR (SELECT e.position FROM log_entries e
          WHERE e.brings_calls AND e.position > c.message_position ORDER BY e.position LIMIT 1) IS NOT NULL
        OR least(c.position, c.message_position) + $1 <= (SELECT max(e.position) FROM log_entries e) AS has_work
      FROM side_effect_cursor c`,
    values: [behindMax],
  });
  return rows[0]?.has_work === true;
}
