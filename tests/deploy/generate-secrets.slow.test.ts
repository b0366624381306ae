/** The first step of the compose file, and how it replaces secrets. */
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { readServiceConfig } from '@parley/config';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

const program = fileURLToPath(new URL('../../deploy/generate-secrets.mjs', import.meta.url));
const run = promisify(execFile);

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'parley-secrets-'));
  mkdirSync(redisFolder());
});
afterEach(() => rmSync(folder, { recursive: true }));

const redisFolder = (): string => join(folder, 'redis');

/** The files of all volumes. */
const filesNow = (): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name !== 'redis');

type Environment = Readonly<Record<string, string>>;

/** @returns its output, without values of secrets */
async function generate(words: readonly string[] = [], env: Environment = {}): Promise<string> {
  const { stdout } = await run(process.execPath, [program, ...words], {
    env: {
      PARLEY_SECRETS_DIR: folder,
      PARLEY_POSTGRES_SECRETS_DIR: folder,
      PARLEY_REDIS_SECRETS_DIR: redisFolder(),
      ...env,
    },
  });
  for (const name of filesNow()) expect(stdout).not.toContain(read(name));
  return stdout;
}

async function expectRefused(
  words: readonly string[],
  env: Environment,
  reason: RegExp,
): Promise<void> {
  const before = filesNow().map((name) => [name, read(name)]);
  await expect(generate(words, env)).rejects.toMatchObject({
    stderr: expect.stringMatching(reason) as string,
  });
  expect(filesNow().map((name) => [name, read(name)])).toEqual(before);
}

const read = (name: string): string => readFileSync(join(folder, name), 'utf8');

/** The settings that the services of the compose file read from the files. */
function readSecrets(): { readonly key: readonly string[]; readonly internal: readonly string[] } {
  const config = readServiceConfig(
    {
      REDIS_URL_FILE: join(folder, 'redis-url'),
      DATABASE_URL_FILE: join(folder, 'database-url'),
      PARLEY_INTERNAL_SECRET_FILE: join(folder, 'internal-secret'),
      PARLEY_INTERNAL_SECRET_PREVIOUS_FILE: join(folder, 'internal-secret-previous'),
      PARLEY_KEY_SECRET_FILE: join(folder, 'key-secret'),
      PARLEY_KEY_SECRET_PREVIOUS_FILE: join(folder, 'key-secret-previous'),
    },
    'messages',
  );
  const { keySecret, keySecretPrevious, internalSecrets } = config;
  return {
    key: [keySecret, ...(keySecretPrevious === undefined ? [] : [keySecretPrevious])].map(
      (secret) => secret.reveal(),
    ),
    internal: internalSecrets.map((secret) => secret.reveal()),
  };
}

test('the first start generates usable secrets, and later ones keep them', async () => {
  await generate();
  const made = readSecrets();
  expect(made.key).toHaveLength(1);
  expect(made.internal).toHaveLength(1);
  expect(made.key).not.toEqual(made.internal);
  await generate();
  expect(readSecrets()).toEqual(made);
  const ofStores = new Set(['password', 'redis/password', 'redis/redis.conf']);
  for (const name of filesNow())
    expect(statSync(join(folder, name)).mode & 0o777).toBe(ofStores.has(name) ? 0o444 : 0o400);
});

describe.each([['key-secret'], ['internal-secret']] as const)('generated: %s', (secret) => {
  const secretsNow = (): readonly string[] =>
    readSecrets()[secret === 'key-secret' ? 'key' : 'internal'];

  test('is replaced in three steps, and starts in between change nothing', async () => {
    await generate();
    const [old = ''] = secretsNow();
    await generate(['accept-new', secret]);
    const [, fresh = ''] = secretsNow();
    expect(secretsNow()).toEqual([old, fresh]);
    await generate();
    expect(secretsNow()).toEqual([old, fresh]);
    await generate(['use-new', secret]);
    expect(secretsNow()).toEqual([fresh, old]);
    await generate();
    expect(secretsNow()).toEqual([fresh, old]);
    await generate(['forget-old', secret]);
    expect(secretsNow()).toEqual([fresh]);
    expect(fresh).not.toBe(old);
  });

  test('a step in the wrong order is refused and changes nothing', async () => {
    await expectRefused(['accept-new', secret], {}, /there are no secrets yet/);
    await generate();
    await expectRefused(['use-new', secret], {}, /accept-new comes first/);
    await generate(['accept-new', secret]);
    await expectRefused(['accept-new', secret], {}, /already being replaced/);
    await expectRefused(['forget-old', secret], {}, /use-new comes first/);
    await generate(['use-new', secret]);
    await expectRefused(['use-new', secret], {}, /accept-new comes first/);
    await expectRefused(['accept-new', secret], {}, /already being replaced/);
    await expectRefused(['forget', secret], {}, /usage/);
    await expectRefused(['forget-old', 'password'], {}, /usage/);
  });
});

describe('set in the environment', () => {
  const [old, fresh] = ['old-'.padEnd(40, 'x'), 'new-'.padEnd(40, 'y')];

  test('a key secret may change only to one that every process accepts, while the old one is kept', async () => {
    const first = { PARLEY_KEY_SECRET: old };
    const accepted = { ...first, PARLEY_KEY_SECRET_PREVIOUS: fresh };
    const switched = { PARLEY_KEY_SECRET: fresh, PARLEY_KEY_SECRET_PREVIOUS: old };
    await generate([], first);
    await expectRefused([], { PARLEY_KEY_SECRET: fresh }, /differs from the one of the first/);
    await expectRefused([], switched, /differs from the one of the first/);
    await generate([], accepted);
    expect(readSecrets().key).toEqual([old, fresh]);
    await expectRefused([], { PARLEY_KEY_SECRET: fresh }, /differs from the one of the first/);
    await expectRefused(['use-new', 'key-secret'], accepted, /is set in the environment/);
    await generate([], switched);
    expect(readSecrets().key).toEqual([fresh, old]);
    await generate([], { PARLEY_KEY_SECRET: fresh, PARLEY_KEY_SECRET_PREVIOUS: '' });
    expect(readSecrets().key).toEqual([fresh]);
  });

  test('an internal secret may change at once, or beside a second one', async () => {
    await generate([], { PARLEY_INTERNAL_SECRET: old });
    await generate([], { PARLEY_INTERNAL_SECRET: fresh });
    expect(readSecrets().internal).toEqual([fresh]);
    await generate([], { PARLEY_INTERNAL_SECRET: old, PARLEY_INTERNAL_SECRET_PREVIOUS: fresh });
    expect(readSecrets().internal).toEqual([old, fresh]);
  });
});
