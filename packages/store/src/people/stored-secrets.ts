import type { Queryable } from '@parley/database';

import { keyPurpose } from './api-keys.ts';
import { configPurpose, tokenPurpose } from '../bots/bot-services.ts';
import { hashToStore, isCurrentHash, openEither, sealSecret } from '@parley/secrets';
import type { KeySecrets } from '@parley/secrets';

/**
 * Walks all data in tables that is encrypted under the key secret, to find out the secret of each row, or to re-encrypt it while the secret
 * is being replaced. Encrypted members of log entries are excluded; they are deleted with the log.
 */

type Row = { readonly id: number; readonly one: Buffer | null; readonly other: Buffer | null };

type SecretTable = {
  readonly name: string;
  readonly id: string;
  readonly columns: readonly [string, string];
  /**
   * @returns the row under the current secret: the same object if it is already
   * @throws Error if neither secret decrypts it
   */
  readonly renew: (secrets: KeySecrets, row: Row) => Row;
};

function renewSealed(secrets: KeySecrets, sealed: Buffer | null, purpose: string): Buffer | null {
  if (sealed === null) return null;
  const { text, isCurrent } = openEither(secrets, sealed, purpose);
  return isCurrent ? sealed : sealSecret(secrets, text, purpose);
}

const tables = {
  apiKeys: {
    name: 'api_keys',
    id: 'user_id',
    columns: ['key_hash', 'key_encrypted'],
    renew: (secrets, row) => {
      const purpose = keyPurpose(row.id);
      const { text, isCurrent } = openEither(secrets, row.other ?? Buffer.alloc(0), purpose);
      if (isCurrent && row.one !== null && isCurrentHash(secrets, text, row.one)) return row;
      const other = sealSecret(secrets, text, purpose);
      return { id: row.id, one: hashToStore(secrets, text), other };
    },
  },
  botServices: {
    name: 'bot_services',
    id: 'bot_id',
    columns: ['token_encrypted', 'config_encrypted'],
    renew: (secrets, row) => {
      const one = renewSealed(secrets, row.one, tokenPurpose(row.id));
      const other = renewSealed(secrets, row.other, configPurpose(row.id));
      return one === row.one && other === row.other ? row : { id: row.id, one, other };
    },
  },
} as const satisfies Record<string, SecretTable>;

/** Rows of one table. */
export type StoredSecretCounts = {
  readonly current: number;
  /** Under the previous secret. */
  readonly previous: number;
  /** Ids of the accounts whose row neither secret decrypts. */
  readonly unreadable: readonly number[];
};

export type StoredSecrets = Readonly<Record<keyof typeof tables, StoredSecretCounts>>;

type Walk = {
  readonly db: Queryable;
  readonly secrets: KeySecrets;
  /** Called with the rows of a batch that are under the previous secret; by default they stay unchanged. */
  readonly onPrevious?: (
    table: SecretTable,
    rows: readonly { readonly found: Row; readonly renewed: Row }[],
  ) => Promise<void>;
  readonly signal?: AbortSignal | undefined;
};

/** Bounds the rows that one statement locks, and so the longest wait for a change of a key. */
const rowsPerBatch = 500;

async function walkTable(walk: Walk, table: SecretTable): Promise<StoredSecretCounts> {
  const { db, secrets, onPrevious, signal } = walk;
  const { name, id, columns } = table;
  const unreadable: number[] = [];
  let [current, previous, after] = [0, 0, 0];
  for (;;) {
    signal?.throwIfAborted();
    const { rows } = await db.query<Row>({
      text: `SELECT ${id} AS id, ${columns[0]} AS one, ${columns[1]} AS other FROM ${name} WHERE ${id} > $1 ORDER BY ${id} LIMIT $2`,
      values: [after, rowsPerBatch],
    });
    const outdated: { found: Row; renewed: Row }[] = [];
    for (const found of rows)
      try {
        const renewed = table.renew(secrets, found);
        if (renewed === found) current += 1;
        else outdated.push({ found, renewed });
      } catch {
        unreadable.push(found.id);
      }
    previous += outdated.length;
    if (outdated.length > 0) await onPrevious?.(table, outdated);
    after = rows.at(-1)?.id ?? after;
    if (rows.length < rowsPerBatch) return { current, previous, unreadable };
  }
}

async function walkAll(walk: Walk): Promise<StoredSecrets> {
  return {
    apiKeys: await walkTable(walk, tables.apiKeys),
    botServices: await walkTable(walk, tables.botServices),
  };
}

/**
 * Finds out the secret of all stored data, in bounded batches; nothing is changed.
 *
 * @throws the signal's reason when that is aborted
 */
export async function countStoredSecrets(
  db: Queryable,
  secrets: KeySecrets,
  signal?: AbortSignal,
): Promise<StoredSecrets> {
  return walkAll({ db, secrets, signal });
}

/** Only unchanged rows: a key that was changed meanwhile is already under the current secret, and stays. */
async function replaceRows(
  db: Queryable,
  { name, id, columns: [one, other] }: SecretTable,
  rows: readonly { readonly found: Row; readonly renewed: Row }[],
): Promise<number> {
  const { rowCount } = await db.query({
    text: `UPDATE ${name} t SET ${one} = n.one, ${other} = n.other
      FROM unnest($1::int[], $2::bytea[], $3::bytea[], $4::bytea[], $5::bytea[]) n (id, one, other, found_one, found_other)
      WHERE t.${id} = n.id AND t.${one} IS NOT DISTINCT FROM n.found_one AND t.${other} IS NOT DISTINCT FROM n.found_other`,
    values: [
      rows.map(({ found }) => found.id),
      rows.map(({ renewed }) => renewed.one),
      rows.map(({ renewed }) => renewed.other),
      rows.map(({ found }) => found.one),
      rows.map(({ found }) => found.other),
    ],
  });
  return rowCount ?? 0;
}

export type RenewedSecrets = {
  /** The number of re-encrypted rows. */
  readonly renewed: number;
  /** The result of a last check. */
  readonly found: StoredSecrets;
};

/** Ends the work even if a process still writes under the previous secret. */
const passesMax = 3;

/**
 * Re-encrypts all data that is under the previous secret, in bounded batches while services run. It may be interrupted and started again,
 * and run if there is nothing to do.
 *
 * @throws the signal's reason when that is aborted
 */
export async function renewStoredSecrets(
  db: Queryable,
  secrets: KeySecrets,
  signal?: AbortSignal,
): Promise<RenewedSecrets> {
  let renewed = 0;
  const onPrevious: Walk['onPrevious'] = async (table, rows) => {
    renewed += await replaceRows(db, table, rows);
  };
  for (let pass = 1; ; pass += 1) {
    await walkAll({ db, secrets, onPrevious, signal });
    const found = await countStoredSecrets(db, secrets, signal);
    const isDone = found.apiKeys.previous + found.botServices.previous === 0;
    if (isDone || pass === passesMax) return { renewed, found };
  }
}
