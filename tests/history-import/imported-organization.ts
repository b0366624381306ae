/** Imports an archive into an installation of its own, and asks its services afterwards. */
import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { systemClock } from '@parley/clock';
import type { Pool } from '@parley/database';
import { deriveKeySecrets } from '@parley/secrets';
import { findApiKey, findSignInAccount } from '@parley/store';
import {
  ApiClient,
  createRedisPrefix,
  createTestDatabase,
  getTestStores,
  openTestPool,
  readObjects,
  startLocalCluster,
} from '@parley/test-kit';
import type { ClusterSettings, JsonObject } from '@parley/test-kit';

import { environmentOf, runParley, startParley } from '../support/run-parley.ts';
import type { Ended, Environment, Running } from '../support/run-parley.ts';

/** @returns what somebody may read, with the texts as they were written */
export async function readMessages(
  client: ApiClient,
  narrow: readonly Readonly<Record<string, string>>[] = [],
): Promise<JsonObject[]> {
  const answer = await client.get('messages', {
    anchor: 'newest',
    num_before: 1000,
    num_after: 0,
    narrow,
    apply_markdown: false,
  });
  return [...readObjects(answer, 'messages')];
}

export function contents(messages: readonly JsonObject[]): string[] {
  return messages.map(({ content }) => String(content));
}

/** @returns how somebody's request for a file is answered */
export async function statusOf({ urls, email, apiKey }: ApiClient, path: string): Promise<number> {
  const credentials = Buffer.from(`${email}:${apiKey}`).toString('base64');
  const answer = await fetch(`${urls[0]}${path}`, {
    headers: { authorization: `Basic ${credentials}` },
  });
  await answer.arrayBuffer();
  return answer.status;
}

function importWords(source: string, file: string, administrator: string): string[] {
  return ['import-from', source, file, '--administrator', administrator];
}

/** An installation for imports, without services until `start`. */
export class ImportTarget {
  readonly folder: string;
  readonly settings: ClusterSettings;
  readonly pool: Pool;
  readonly #undo: AsyncDisposableStack;

  constructor(folder: string, settings: ClusterSettings, pool: Pool, undo: AsyncDisposableStack) {
    this.folder = folder;
    this.settings = settings;
    this.pool = pool;
    this.#undo = undo;
  }

  static async create(): Promise<ImportTarget> {
    const undo = new AsyncDisposableStack();
    const folder = await mkdtemp(join(tmpdir(), 'parley-import-test-'));
    undo.defer(() => rm(folder, { recursive: true, force: true }));
    const database = undo.use(await createTestDatabase());
    const pool = undo.adopt(openTestPool(database.url, 2), (opened) => opened.end());
    const settings = {
      clock: systemClock,
      databaseUrl: database.url,
      redisUrl: getTestStores().redisUrl,
      redisPrefix: createRedisPrefix(),
      keySecret: randomBytes(24).toString('hex'),
      internalSecret: randomBytes(24).toString('hex'),
      uploadsDir: join(folder, 'uploads'),
    };
    return new ImportTarget(folder, settings, pool, undo);
  }

  get environment(): Environment {
    return environmentOf(this.settings);
  }

  /** Runs `parley import-from`. */
  async importFrom(
    source: string,
    file: string,
    administrator: string,
    more: readonly string[] = [],
  ): Promise<Ended> {
    const words = importWords(source, file, administrator);
    return runParley(this.environment, [...words, '--spool', this.folder, ...more]);
  }

  /** Runs `parley import-from` in a process of its own, which can be killed. */
  startImport(
    source: string,
    file: string,
    administrator: string,
    more: readonly string[] = [],
    before: readonly string[] = [],
  ): Running {
    const words = [...importWords(source, file, administrator), ...more];
    return startParley(this.environment, words, before);
  }

  /** What is there of an organization: its rows, counted, and the names of its files. */
  async left(): Promise<{ readonly rows: number; readonly files: readonly string[] }> {
    const { rows } = await this.pool.query<{ kept: number }>(
      `SELECT (SELECT count(*) FROM realm) + (SELECT count(*) FROM users) + (SELECT count(*) FROM messages)
        + (SELECT count(*) FROM changes) + (SELECT count(*) FROM uploads) AS kept`,
    );
    const stored = await readdir(this.settings.uploadsDir, {
      recursive: true,
      withFileTypes: true,
    }).catch(() => []);
    return {
      rows: rows[0]?.kept ?? 0,
      files: stored.flatMap((entry) => (entry.isFile() ? entry.name : [])),
    };
  }

  /** Starts the services. @returns the addresses of the gateways */
  async startGateways(): Promise<readonly string[]> {
    const { databaseUrl, redisPrefix, keySecret, uploadsDir } = this.settings;
    const cluster = this.#undo.use(
      await startLocalCluster({
        databaseUrl,
        redisPrefix,
        environment: { PARLEY_KEY_SECRET: keySecret, PARLEY_UPLOADS_DIR: uploadsDir },
      }),
    );
    return cluster.gatewayUrls;
  }

  /** Starts the services. @returns clients by address */
  async start(): Promise<(email: string) => Promise<ApiClient>> {
    const urls = await this.startGateways();
    const secrets = deriveKeySecrets(this.settings.keySecret);
    return async (email) => {
      const account = await findSignInAccount(this.pool, email);
      if (account === undefined) throw new Error(`nobody has the address ${email}`);
      const apiKey = await findApiKey(this.pool, secrets, account.id);
      return new ApiClient({
        urls,
        email: account.email,
        ...(apiKey !== undefined && { apiKey }),
      });
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#undo.disposeAsync();
  }
}
