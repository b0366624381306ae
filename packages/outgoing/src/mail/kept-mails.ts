/** In development mails are kept in a folder, one file for each, and sent to nobody. */
import { mkdir, readFile, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import type { WrittenLetter } from './letter.ts';

/** A mail in the folder. */
export type KeptMail = WrittenLetter & {
  readonly id: string;
  readonly kind: string;
  readonly recipient: string;
  readonly replyTo?: string;
  /** ISO 8601. */
  readonly createdAt: string;
};

const keptMax = 200;
const namePattern = /^\d{14,17}-[0-9a-f-]{36}\.json$/;

/** By time, so that names are in order; the same for every attempt, so that a repeat replaces the file. */
function nameOf({ id, createdAt }: KeptMail): string {
  return `${createdAt.replaceAll(/\D/g, '')}-${id}.json`;
}

/** Nothing has been kept yet, or another process has just removed the file as surplus. */
function undefinedIfAbsent(error: unknown): undefined {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
  throw error;
}

async function listNames(folder: string): Promise<string[]> {
  const names = (await readdir(folder).catch(undefinedIfAbsent)) ?? [];
  return names
    .filter((name) => namePattern.test(name))
    .toSorted()
    .toReversed();
}

/** Puts a mail into the folder, and removes the oldest above 200. */
export async function keepMail(folder: string, mail: KeptMail): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, nameOf(mail));
  await writeFile(`${path}.part`, JSON.stringify(mail, undefined, 2), { mode: 0o600 });
  await rename(`${path}.part`, path);
  const surplus = (await listNames(folder)).slice(keptMax);
  await Promise.all(surplus.map(async (name) => rm(join(folder, name), { force: true })));
}

/** @returns the mails in the folder, the newest first */
export async function listKeptMails(folder: string, mailsMax = keptMax): Promise<KeptMail[]> {
  const names = (await listNames(folder)).slice(0, mailsMax);
  const texts = await Promise.all(
    names.map(async (name) => readFile(join(folder, name), 'utf8').catch(undefinedIfAbsent)),
  );
  return texts.flatMap((text) => (text === undefined ? [] : [JSON.parse(text) as KeptMail]));
}
