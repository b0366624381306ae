/**
 * The only way into the log. A transaction that makes a change locks the head row last, in one round trip with its commit. So positions and
 * message ids are dense and in commit order, and a paused process never holds the head.
 */
import { pauseShortly } from '@parley/clock';
import type { Clock } from '@parley/clock';

import type { LogEntry, PositionedEntry } from './log-entry.ts';
import { entryLength, sideEffectsOf } from './log-entry.ts';
import { commitThroughGate, isUndone, runTogether } from '@parley/database';
import type { Client, Pool, Queryable, Statement } from '@parley/database';
import type { Logger } from '@parley/telemetry/logging';
import { accountsChannel } from '@parley/cluster/redis';
import type { Redis } from '@parley/cluster/redis';
import { inChildSpan } from '@parley/telemetry/tracing';
import { Counter } from 'prom-client';

import { openEpochIfNeeded } from './epochs.ts';
import { encodeHint, hintChannel } from './hint.ts';
import { ensurePartitionsFor } from './partitions.ts';
import { readHead } from './read-log.ts';

const anotherHistory = 'PL001';
const noPartition = '23514';
const serializationFailure = '40001';
const deadlockDetected = '40P01';

const attemptsMax = 5;
/** While another node creates the partition, repeats do not count as attempts. */
const partitionWaitMaxMs = 5_000;
const partitionRetryMs = 50;

const hintsLost = new Counter({
  name: 'parley_log_hints_lost_total',
  help: 'Commits whose hint could not be published; followers find them with their head check',
});

export type Append = {
  readonly entries: readonly { readonly entry: LogEntry; readonly audience: number }[];
  /** From `drawChangeId`: rows of the transaction refer to it, and it gets its position here. */
  readonly changeId?: number;
  /** Accounts whose credentials, role or activity changed; every gateway forgets them within a second. */
  readonly accountUserIds?: readonly number[];
  /**
   * Messages directly after the entries. Their keys are unique to the transaction, and their conversations were created or locked by it. A
   * message that is stale anyway, such as one in a stream that a later part of the transaction ends, is not sent.
   */
  readonly messages?: readonly SendItem[];
};

/** The result of a transaction's work. */
type Work<Result> = {
  readonly result: Result;
  readonly append?: Append | readonly Append[];
};

function positionsOf({ entries, messages = [] }: Append): number {
  return entries.reduce((sum, { entry }) => sum + entryLength(entry), messages.length);
}

function appendsOf({ append = [] }: Work<unknown>): readonly Append[] {
  return [append].flat();
}

type LaidOut = Omit<Append, 'entries' | 'messages'> & {
  readonly entries: readonly {
    readonly length: number;
    readonly audience: number;
    readonly payload: string;
    readonly hasSideEffects: boolean;
  }[];
  readonly messages: readonly SendItem[];
};

function layOut({ entries, messages = [], ...change }: Append): LaidOut {
  return {
    ...change,
    messages,
    entries: entries.map(({ entry, audience }) => ({
      length: entryLength(entry),
      audience,
      payload: JSON.stringify(entry),
      hasSideEffects: sideEffectsOf(entry).length > 0,
    })),
  };
}

/** Statements for up to this many entries are prepared. Larger ones are rare, and each number of entries needs a separate statement. */
const preparedEntriesMax = 16;

function appendStatement({ entries, changeId, accountUserIds }: LaidOut): Statement {
  // Each payload is a separate value: in a list, every quotation mark of a ten-megabyte entry would be escaped.
  const payloads = entries.map((_entry, index) => `$${index + 6}`).join(',');
  return {
    ...(entries.length <= preparedEntriesMax && { name: `log-append-${entries.length}` }),
    text: `SELECT * FROM log_append($1, $2, ARRAY[${payloads}]::text[], $3, $4, $5)`,
    values: [
      entries.map(({ length }) => length),
      entries.map(({ audience }) => audience),
      changeId ?? null,
      accountUserIds ?? null,
      entries.map(({ hasSideEffects }) => hasSideEffects),
      ...entries.map(({ payload }) => payload),
    ],
  };
}

/** Items as `send_messages` takes them. */
function itemsText(items: readonly SendItem[]): string {
  return JSON.stringify(items.map((item, ordinal) => ({ ordinal, ...item })));
}

/** A statement that writes to the log, with a reader of its result. */
type LogStatement = {
  readonly statement: Statement;
  readonly entriesOf: (rows: readonly SendRow[]) => PositionedEntry[];
};

