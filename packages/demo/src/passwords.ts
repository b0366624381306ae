import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { makePassword } from '@parley/secrets';

import { demoAccounts } from './demo-data.ts';

const fileName = 'demo-accounts.json';

/**
 * Reads the passwords of the demo's people, or makes them and keeps them in `demo-accounts.json`, which only this user can read. They are
 * kept before any account gets them, so that none is lost.
 *
 * @param folder made if it does not exist
 * @returns passwords by address; bots have none
 */
export async function readOrMakePasswords(folder: string): Promise<ReadonlyMap<string, string>> {
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
