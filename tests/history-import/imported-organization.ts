/** Imports an archive into an installation of its own, and asks its services afterwards. */
import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { systemClock } from '@parley/clock';
import type { Pool } from '@parley/database';
import { deriveKeySecrets } from '@parley/auth/secrets';
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
import { expect } from 'vitest';

import { environmentOf, runParley, startParley } from '../support/run-parley.ts';
import type { Ended, Environment, Running } from '../support/run-parley.ts';
import { useFixture } from '../support/use-fixture.ts';

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

export const inStream = (name: string) => [{ operator: 'stream', operand: name }];

/** @returns how somebody's request for a file is answered */
export async function download(
  { urls, credentials }: ApiClient,
  path: string,
): Promise<{ readonly status: number; readonly text: string }> {
  const answer = await fetch(`${urls[0]}${path}`, { headers: credentials });
  return { status: answer.status, text: await answer.text() };
}

/** @returns everybody: name, and whether active, an administrator and a guest */
export async function rolesOf(client: ApiClient): Promise<unknown[][]> {
  return readObjects(await client.get('users'), 'members').map((user) =>
    ['full_name', 'is_active', 'is_admin', 'is_guest'].map((field) => user[field]),
  );
}

/** What `--json` prints of an import. */
export type Report = JsonObject & { readonly records: readonly JsonObject[] };

/** Expects that a report has these records among others: what they are, what became of them, and why. */
export function expectRecords(
  { records }: Report,
  expected: readonly (readonly [kind: string, outcome: string, reason: string, count?: number])[],
): void {
  for (const [kind, outcome, reason, count = expect.any(Number) as number] of expected)
    expect(records).toContainEqual(expect.objectContaining({ kind, outcome, reason, count }));
}

type ImportWords = [source: string, file: string, administrator: string, more?: readonly string[]];

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
  async importFrom(...[source, file, administrator, more = []]: ImportWords): Promise<Ended> {
    const words = importWords(source, file, administrator);
    return runParley(this.environment, [...words, '--spool', this.folder, ...more]);
  }

  /** Imports an archive that must be accepted. @returns the report */
  async report(...[source, file, administrator, more = []]: ImportWords): Promise<Report> {
    const words = ['--json', ...more];
    const { code, out, error } = await this.importFrom(source, file, administrator, words);
    if (code !== 0 || error !== '') throw new Error(`an import ended with ${code}: ${error}`);
    return JSON.parse(out) as Report;
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

  /** Starts the services. @returns clients of the people with these addresses, by their names */
  async startFor<Name extends string>(
    addresses: Readonly<Record<Name, string>>,
  ): Promise<Readonly<Record<Name, ApiClient>>> {
    const clientOf = await this.start();
    const named = Object.entries<string>(addresses).map(
      async ([name, address]) => [name, await clientOf(address)] as const,
    );
    return Object.fromEntries(await Promise.all(named)) as Record<Name, ApiClient>;
  }

  async stop(): Promise<void> {
    await this.#undo.disposeAsync();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }
}

/** An installation for the tests of a file. */
export function useImportTarget(): ImportTarget {
  return useFixture(() => ImportTarget.create());
}

/** Expects that an archive is refused with this text. */
export async function expectRefused(
  target: ImportTarget,
  reason: RegExp | string,
  ...words: ImportWords
): Promise<void> {
  const { code, error } = await target.importFrom(...words);
  expect(error).toMatch(reason);
  expect(code).toBe(1);
}