function statementsOf(change: LaidOut): LogStatement[] {
  const { entries, messages } = change;
  const append = {
    statement: appendStatement(change),
    entriesOf: (rows: readonly LogRow[]) => appendedEntries(entries, rows),
  };
  if (messages.length === 0) return [append];
  return [
    append,
    {
      statement: { ...send, values: [itemsText(messages)] },
      entriesOf: (rows) => sentEntries(messages, rows),
    },
  ];
}

function appendedEntries(laidOut: LaidOut['entries'], rows: readonly LogRow[]): PositionedEntry[] {
  return rows.map((row, index): PositionedEntry => {
    const entry = laidOut[index];
    const { position, message_id: messageId } = row;
    if (entry === undefined || position === null || messageId === null)
      throw new Error('the log answered for an entry that was not appended');
    const { length, audience, payload } = entry;
    return { position, length, messageId, audience, payload };
  });
}

/** The fields of the SQL type `send_item` (`packages/database`), without `ordinal`. Absent ones are null. */
export type SendItem = {
  readonly send_key: string;
  readonly content_hash: string;
  readonly sender_id: number;
  readonly stream_id?: number;
  readonly stream_version?: number;
  readonly authority_id?: number;
  readonly may_be_first: boolean;
  readonly participant_ids?: readonly number[];
  readonly conversation_id: number;
  readonly recipient_id: number;
  readonly topic: string;
  readonly content: string;
  readonly rendered_content: string;
  readonly client: string;
  readonly sent_at_secs: number;
  readonly is_me_message: boolean;
  readonly has_link: boolean;
  readonly has_image: boolean;
  readonly has_attachment: boolean;
  readonly read_by_sender: boolean;
  readonly mentions_wildcard: boolean;
  readonly mentioned_ids: readonly number[];
  readonly late_receipt_ids: readonly number[];
  /** The people besides the sender for whom it is read from the start. */
  readonly read_by_ids?: readonly number[];
  readonly group_mentioned_ids?: readonly number[];
  readonly alert_word_ids?: readonly number[];
  readonly subject_links?: readonly string[];
  /** With ids from `drawSubmessageId` of the store. */
  readonly submessages?: readonly {
    readonly id: number;
    readonly msg_type: string;
    readonly content: string;
  }[];
  /** Uploads that the message links to and its sender may read. */
  readonly upload_path_ids?: readonly string[];
  /** The entry names bots that are called for it. */
  readonly brings_calls?: boolean;
  /** From `sentSearchWords` of the store. */
  readonly search_words: string;
  readonly has_more_words?: boolean;
  readonly audience: number;
  /** The MessageSentEntry as JSON text. */
  readonly payload: string;
  /**
   * An entry directly before the message's own if it is sent, for owners of linked files. The last element of each event's
   * `attachment.messages` is the message; the log fills in its id.
   */
  readonly upload_notice?: {
    readonly length: number;
    readonly audience: number;
    readonly payload: LogEntry;
  };
};

/** Nothing was sent to Postgres, so the outcome is known. The cause says why. */
export class NotSent extends Error {}

type SendRow = SentRow & Partial<NoticeRow>;

/** Of an item with `upload_notice`. */
type NoticeRow = {
  notice_position: number | null;
  notice_message_id: number | null;
  notice: string | null;
};

/** A place in the log; null for a message that was not sent. */
type LogRow = {
  message_id: number | null;
  position: number | null;
  epoch: number;
};

type SentRow = LogRow & {
  ordinal: number;
  outcome: SendOutcome['outcome'];
};

export type SendOutcome = {
  /**
   * `sent`; `repeated`: the key was used before for the same content, and `messageId` is that of the first message; `reused`: it was used
   * for other content; `busy`: it is in use at this moment, so try a later batch; `stale`: the checks no longer hold, so check again.
   */
  readonly outcome: 'sent' | 'repeated' | 'reused' | 'busy' | 'stale';
  readonly messageId: number | undefined;
  readonly position: number | undefined;
};

