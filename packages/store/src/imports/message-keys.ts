/**
 * The order of imported messages. The source gives each message's key and place in time once; the numbers that follow are looked up by key
 * while the messages themselves are written. The tables live in the transaction of the import and vanish with it.
 */
import type { Client } from '@parley/database';

/** The tables of an import are new and large, unlike those for which the connections' usual planner settings are made. */
export async function planForImports(client: Client): Promise<void> {
  await client.query(`SET LOCAL enable_seqscan = on; SET LOCAL enable_hashjoin = on; SET LOCAL enable_mergejoin = on;
    SET LOCAL plan_cache_mode = auto; SET LOCAL work_mem = '64MB'; SET LOCAL maintenance_work_mem = '128MB'; SET LOCAL jit = off`);
}

/** One message of the source. */
export type MessageKey = {
  /** Unique in the source. */
  readonly key: string;
  /** Its place in time: any number that ascends with it, equal ones in the order of addition. */
  readonly order: number;
  /** The stream or private conversation that it belongs to, by any name. */
  readonly scope: string;
};

/** Begins the list of messages. */
export async function beginMessageKeys(client: Client): Promise<void> {
  await client.query(`CREATE TEMP TABLE imported_keys (n bigint GENERATED ALWAYS AS IDENTITY, key text NOT NULL,
      sort_by double precision NOT NULL, scope text NOT NULL) ON COMMIT DROP`);
}

export async function addMessageKeys(client: Client, keys: readonly MessageKey[]): Promise<void> {
  await client.query({
    name: 'imports-add-keys',
    text: `INSERT INTO imported_keys (key, sort_by, scope)
      SELECT * FROM unnest($1::text[], $2::double precision[], $3::text[])`,
    values: [
      keys.map(({ key }) => key),
      keys.map(({ order }) => order),
      keys.map(({ scope }) => scope),
    ],
  });
}

/**
 * Numbers all messages in the order of time. A key that was added twice counts once, at its first place.
 *
 * @param lastId the id below the first new one
 * @returns how many messages there are
 */
export async function numberMessages(client: Client, lastId: number): Promise<number> {
  await client.query({
    text: `CREATE TEMP TABLE imported_numbers ON COMMIT DROP AS
      SELECT key, ${lastId}::bigint + row_number() OVER (ORDER BY sort_by, n) AS id,
        (row_number() OVER (PARTITION BY scope ORDER BY sort_by, n))::integer AS seq
      FROM (SELECT DISTINCT ON (key) key, sort_by, n, scope FROM imported_keys ORDER BY key, sort_by, n) k`,
  });
  const { rows } = await client.query<{ count: number }>(
    'SELECT count(*) AS count FROM imported_numbers',
  );
  await client.query(
    'DROP TABLE imported_keys; CREATE UNIQUE INDEX ON imported_numbers (key) INCLUDE (id, seq); ANALYZE imported_numbers',
  );
  return rows[0]?.count ?? 0;
}

/** The numbers of one message. */
export type MessageNumber = {
  readonly id: number;
  /** Its place in its stream or conversation, from 1 on without gaps. */
  readonly seq: number;
};

/** @returns the numbers by key; unknown keys are absent */
export async function findMessageNumbers(
  client: Client,
  keys: readonly string[],
): Promise<Map<string, MessageNumber>> {
  if (keys.length === 0) return new Map();
  const { rows } = await client.query<MessageNumber & { readonly key: string }>({
    name: 'imports-find-numbers',
    text: 'SELECT k.key, k.id, k.seq FROM imported_numbers k WHERE k.key = ANY ($1::text[])',
    values: [keys],
  });
  return new Map(rows.map(({ key, id, seq }) => [key, { id, seq }]));
}
