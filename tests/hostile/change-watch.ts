/** Records every row that changes in a database, with the exceptions below. */
import { botTypes } from '@parley/api';
import type { Pool } from '@parley/database';

/** What a refused request may change, and what changes without any request. */
const unwatchedTables: Readonly<Record<string, string>> = {
  service_leases: 'every process renews its lease twice a second',
  conversation_newest: 'made again from the messages every second',
  conversation_newest_upto: 'how far that has come',
  side_effects: 'what accepted changes bring about, run later',
  side_effect_cursor: 'how far the log was looked through for those',
  told_upto: 'how far the messages were looked through for whom they concern',
  messages_to_mail: 'whom accepted messages concern, found later',
  messages_to_push: 'as messages_to_mail',
  mentions_added: 'as messages_to_mail',
  files_to_remove:
    'a file is noted before its bytes come, so that one of a refused request is removed',
};

const unwatchedColumns: Readonly<Record<string, readonly string[]>> = {
  // A poll keeps its queue alive; the times are written in batches, now and then.
  event_queues: ['last_polled_at'],
};

// A silent log gets a tick every 40 seconds.
const ticks = `payload LIKE '%"kind":"tick"%'`;

/** The client name of outgoing-webhook bots, which send replies of services, and notices of missing ones, after accepted messages. */
const outgoingClientName = 'OutgoingWebhookResponse';

/** The topics of notices about new streams and new people. */
const topicsOfNotices: ReadonlySet<unknown> = new Set(['STREAM EVENTS', 'SIGNUPS']);

export type Change = {
  readonly transaction: string;
  readonly table: string;
  readonly operation: 'INSERT' | 'UPDATE' | 'DELETE';
  readonly row: Readonly<Record<string, unknown>>;
};

/** Rows and a checksum of each table. */
export type Digest = Readonly<Record<string, string>>;

const schema = `
  CREATE SCHEMA hostile;
  CREATE UNLOGGED TABLE hostile.changes (
    id bigint GENERATED ALWAYS AS IDENTITY, transaction text, table_name text, operation text, row_is jsonb
  );
  CREATE FUNCTION hostile.note() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF TG_OP = 'UPDATE' AND to_jsonb(OLD) - TG_ARGV[1]::text[] = to_jsonb(NEW) - TG_ARGV[1]::text[] THEN
      RETURN NULL;
    END IF;
    INSERT INTO hostile.changes (transaction, table_name, operation, row_is)
    VALUES (pg_current_xact_id()::text, TG_ARGV[0], TG_OP, CASE WHEN TG_OP = 'DELETE' THEN to_jsonb(OLD) ELSE to_jsonb(NEW) END);
    RETURN NULL;
  END $$;
`;

export class ChangeWatch {
  readonly #pool: Pool;
  readonly #tables: readonly string[];
  readonly #systemUsers: ReadonlySet<number>;
  #callingBots: ReadonlySet<number> = new Set();
  #changedByItself: ReadonlySet<string> = new Set();

  private constructor(pool: Pool, tables: readonly string[], systemUsers: ReadonlySet<number>) {
    this.#pool = pool;
    this.#tables = tables;
    this.#systemUsers = systemUsers;
  }

  /** Starts the watch: from now on a trigger records each changed row. */
  static async start(pool: Pool): Promise<ChangeWatch> {
    const { rows } = await pool.query<{ name: string }>({
      text: `SELECT relname AS name FROM pg_class
        WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition ORDER BY relname`,
    });
    const tables = rows.map(({ name }) => name).filter((name) => !(name in unwatchedTables));
    await pool.query({ text: schema });
    for (const table of tables)
      await pool.query({
        text: `CREATE TRIGGER hostile_note AFTER INSERT OR UPDATE OR DELETE ON ${table}
          FOR EACH ROW EXECUTE FUNCTION hostile.note('${table}', '{${(unwatchedColumns[table] ?? []).join(',')}}')`,
      });
    const system = await pool.query<{ id: number }>({
      text: 'SELECT id FROM users WHERE is_system',
    });
    return new ChangeWatch(pool, tables, new Set(system.rows.map(({ id }) => id)));
  }

  /** @returns the changes since the last call, without those that happen by themselves */
  async take(): Promise<Change[]> {
    const { rows } = await this.#pool.query<Change>({
      text: `DELETE FROM hostile.changes
        RETURNING transaction, table_name AS "table", operation, row_is AS "row"`,
    });
    if (rows.length > 0) await this.#readCallingBots();
    const [ofRequests, byItself] = [new Array<Change>(), new Array<Change>()];
    for (const changes of Map.groupBy(rows, ({ transaction }) => transaction).values())
      (this.#happensByItself(changes) ? byItself : ofRequests).push(...changes);
    this.#changedByItself = new Set(byItself.map(({ table }) => table));
    return ofRequests;
  }

  /** Whether this table had changes that the last `take` left out. */
  changedByItself(table: string): boolean {
    return this.#changedByItself.has(table);
  }

  /** @returns the digest of all watched tables; reads all their rows */
  async digest(): Promise<Digest> {
    const parts = this.#tables.map(
      (table) =>
        `SELECT '${table}' AS name, count(*) || ' ' || coalesce(bit_xor(hashtextextended(
          (to_jsonb(t) - '{${(unwatchedColumns[table] ?? []).join(',')}}'::text[])::text, 0)), 0) AS value FROM ${table} t${table === 'log_entries' ? ` WHERE NOT ${ticks}` : ''}`,
    );
    const { rows } = await this.#pool.query<{ name: string; value: string }>({
      text: parts.join(' UNION ALL '),
    });
    return Object.fromEntries(rows.map(({ name, value }) => [name, value]));
  }

  async #readCallingBots(): Promise<void> {
    const { rows } = await this.#pool.query<{ id: number }>({
      text: `SELECT id FROM users WHERE bot_type = ${botTypes.outgoingWebhook}`,
    });
    this.#callingBots = new Set(rows.map(({ id }) => id));
  }

  #happensByItself(changes: readonly Change[]): boolean {
    // System bots send notices about accepted changes, and to the owner of a bot whose send was refused (reference facts, messages
    // 4.1); their conversation is created first. Outgoing-webhook bots also send by themselves.
    const isNotice = changes.some(
      ({ table, row }) =>
        (table === 'messages' &&
          (this.#systemUsers.has(Number(row['sender_id'])) ||
            row['client'] === outgoingClientName)) ||
        (table === 'conversations' && this.#isOfNotices(row)),
    );
    // The first message of a stream is stored by the request that creates the stream.
    const makesStream = changes.some(
      ({ table, operation }) => table === 'streams' && operation === 'INSERT',
    );
    const isTick = changes.every(
      ({ table, row }) =>
        table === 'log_entries' && String(row['payload']).includes('"kind":"tick"'),
    );
    // A job makes an accepted export, and tells of it.
    const isExportMade = changes.some(
      ({ table, operation, row }) =>
        table === 'realm_exports' && operation === 'UPDATE' && row['deleted_at'] === null,
    );
    // A queue without polls ends.
    const isIdleQueue = changes.every(
      ({ table, operation }) => table === 'event_queues' && operation === 'DELETE',
    );
    return (isNotice && !makesStream) || isTick || isExportMade || isIdleQueue;
  }

  #isOfNotices({ topic_folded: topic, participant_ids: participants }: Change['row']): boolean {
    return Array.isArray(participants)
      ? participants.some(
          (id) => this.#systemUsers.has(Number(id)) || this.#callingBots.has(Number(id)),
        )
      : topicsOfNotices.has(topic);
  }
}
