/** TLS to Postgres and Redis with certificates of a private authority, which are trusted only where it is configured. */
import { systemClock } from '@parley/clock';
import { once } from 'node:events';
import { chown, copyFile, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

import { Secret } from '@parley/config';
import type { Pool } from '@parley/database';
import {
  makeTemporaryFolder,
  removePostgresData,
  startPostgres,
} from '@parley/launcher/local-stores';
import { createLogger } from '@parley/telemetry/logging';
import { connectForRequests } from '@parley/cluster/redis';
import type { Redis } from '@parley/cluster/redis';
import { openTestPool, waitUntil } from '@parley/test-kit';
import { expect, onTestFinished, test } from 'vitest';

import { makeCertificates } from '../support/certificates.ts';
import { certifiedName, startTlsServer } from '../support/redis-topologies.ts';

const quiet = createLogger({ service: 'test', nodeId: 'test', level: 'silent' });
const storeTimeoutMs = 120_000;

function openPool(databaseUrl: string): Pool {
  const pool = openTestPool(databaseUrl);
  onTestFinished(() => pool.end());
  return pool;
}

test(
  'DATABASE_URL with sslmode=verify-full requires a certificate for the host by the named authority',
  async () => {
    const folder = await makeTemporaryFolder();
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const dataDir = join(folder, 'postgres');
    onTestFinished(() => removePostgresData(dataDir));
    const postgres = await startPostgres({ dataDir, log: () => undefined });
    onTestFinished(() => postgres.stop());
    const plain = openPool(postgres.url);
    const { rows } = await plain.query<{ data_directory: string }>('SHOW data_directory');
    const data = rows[0]?.data_directory ?? '';
    const { uid, gid } = await stat(data);
    const useCertificate = async (name: string): Promise<string> => {
      const files = await makeCertificates(folder, name);
      for (const [from, to] of [
        [files.certFile, 'server.crt'],
        [files.keyFile, 'server.key'],
      ] as const) {
        await copyFile(from, join(data, to));
        // If root starts Postgres, it runs as a separate user, and accepts no key that belongs to others.
        await chown(join(data, to), uid, gid);
      }
      await plain.query('ALTER SYSTEM SET ssl = on');
      await plain.query('SELECT pg_reload_conf()');
      return files.caFile;
    };
    const url = new URL(postgres.url);
    url.hostname = 'localhost';
    const verified = `${url.href}?sslmode=verify-full`;
    const isEncrypted = async (databaseUrl: string): Promise<boolean> => {
      const found = await openPool(databaseUrl).query<{ ssl: boolean }>(
        'SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()',
      );
      return found.rows[0]?.ssl === true;
    };

    const caFile = await useCertificate('localhost');
    await waitUntil('Postgres speaks TLS', () =>
      isEncrypted(`${verified}&sslrootcert=${caFile}`).catch(() => undefined),
    );
    await expect(isEncrypted(verified)).rejects.toThrow(
      /self-signed certificate|unable to (?:verify|get)/,
    );

    const otherCaFile = await useCertificate('database.example');
    await waitUntil('Postgres has another certificate', () =>
      isEncrypted(`${verified}&sslrootcert=${otherCaFile}`).then(
        () => undefined,
        (error: unknown) => String(error).includes('does not match') || undefined,
      ),
    );
  },
  storeTimeoutMs,
);

test(
  'REDIS_URL with rediss requires a certificate for the host or server name by the named authority',
  async () => {
    await using server = await startTlsServer();
    const ca = await readFile(server.caFile ?? '', 'utf8');
    const outcomeOf = async (url: string, authority: string | undefined): Promise<string> => {
      const config = { url: new Secret(url), prefix: 'p', commandTimeoutMs: 1_000, ca: authority };
      const redis: Redis = connectForRequests(config, quiet, systemClock);
      onTestFinished(() => redis.disconnect());
      return Promise.race([
        once(redis, 'ready').then(() => redis.ping()),
        new Promise<string>((resolve) => {
          redis.once('error', (error: Error) => resolve(error.message));
        }),
      ]).catch((error: unknown) => String(error));
    };
    expect(await outcomeOf(server.url, ca)).toBe('PONG');
    expect(await outcomeOf(server.url, undefined)).toMatch(
      /self-signed certificate|unable to (?:verify|get)/,
    );
    const byName = server.url.replace('@127.0.0.1', '@localhost');
    expect(await outcomeOf(byName, ca)).toMatch(/does not match/);
    expect(await outcomeOf(`${byName}?servername=${certifiedName}`, ca)).toBe('PONG');
  },
  storeTimeoutMs,
);
