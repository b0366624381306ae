/** Copies of a running Postgres, made like a base backup of files in its documentation. */
import { execFile } from 'node:child_process';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

import type { Client } from '@parley/database';
import { openTestPool } from '@parley/test-kit';

const run = promisify(execFile);

export async function withClient<Result>(
  url: string,
  work: (client: Client) => Promise<Result>,
): Promise<Result> {
  const pool = openTestPool(url);
  try {
    const client = await pool.connect();
    try {
      return await work(client);
    } finally {
      client.release();
    }
  } finally {
    await pool.end();
  }
}

/** @param dataDir as passed to `startPostgres` */
export const clusterOf = (dataDir: string): string => join(dataDir, 'cluster');

/** The owner of the cluster also owns the files that are put into it. */
export async function writeToCluster(cluster: string, name: string, text: string): Promise<void> {
  await writeFile(join(cluster, name), text);
  await run('chown', [`--reference=${cluster}`, join(cluster, name)]);
}

/** Copies data while it is in use; the archived or streamed log contains what makes the copy consistent. */
export async function copyWhileUsed(url: string, from: string, to: string): Promise<void> {
  await withClient(url, async (client) => {
    await client.query(`SELECT pg_backup_start('base', true)`);
    await run('cp', ['-a', from, to]);
    const { rows } = await client.query<{ labelfile: string }>('SELECT * FROM pg_backup_stop()');
    const cluster = clusterOf(to);
    for (const name of ['postmaster.pid', 'postmaster.opts', 'pg_wal'])
      await rm(join(cluster, name), { recursive: true, force: true });
    await mkdir(join(cluster, 'pg_wal'), { mode: 0o700 });
    await run('chown', [`--reference=${cluster}`, join(cluster, 'pg_wal')]);
    await writeToCluster(cluster, 'backup_label', rows[0]?.labelfile ?? '');
  });
}
