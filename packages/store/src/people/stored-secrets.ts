import type { Queryable } from '@parley/database';

import { keyPurpose } from './api-keys.ts';
import { linkPurpose } from './invitations.ts';
import { configPurpose, tokenPurpose } from '../bots/bot-services.ts';
import { letterPurpose } from '../mails/mails.ts';
import { pushKeyPurpose } from '../notifications/push-keys.ts';
import { hashToStore, isCurrentHash, openEither, sealSecret } from '@parley/auth/secrets';
import type { KeySecrets } from '@parley/auth/secrets';

/**
 * Walks all data in tables that is encrypted under the key secret, to find out the secret of each row, or to re-encrypt it while the secret
 * is being replaced. Encrypted members of log entries are excluded; they are deleted with the log.
 */

type Row = {
  readonly id: number;
  /** The text by which purposes name the row. */
  readonly name: string;
  /** The columns that depend on the secret, in their order. */
  readonly stored: readonly (Buffer | null)[];
};

type SecretColumn =
  | { readonly column: string; readonly purpose: (name: string) => string }
  /** Has the keyed hash of the column before it. */
  | { readonly column: string; readonly isHash: true };

type SecretTable = {
  readonly id: string;
  /** The column by which purposes name a row, if not by its id. */
  readonly name?: string;
  readonly columns: readonly SecretColumn[];
};

const tables = {
  api_keys: {
    id: 'user_id',
    columns: [
      { column: 'key_encrypted', purpose: keyPurpose },
      { column: 'key_hash', isHash: true },
    ],
  },
  bot_services: {
    id: 'bot_id',
    columns: [
      { column: 'token_encrypted', purpose: tokenPurpose },
      { column: 'config_encrypted', purpose: configPurpose },
    ],
  },
  invitations: { id: 'id', columns: [{ column: 'link_encrypted', purpose: linkPurpose }] },
  mails: {
    id: 'id',
    name: 'message_id',
    columns: [{ column: 'letter_encrypted', purpose: letterPurpose }],
  },
  push_keys: { id: 'id', columns: [{ column: 'private_key_encrypted', purpose: pushKeyPurpose }] },
} as const satisfies Record<string, SecretTable>;

type TableName = keyof typeof tables;

/** The rows of one table that have something encrypted. */
export type StoredSecretCounts = {
  readonly current: number;
  /** Under the previous secret. */
  readonly previous: number;
  /** Ids of the rows that neither secret decrypts: those of accounts, for their keys and services. */
  readonly unreadable: readonly number[];
};

export type StoredSecrets = Readonly<Record<TableName, StoredSecretCounts>>;

/**
 * @returns the row's columns under the current secret
 * @throws Error if neither secret decrypts it
 */
function renewRow(
  secrets: KeySecrets,
  { columns }: SecretTable,
  { name, stored }: Row,
): (Buffer | null)[] {
  let opened = '';
  return columns.map((column, index) => {
    const found = stored[index] ?? null;
    if (found === null) return null;
    if ('isHash' in column)
      return isCurrentHash(secrets, opened, found) ? found : hashToStore(secrets, opened);
    const purpose = column.purpose(name);
    const { text, isCurrent } = openEither(secrets, found, purpose);
    opened = text;
    return isCurrent ? found : sealSecret(secrets, text, purpose);
  });
}

type RenewedRow = { readonly found: Row; readonly renewed: readonly (Buffer | null)[] };

type Walk = {
  readonly db: Queryable;
  readonly secrets: KeySecrets;
  /** Called with the rows of a batch that are under the previous secret; by default they stay unchanged. */
  readonly onPrevious?: (table: TableName, rows: readonly RenewedRow[]) => Promise<void>;
  readonly signal?: AbortSignal | undefined;
};

/** Bounds the rows that one statement locks, and so the longest wait for a change of a key. */
const rowsPerBatch = 500;

async function walkTable(walk: Walk, tableName: TableName): Promise<StoredSecretCounts> {
  const { db, secrets, onPrevious, signal } = walk;
  const table: SecretTable = tables[tableName];
  const { id } = table;
  const columns = table.columns.map(({ column }) => column).join(', ');
  const unreadable: number[] = [];
  let [current, previous, after] = [0, 0, 0];
  for (;;) {
    signal?.throwIfAborted();
    const { rows } = await db.query<Row>({
      text: `SELECT ${id} AS id, ${table.name ?? id}::text AS name, ARRAY[${columns}] AS stored FROM ${tableName}
        WHERE ${id} > $1 AND num_nonnulls(${columns}) > 0 ORDER BY ${id} LIMIT $2`,
      values: [after, rowsPerBatch],
    });
    const outdated: RenewedRow[] = [];
    for (const found of rows)
      try {
        const renewed = renewRow(secrets, table, found);
        if (renewed.every((value, index) => value === found.stored[index])) current += 1;
        else outdated.push({ found, renewed });
      } catch {
        unreadable.push(found.id);
      }
    previous += outdated.length;
    if (outdated.length > 0) await onPrevious?.(tableName, outdated);
    after = rows.at(-1)?.id ?? after;
    if (rows.length < rowsPerBatch) return { current, previous, unreadable };
  }
}

async function walkAll(walk: Walk): Promise<StoredSecrets> {
  return {
    api_keys: await walkTable(walk, 'api_keys'),
    bot_services: await walkTable(walk, 'bot_services'),
    invitations: await walkTable(walk, 'invitations'),
    mails: await walkTable(walk, 'mails'),
    push_keys: await walkTable(walk, 'push_keys'),
  };
}

/** @returns how many rows of all tables there are of each kind */
export function sumStoredSecrets(
  found: StoredSecrets,
): Readonly<Record<keyof StoredSecretCounts, number>> {
  const sum = (countOf: (counts: StoredSecretCounts) => number): number =>
    Object.values(found).reduce((total, counts) => total + countOf(counts), 0);
  return {
    current: sum(({ current }) => current),
    previous: sum(({ previous }) => previous),
    unreadable: sum(({ unreadable }) => unreadable.length),
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
  tableName: TableName,
  rows: readonly RenewedRow[],
): Promise<number> {
  const { id, columns }: SecretTable = tables[tableName];
  const names = columns.map(({ column }) => column);
  const list = (write: (column: string) => string, separator = ', '): string =>
    names.map(write).join(separator);
  const { rowCount } = await db.query({
    text: `UPDATE ${tableName} t SET ${list((column) => `${column} = n.new_${column}`)}
      FROM unnest($1::bigint[], ${[...names, ...names].map((_, index) => `$${index + 2}::bytea[]`).join(', ')})
        n (id, ${list((column) => `new_${column}`)}, ${list((column) => `found_${column}`)})
      WHERE t.${id} = n.id AND ${list((column) => `t.${column} IS NOT DISTINCT FROM n.found_${column}`, ' AND ')}`,
    values: [
      rows.map(({ found }) => found.id),
      ...names.map((_, index) => rows.map(({ renewed }) => renewed[index] ?? null)),
      ...names.map((_, index) => rows.map(({ found }) => found.stored[index] ?? null)),
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
    const isDone = sumStoredSecrets(found).previous === 0;
    if (isDone || pass === passesMax) return { renewed, found };
  }
}
