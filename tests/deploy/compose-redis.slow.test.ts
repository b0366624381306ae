/** Redis as docker-compose.yml starts it, with the password of the file's first step. */
import { systemClock } from '@parley/clock';
import { execFile, spawn } from 'node:child_process';
import { mkdtempSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { readServiceConfig } from '@parley/config';
import type { RedisConfig } from '@parley/config';
import { findFreePort, findOrInstallRedis } from '@parley/launcher/local-stores';
import { createLogger } from '@parley/telemetry/logging';
import { connectForRequests } from '@parley/cluster/redis';
import { repositoryFolder, serviceNames, waitUntil } from '@parley/test-kit';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { parse } from 'yaml';

const run = promisify(execFile);

type ComposeService = {
  readonly command: readonly string[];
  readonly volumes?: readonly string[];
  readonly environment?: Readonly<Record<string, string | null>>;
  readonly healthcheck?: { readonly test: readonly [string, string] };
};

const { services } = parse(readFileSync(join(repositoryFolder, 'docker-compose.yml'), 'utf8'), {
  merge: true,
}) as { readonly services: Readonly<Record<string, ComposeService>> };

/** @throws Error if the file has no such service */
function getService(name: string): ComposeService {
  const service = services[name];
  if (service === undefined) throw new Error(`there is no service ${name}`);
  return service;
}

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'parley-compose-redis-'));
  mkdirSync(join(folder, 'data'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** A path in the containers, mapped to this test: all volumes are one folder. */
const here = (text: string): string => text.replaceAll('/run/parley/redis/', `${folder}/`);

/** Starts a Redis here. @returns a function that stops it */
async function start(words: readonly string[], port: number): Promise<() => Promise<unknown>> {
  const program = await findOrInstallRedis(() => undefined);
  const place = ['--bind', '127.0.0.1', '--port', String(port), '--dir', join(folder, 'data')];
  const server = spawn(program, [...words, ...place], { stdio: 'ignore' });
  const ended = new Promise((resolve) => server.once('exit', resolve));
  return () => {
    server.kill();
    return ended;
  };
}

/** @returns the addresses in the compose file, changed to this test's */
async function makeSecrets(given: string | undefined, port: number): Promise<RedisConfig> {
  await run(process.execPath, [join(repositoryFolder, 'deploy/generate-secrets.mjs')], {
    env: {
      PARLEY_SECRETS_DIR: join(folder, 'data'),
      PARLEY_POSTGRES_SECRETS_DIR: join(folder, 'data'),
      PARLEY_REDIS_SECRETS_DIR: folder,
      ...(given !== undefined && { REDIS_PASSWORD: given }),
    },
  });
  const url = readFileSync(join(folder, 'data/redis-url'), 'utf8');
  expect(new URL(url).host).toBe('redis:6379');
  const { redis } = readServiceConfig(
    {
      DATABASE_URL: 'postgres://parley@postgres/parley',
      REDIS_URL: url.replace('redis:6379', `127.0.0.1:${port}`),
      PARLEY_INTERNAL_SECRET: 'x'.repeat(32),
      PARLEY_KEY_SECRET: 'y'.repeat(32),
    },
    'events',
  );
  return redis;
}

/** @returns whether a service with this configuration connects to Redis */
async function reaches(config: RedisConfig): Promise<boolean> {
  const log = createLogger({ service: 'events', nodeId: 'test', level: 'fatal' });
  const redis = connectForRequests(config, log, systemClock);
  try {
    return await waitUntil(
      'Redis answers',
      async () => (await redis.ping().catch(() => undefined)) === 'PONG',
    );
  } finally {
    redis.disconnect();
  }
}

test.each([
  ['a generated one', undefined],
  ['a given one with any characters', `it's "odd" #\\ü$x %41`],
])('accepts no client without its password: %s', async (_what, given) => {
  const port = await findFreePort();
  const config = await makeSecrets(given, port);
  const [, ...words] = getService('redis').command;
  const stop = await start(words.map(here), port);
  try {
    expect(await reaches(config)).toBe(true);
    const { stdout } = await run('redis-cli', ['-p', String(port), 'ping']);
    expect(stdout).toMatch(/^NOAUTH/);
    const [, check] = getService('redis').healthcheck?.test ?? [];
    // Compose reads two dollar signs as one.
    const script = here(String(check))
      .replaceAll('$$', '$')
      .replace('redis-cli', `redis-cli -p ${port}`);
    await run('sh', ['-c', script]);
    await expect(run('sh', ['-c', script.replace(/\$\(cat [^)]*\)/, 'wrong')])).rejects.toThrow();
  } finally {
    await stop();
  }
});

test('the Redis of an older compose file, without a password, accepts services with one', async () => {
  const port = await findFreePort();
  const config = await makeSecrets(undefined, port);
  const stop = await start(['--save', ''], port);
  try {
    expect(await reaches(config)).toBe(true);
  } finally {
    await stop();
  }
});

test('every service reads the password from a file that no other container mounts, and no command line shows it', () => {
  const mounts = Object.entries(services).flatMap(([name, { volumes = [] }]) =>
    volumes
      .filter((volume) => volume.startsWith('redis-password:'))
      .map((volume) => [name, volume]),
  );
  expect(mounts).toEqual([
    ['secrets', 'redis-password:/run/parley/redis'],
    ['redis', 'redis-password:/run/parley/redis:ro'],
  ]);
  for (const name of [...serviceNames, 'migrate', 'first-start']) {
    const { environment = {}, volumes = [] } = getService(name);
    expect(environment['REDIS_URL_FILE']).toBe('/run/parley/secrets/redis-url');
    expect(environment).not.toHaveProperty('REDIS_URL');
    expect(volumes).toContain('secrets:/run/parley/secrets:ro');
  }
});
