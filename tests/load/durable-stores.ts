import { chmod, mkdir, mkdtemp, rm, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import {
  diskFolder,
  removePostgresData,
  startPostgres,
  startRedis,
  testFolderPrefix,
} from '@parley/launcher/local-stores';
import type { RunningStore } from '@parley/launcher/local-stores';
import { openTestPool } from '@parley/test-kit';

/** The settings with which `docker-compose.yml` starts its stores. */
const postgresSettings = {
  max_connections: '400',
  shared_buffers: '256MB',
  max_wal_size: '4GB',
  log_min_error_statement: 'panic',
  // The containers' data has checksums, which make Postgres log the first hint bit of a page; the programs here cannot make them.
  wal_log_hints: 'on',
} as const;
const redisSettings = {
  appendonly: 'yes',
  appendfsync: 'everysec',
  'maxmemory-policy': 'noeviction',
} as const;

// The numbers in statfs of file systems that keep their files in memory: tmpfs and ramfs.
const kindsInMemory: ReadonlySet<number> = new Set([0x01_02_19_94, 0x85_84_58_f6]);

const shownSettings = [
  'server_version',
  'fsync',
  'synchronous_commit',
  'full_page_writes',
  'wal_sync_method',
  'wal_log_hints',
  'shared_buffers',
  'max_wal_size',
  'max_connections',
] as const;

/** Stores that keep their data on disk, as in production, and remove it when they stop. */
export type DurableStores = {
  readonly postgres: RunningStore;
  readonly redis: RunningStore;
  /** A folder for the run's files, on the same disk. */
  readonly folder: string;
  readonly stop: () => Promise<void>;
};

/** @throws Error if no folder for temporary files is on a disk */
async function makeFolderOnDisk(): Promise<string> {
  for (const parent of [tmpdir(), diskFolder]) {
    const { type } = await statfs(parent);
    if (kindsInMemory.has(type)) continue;
    const folder = await mkdtemp(join(parent, testFolderPrefix()));
    // Postgres may run as another user, who must be able to enter the folder.
    await chmod(folder, 0o711);
    return folder;
  }
  throw new Error('the folders of temporary files are in memory: name one on a disk in TMPDIR');
}

/**
 * Starts the embedded Postgres and a Redis on the disk, with the settings of `docker-compose.yml`.
 *
 * @param watched further settings of Postgres, for what it logs line by line
 * @throws Error if Postgres is set up so that it could lose acknowledged data
 */
export async function startDurableStores(watched?: {
  readonly settings: Readonly<Record<string, string>>;
  readonly log: (line: string) => void;
}): Promise<DurableStores> {
  const disposal = new AsyncDisposableStack();
  try {
    const folder = await makeFolderOnDisk();
    disposal.defer(() => rm(folder, { recursive: true, force: true }));
    const dataDir = join(folder, 'postgres');
    disposal.defer(() => removePostgresData(dataDir));
    const log = (): void => undefined;
    const postgres = await startPostgres({
      dataDir,
      log: watched?.log ?? log,
      settings: { ...postgresSettings, ...watched?.settings },
    });
    disposal.defer(() => postgres.stop());
    const redisFolder = join(folder, 'redis');
    await mkdir(redisFolder);
    const redis = await startRedis({ dir: redisFolder, log, settings: redisSettings });
    disposal.defer(() => redis.stop());
    const settings = await readStoreSettings(postgres.url);
    for (const name of ['fsync', 'synchronous_commit', 'full_page_writes'])
      if (settings[name] !== 'on') throw new Error(`Postgres runs with ${name} ${settings[name]}`);
    return { postgres, redis, folder, stop: () => disposal.disposeAsync() };
  } catch (error) {
    await disposal.disposeAsync();
    throw error;
  }
}

/** @returns the settings as Postgres reports them */
export async function readStoreSettings(
  databaseUrl: string,
): Promise<Readonly<Record<string, string>>> {
  const pool = openTestPool(databaseUrl);
  try {
    const { rows } = await pool.query<{ name: string; value: string }>({
      text: 'SELECT name, current_setting(name) AS value FROM unnest($1::text[]) AS name',
      values: [shownSettings],
    });
    return Object.fromEntries(rows.map(({ name, value }) => [name, value]));
  } finally {
    await pool.end();
  }
}
