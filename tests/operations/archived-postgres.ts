/** A Postgres that archives its log, with a base backup, and its restoration to a named point, as `deploy/backups.md` describes it. */
import { execFile } from 'node:child_process';
import { chmod, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { createPool } from '@parley/database';
import type { Client } from '@parley/database';
import { findFreePort, makeTemporaryFolder, startPostgres } from '@parley/local-stores';
import type { RunningStore } from '@parley/local-stores';
import { waitUntil } from '@parley/test-kit';

const run = promisify(execFile);

export class ArchivedPostgres {
  readonly #folder: string;
  readonly #port: number;
  #running: RunningStore;
  #dataDir: string;

  static async start(): Promise<ArchivedPostgres> {
    const folder = await makeTemporaryFolder();
    // The system user that Postgres runs as writes here.
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

  /** Copies the data while it is in use; the archive has what makes the copy whole. */
  async takeBaseBackup(): Promise<void> {
    const backup = join(this.#folder, 'backup');
    await this.#withClient(async (client) => {
      await client.query(`SELECT pg_backup_start('base', true)`);
      await run('cp', ['-a', this.#dataDir, backup]);
      const { rows } = await client.query<{ labelfile: string }>('SELECT * FROM pg_backup_stop()');
      const cluster = join(backup, 'cluster');
      for (const name of ['postmaster.pid', 'postmaster.opts', 'pg_wal'])
        await rm(join(cluster, name), { recursive: true, force: true });
      await this.#asOwner(cluster, async () => {
        await mkdir(join(cluster, 'pg_wal'), { mode: 0o700 });
        await writeFile(join(cluster, 'backup_label'), rows[0]?.labelfile ?? '');
      });
    });
  }

  /** Names this moment, and waits until the archive has all that came before. */
  async markPoint(name: string): Promise<void> {
    await this.#withClient(async (client) => {
      await client.query('SELECT pg_create_restore_point($1)', [name]);
      await this.#archiveAll(client);
    });
  }

  /** Loses the data, with all that was not archived, and brings it back as it was at a named point. */
  async loseAndRestore(name: string): Promise<void> {
    await this.#withClient((client) => this.#archiveAll(client));
    process.kill(this.#running.pid, 'SIGKILL');
    await this.#running.exited;
    await rm(this.#dataDir, { recursive: true, force: true });
    this.#dataDir = join(this.#folder, 'second');
    const cluster = join(this.#dataDir, 'cluster');
    await run('cp', ['-a', join(this.#folder, 'backup'), this.#dataDir]);
    await this.#asOwner(cluster, () => writeFile(join(cluster, 'recovery.signal'), ''));
    this.#running = await launch(this.#folder, this.#port, this.#dataDir, {
      restore_command: `cp ${this.#folder}/archive/%f %p`,
      recovery_target_name: name,
      recovery_target_action: 'promote',
    });
    await waitUntil('Postgres takes changes', () =>
      this.#withClient(async (client) => {
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

  async #withClient<Result>(work: (client: Client) => Promise<Result>): Promise<Result> {
    const pool = createPool({
      databaseUrl: this.#running.url,
      applicationName: 'parley tests of backups',
      connectionsMax: 1,
      onError: () => undefined,
    });
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

  /** What is put into a cluster belongs to whom the cluster belongs to. */
  async #asOwner(cluster: string, work: () => Promise<void>): Promise<void> {
    await work();
    await run('chown', ['-R', `--reference=${cluster}`, cluster]);
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