function sqlState(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

const send = { name: 'send-messages', text: 'SELECT * FROM send_messages($1::json)' };
const sendWithNotices = {
  name: 'send-messages-with-uploads',
  text: 'SELECT * FROM send_messages_with_uploads($1::json)',
};

function noticeOf(item: SendItem, row: SendRow): PositionedEntry[] {
  const {
    notice: payload = null,
    notice_position: position = null,
    notice_message_id: messageId = null,
  } = row;
  if (item.upload_notice === undefined) return [];
  if (payload === null || position === null || messageId === null) return [];
  const { length, audience } = item.upload_notice;
  return [{ position, length, messageId, audience, payload }];
}

/** @returns the entries of those messages of a batch that were sent */
function sentEntries(items: readonly SendItem[], rows: readonly SendRow[]): PositionedEntry[] {
  return rows.flatMap((row): PositionedEntry[] => {
    const item = items[row.ordinal];
    if (item === undefined || row.position === null || row.message_id === null) return [];
    return [
      ...noticeOf(item, row),
      {
        position: row.position,
        length: 1,
        messageId: row.message_id,
        audience: item.audience,
        payload: item.payload,
      },
    ];
  });
}

export class EventLog {
  readonly #clock: Clock;
  readonly #pool: Pool;
  readonly #redis: Redis;
  readonly #keyPrefix: string;
  readonly #log: Logger;
  readonly #onAccountsChanged: (userIds: readonly number[]) => void;

  /**
   * @param options.redis a connection for requests: it fails at once when Redis is away, which costs latency and nothing else
   * @param options.onAccountsChanged called with `accountUserIds` after the commit, in the context of the caller of `transaction`
   */
  constructor(options: {
    readonly clock: Clock;
    readonly pool: Pool;
    readonly redis: Redis;
    readonly keyPrefix: string;
    readonly log: Logger;
    readonly onAccountsChanged?: (userIds: readonly number[]) => void;
  }) {
    this.#clock = options.clock;
    this.#pool = options.pool;
    this.#redis = options.redis;
    this.#keyPrefix = options.keyPrefix;
    this.#log = options.log;
    this.#onAccountsChanged = options.onAccountsChanged ?? (() => undefined);
  }

  /** Draws the id of a change; rows written before the head point to it. */
  async drawChangeId(database: Queryable): Promise<number> {
    const { rows } = await database.query<{ id: number }>({
      name: 'draw-change-id',
      text: `SELECT nextval('change_ids') AS id`,
    });
    const drawn = rows[0];
    if (drawn === undefined) throw new Error('the sequence of changes gave nothing');
    return drawn.id;
  }

  /**
   * Makes a change with a known position, before a message that is already in the log. Periods that begin there hold the message.
   *
   * @param message its position in the log, and its id
   */
  async addChangeBefore(
    database: Queryable,
    message: { readonly position: number; readonly id: number },
  ): Promise<number> {
    const { rows } = await database.query<{ id: number }>({
      name: 'add-change-before',
      text: `INSERT INTO changes (id, position, message_id) VALUES (nextval('change_ids'), $1, $2::bigint - 1) RETURNING id`,
      values: [message.position, message.id],
    });
    const added = rows[0];
    if (added === undefined) throw new Error('the insertion of a change returned no row');
    return added.id;
  }

  /**
   * Runs `work` in a READ COMMITTED transaction. The `append` of its result is written to the log with the commit, then published as a
   * hint. If there are several changes, each gets its own position, in order. Locks are taken in the order users, streams, conversations,
   * messages, send keys, read state, each by id; after `work` nothing may wait. `work` runs again after a deadlock or after a repair of the
   * log, so it must do only database work.
   *
   * @throws errors of `work` or the database; after a lost connection the outcome may be unknown
   */
  async transaction<Result>(work: (client: Client) => Promise<Work<Result>>): Promise<Result> {
    let positions = 1;
    return this.#withRepairs(
      () => positions,
      async () =>
        this.#attempt(async (client) => {
          const done = await work(client);
          positions = appendsOf(done).reduce((sum, append) => sum + positionsOf(append), 0);
          return done;
        }),
    );
  }

  /** Runs `attempt` again if a repeat can succeed. */
  async #withRepairs<Result>(
    positionsWanted: () => number,
    attempt: () => Promise<Result>,
  ): Promise<Result> {
    for (let attempts = 1; ; attempts += 1) {
      try {
        return await attempt();
      } catch (error) {
        if (attempts === attemptsMax || !(await this.#repair(error, positionsWanted())))
          throw error;
      }
    }
  }

  async #attempt<Result>(work: (client: Client) => Promise<Work<Result>>): Promise<Result> {
    const client = await this.#pool.connect();
    let isBroken = false;
    try {
      await client.query('BEGIN');
      try {
        const done = await work(client);
        const appends = appendsOf(done);
        if (appends.length === 0) {
          await commitThroughGate(() => client.query('COMMIT'));
        } else {
          await inChildSpan('log append', () => this.#appendAndCommit(client, appends));
        }
        return done.result;
      } catch (error) {
        await client.query('ROLLBACK').catch(() => {
          isBroken = true;
        });
        throw error;
      }
    } finally {
      client.release(isBroken);
    }
  }

  async #appendAndCommit(client: Client, appends: readonly Append[]): Promise<void> {
    const changes = appends.map(layOut);
    const statements = changes.flatMap(statementsOf);
    // Between the lock on the head and the commit, Postgres waits for nothing.
    const answers = await commitThroughGate(() =>
      runTogether<SendRow>(client, [
        ...statements.map(({ statement }) => statement),
        { text: 'COMMIT' },
      ]),
    );
    const accountUserIds = changes.flatMap((change) => change.accountUserIds ?? []);
    if (accountUserIds.length > 0) {
      this.#onAccountsChanged(accountUserIds);
      this.#publish(accountsChannel(this.#keyPrefix), '');
    }
    const epoch = answers[0]?.rows[0]?.epoch;
    if (epoch === undefined) return;
    const entries = statements.flatMap(({ entriesOf }, index) =>
      entriesOf(answers[index]?.rows ?? []),
    );
    this.#publishEntries(epoch, entries);
  }

  /**
   * Sends a batch of messages in one statement of its own. Two items of a batch must not share a send key.
   *
   * @returns an outcome for each item, in order
   * @throws errors of the database; after a lost connection the outcome is unknown and the same items may be sent again
   */
  async sendMessages(items: readonly SendItem[]): Promise<SendOutcome[]> {
    const json = itemsText(items);
    const withNotices = items.some((item) => item.upload_notice !== undefined);
    return this.#withRepairs(
      () => items.reduce((sum, item) => sum + 1 + (item.upload_notice?.length ?? 0), 0),
      async () => {
        const rows = await this.#runSend(json, withNotices);
        const entries = sentEntries(items, rows);
        const epoch = rows[0]?.epoch;
        if (epoch !== undefined && entries.length > 0) this.#publishEntries(epoch, entries);
        if (rows.length !== items.length)
          throw new Error('a send was not judged: its sender does not exist');
        return rows.map((row) => ({
          outcome: row.outcome,
          messageId: row.message_id ?? undefined,
          position: row.position ?? undefined,
        }));
      },
    );
  }

  async #runSend(json: string, withNotices: boolean): Promise<SendRow[]> {
    const client = await this.#pool.connect().catch((error: unknown) => {
      throw new NotSent('Postgres cannot be reached', { cause: error });
    });
    let isBroken = true;
    try {
      const { rows } = await client.query<SendRow>({
        ...(withNotices ? sendWithNotices : send),
        values: [json],
      });
      isBroken = false;
      return rows;
    } catch (error) {
      isBroken = !isUndone(error);
      throw error;
    } finally {
      client.release(isBroken);
    }
  }

  /** Appends a tick if the newest entry is older than `olderThanSecs`. */
  async tick(olderThanSecs: number): Promise<void> {
    const payload = JSON.stringify({ v: 1, kind: 'tick' });
    // A silent log must check for another history of the database itself.
    const { rows } = await this.#withRepairs(
      () => 1,
      async () =>
        this.#pool.query<{ epoch: number; position: number; message_id: number }>({
          text: 'SELECT * FROM log_tick(make_interval(secs => $1), 0, $2)',
          values: [olderThanSecs, payload],
        }),
    );
    const appended = rows[0];
    if (appended === undefined) return;
    this.#publishEntries(appended.epoch, [
      {
        position: appended.position,
        length: 1,
        messageId: appended.message_id,
        audience: 0,
        payload,
      },
    ]);
  }

  /** @returns whether a repeat can succeed, after the necessary repair */
  async #repair(error: unknown, positionsWanted: number): Promise<boolean> {
    switch (sqlState(error)) {
      case serializationFailure:
      case deadlockDetected:
        return true;
      case anotherHistory:
        this.#log.warn('the database is on another history: opening a new epoch of the log');
        await openEpochIfNeeded(this.#pool);
        return true;
      case noPartition: {
        const untilMs = this.#clock.elapsedMs() + partitionWaitMaxMs;
        for (;;) {
          const { endPosition } = await readHead(this.#pool);
          const isThere = await ensurePartitionsFor(
            this.#pool,
            endPosition + 1,
            endPosition + positionsWanted,
          );
          if (isThere) return true;
          if (this.#clock.elapsedMs() > untilMs) return false;
          await pauseShortly(this.#clock, partitionRetryMs);
        }
      }
      default:
        return false;
    }
  }

  #publishEntries(epoch: number, entries: readonly PositionedEntry[]): void {
    this.#publish(hintChannel(this.#keyPrefix), encodeHint({ epoch, entries }));
  }

  #publish(channel: string, hint: string): void {
    inChildSpan('publish hint', () => this.#redis.publish(channel, hint), {
      kind: 'client',
    }).catch((error: unknown) => {
      hintsLost.inc();
      this.#log.debug({ err: error }, 'a hint could not be published');
    });
  }
}
