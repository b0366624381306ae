import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

import { systemClock } from '@parley/clock';
import { ConfigError, readServiceConfig } from '@parley/config';
import { makePassword } from '@parley/auth/secrets';
import { findRealm } from '@parley/store';

import { connectMaker } from './connect-maker.ts';
import { seedDemo } from './seed.ts';
import type { Seeded } from './seed.ts';
import { demoAccounts } from './demo-data.ts';

const fileName = 'demo-accounts.json';

/**
 * Reads the passwords of the demo's people, or makes them and keeps them in `demo-accounts.json`, which only this user can read. They are
 * kept before any account gets them, so that none is lost.
 *
 * @param folder made if it does not exist
 * @returns passwords by address; bots have none
 */
async function readOrMakePasswords(folder: string): Promise<ReadonlyMap<string, string>> {
  const path = join(folder, fileName);
  const kept = await findPasswords(path);
  if (kept !== undefined) return kept;
  await mkdir(folder, { recursive: true });
  const passwords = new Map(
    demoAccounts
      .filter(({ botType }) => botType === undefined)
      .map(({ email }) => [email, makePassword()] as const),
  );
  const text = `${JSON.stringify(Object.fromEntries(passwords), null, 2)}\n`;
  await writeFile(path, text, { mode: 0o600, flag: 'wx', flush: true });
  return passwords;
}

async function findPasswords(path: string): Promise<ReadonlyMap<string, string> | undefined> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
  return new Map(Object.entries(JSON.parse(text) as Record<string, string>));
}

/**
 * `seed-main.ts [--json] [--data FOLDER]`: makes the demo organization in a migrated database without a realm, and shows its accounts, with
 * `--json` as one JSON object on standard output. Passwords are made, and kept in the folder, only in development mode.
 */
async function main(): Promise<number> {
  const { values } = parseArgs({
    options: { json: { type: 'boolean', default: false }, data: { type: 'string' } },
  });
  const config = readServiceConfig(process.env, 'demo');
  const { maker, close } = connectMaker({
    databaseUrl: config.database.url.reveal(),
    redisUrl: config.redis.url.reveal(),
    redisCa: config.redis.ca,
    redisPrefix: config.redis.prefix,
    keySecret: config.keySecret.reveal(),
    keySecretPrevious: config.keySecretPrevious?.reveal(),
  });
  try {
    if (!config.demo) {
      process.stderr.write(
        'The demo organization is made in development mode only (PARLEY_MODE=development), or with PARLEY_DEMO=on.\n',
      );
      return 1;
    }
    const keepsPasswords = config.mode === 'development' && values.data !== undefined;
    const isFirstRun = (await findRealm(maker.pool)) === undefined;
    const passwords =
      keepsPasswords && values.data !== undefined
        ? await readOrMakePasswords(values.data)
        : new Map<string, string>();
    const seeded = await seedDemo(maker, {
      passwords,
      publicUrl: config.publicUrl,
      nowSecs: Math.floor(systemClock.nowMs() / 1000),
    });
    process.stdout.write(
      values.json ? `${JSON.stringify(seeded)}\n` : describeSeeded(seeded, isFirstRun),
    );
    return 0;
  } finally {
    await close();
  }
}

function describeSeeded(seeded: Seeded, isFirstRun: boolean): string {
  const lines = seeded.accounts.map(
    ({ email, full_name: fullName, role, is_bot: isBot, api_key: apiKey }) =>
      `${email}  ${fullName} (${isBot ? 'bot' : role})  ${apiKey}`,
  );
  const first = isFirstRun
    ? 'The demo organization was made. Its accounts and their API keys:'
    : 'There is an organization already. Accounts of the demo in it, and their API keys:';
  return `${[first, ...lines].join('\n')}\n`;
}

try {
  process.exitCode = await main();
} catch (error) {
  process.stderr.write(
    error instanceof ConfigError
      ? `${error.message}\n`
      : `The demo organization could not be made: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
  );
  process.exitCode = 1;
}
