/** A Postgres that archives its log, with a base backup, and its restoration to a named point, as `deploy/backups.md` describes it. */
import { execFile } from 'node:child_process';
import { chmod, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

import type { Client } from '@parley/database';
import { findFreePort, makeTemporaryFolder, startPostgres } from '@parley/launcher/local-stores';
import type { RunningStore } from '@parley/launcher/local-stores';
import { waitUntil } from '@parley/test-kit';

import { clusterOf, copyWhileUsed, withClient, writeToCluster } from './postgres-copies.ts';

const run = promisify(execFile);

export class ArchivedPostgres {
  readonly #folder: string;
  readonly #port: number;
  #running: RunningStore;
  #dataDir: string;

  static async start(): Promise<ArchivedPostgres> {
    const folder = await makeTemporaryFolder();
    // Postgres' system user writes here.
    await mkdir(join(folder, 'archive'));
    await chmod(join(folder, 'archive'), 0o777);
    const port = await findFreePort();
    const dataDir = join(folder, 'first');
    return new ArchivedPostgres(folder, port, dataDir, await launch(folder, port, dataDir));
  }

  private constructor(folder: string, port: number, dataDir: string, running: RunningStore) {
    this.#folder = folder;
    this.#port = port;
    this.#dataDir = dataDir;
    this.#running = running;
  }

  get url(): string {
    return this.#running.url;
  }

  async takeBaseBackup(): Promise<void> {
    await copyWhileUsed(this.url, this.#dataDir, join(this.#folder, 'backup'));
  }

  /** Names this moment, and waits until everything before it is archived. */
  async markPoint(name: string): Promise<void> {
    await withClient(this.url, async (client) => {
      await client.query('SELECT pg_create_restore_point($1)', [name]);
      await this.#archiveAll(client);
    });
  }

  /** Deletes the data, with everything that was not archived, and restores it to a named point. */
  async loseAndRestore(name: string): Promise<void> {
    await withClient(this.url, (client) => this.#archiveAll(client));
    process.kill(this.#running.pid, 'SIGKILL');
    await this.#running.exited;
    await rm(this.#dataDir, { recursive: true, force: true });
    this.#dataDir = join(this.#folder, 'second');
    await run('cp', ['-a', join(this.#folder, 'backup'), this.#dataDir]);
    await writeToCluster(clusterOf(this.#dataDir), 'recovery.signal', '');
    this.#running = await launch(this.#folder, this.#port, this.#dataDir, {
      restore_command: `cp ${this.#folder}/archive/%f %p`,
      recovery_target_name: name,
      recovery_target_action: 'promote',
    });
    await waitUntil('Postgres takes changes', () =>
      withClient(this.url, async (client) => {
        const { rows } = await client.query<{ waits: boolean }>(
          'SELECT pg_is_in_recovery() AS waits',
        );
        return rows[0]?.waits === false;
      }),
    );
  }

  async stop(): Promise<void> {
    await this.#running.stop();
    await rm(this.#folder, { recursive: true, force: true });
  }

  async #archiveAll(client: Client): Promise<void> {
    const { rows } = await client.query<{ name: string }>(
      'SELECT pg_walfile_name(pg_switch_wal()) AS name',
    );
    const name = rows[0]?.name ?? '';
    await waitUntil('the log is archived', async () => {
      const archived = await client.query<{ last: string | null }>(
        'SELECT last_archived_wal AS last FROM pg_stat_archiver',
      );
      return (archived.rows[0]?.last ?? '') >= name;
    });
  }
}

function launch(
  folder: string,
  port: number,
  dataDir: string,
  settings: Readonly<Record<string, string>> = {},
): Promise<RunningStore> {
  return startPostgres({
    dataDir,
    port,
    log: () => undefined,
    settings: {
      wal_level: 'replica',
      archive_mode: 'on',
      archive_command: `test ! -f ${folder}/archive/%f && cp %p ${folder}/archive/%f`,
      ...settings,
    },
  });
}
