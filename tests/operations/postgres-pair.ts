/** A Postgres, a standby that streams from it, and an address for the current primary, as the runbook requires. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';

import { makeTemporaryFolder, startPostgres } from '@parley/launcher/local-stores';
import type { RunningStore } from '@parley/launcher/local-stores';
import { FaultProxy, waitUntil } from '@parley/test-kit';
import type { HeldBytes } from '@parley/test-kit';

import { clusterOf, copyWhileUsed, withClient, writeToCluster } from './postgres-copies.ts';

const standbyName = 'standby';

export class PostgresPair implements AsyncDisposable {
  readonly #folder: string;
  readonly #primary: RunningStore;
  readonly #proxy: FaultProxy;
  /** Between the standby and the primary. */
  readonly #replication: FaultProxy;
  #standby: RunningStore | undefined;

  static async start(): Promise<PostgresPair> {
    const folder = await makeTemporaryFolder();
    const primary = await launch(join(folder, 'primary'));
    const [proxy, replication] = [
      await FaultProxy.start(primary.url),
      await FaultProxy.start(primary.url),
    ];
    return new PostgresPair(folder, primary, proxy, replication);
  }

  private constructor(
    folder: string,
    primary: RunningStore,
    proxy: FaultProxy,
    replication: FaultProxy,
  ) {
    this.#folder = folder;
    this.#primary = primary;
    this.#proxy = proxy;
    this.#replication = replication;
  }

  /** The address of the current primary. */
  get url(): string {
    return this.#proxy.through(this.#primary.url);
  }

  /** Starts the standby; if it is synchronous, every commit waits for it. */
  async startStandby(kind: 'synchronous' | 'asynchronous'): Promise<void> {
    const { url } = this.#primary;
    const dataDir = join(this.#folder, 'standby');
    await withClient(url, (client) =>
      client.query('SELECT pg_create_physical_replication_slot($1, true)', [standbyName]),
    );
    await copyWhileUsed(url, join(this.#folder, 'primary'), dataDir);
    await writeToCluster(clusterOf(dataDir), 'standby.signal', '');
    const { username, password } = new URL(url);
    this.#standby = await launch(dataDir, {
      primary_conninfo: `host=127.0.0.1 port=${this.#replication.port} user=${username} password=${decodeURIComponent(password)} application_name=${standbyName}`,
      primary_slot_name: standbyName,
    });
    if (kind === 'synchronous')
      await withClient(url, async (client) => {
        await client.query(`ALTER SYSTEM SET synchronous_standby_names = '${standbyName}'`);
        await client.query('SELECT pg_reload_conf()');
      });
    const state = kind === 'synchronous' ? 'sync' : 'async';
    await waitUntil(`the standby is ${kind}`, async () => {
      const { rows } = await withClient(url, (client) =>
        client.query<{ sync_state: string; state: string }>(
          'SELECT sync_state, state FROM pg_stat_replication',
        ),
      );
      return rows.some((row) => row.sync_state === state && row.state === 'streaming');
    });
  }

  /** Cuts the standby off, although its connection stays open. */
  holdReplication(): HeldBytes {
    return this.#replication.holdBack('to-client');
  }

  /** Kills the primary. Its open connections are reset, and nothing answers at the address. */
  async losePrimary(): Promise<void> {
    this.#proxy.refuse(true);
    process.kill(this.#primary.pid, 'SIGKILL');
    await this.#primary.exited;
    this.#proxy.cut();
  }

  /** Makes the standby the primary, and the address point to it. */
  async promote(): Promise<void> {
    const standby = this.#standby;
    if (standby === undefined) throw new Error('there is no standby');
    await withClient(standby.url, (client) => client.query('SELECT pg_promote()'));
    this.#proxy.retarget(standby.url);
    this.#proxy.refuse(false);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#proxy.stop();
    await this.#replication.stop();
    await this.#standby?.stop();
    await this.#primary.stop();
    await rm(this.#folder, { recursive: true, force: true });
  }
}

function launch(
  dataDir: string,
  settings: Readonly<Record<string, string>> = {},
): Promise<RunningStore> {
  return startPostgres({
    dataDir,
    log: () => undefined,
    settings: { wal_level: 'replica', hot_standby: 'on', ...settings },
  });
}
