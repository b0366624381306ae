/** The mails that a development server keeps, as a person would read them. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { listKeptMails } from '@parley/outgoing/mail/kept-mails';
import type { KeptMail } from '@parley/outgoing/mail/kept-mails';
import { settle, waitUntil } from '@parley/test-kit';

/** Makes a folder for `PARLEY_MAIL_DIR`; the caller removes it. */
export function makeMailFolder(): string {
  return mkdtempSync(join(tmpdir(), 'parley-mails-'));
}

/**
 * @param earlier mails that are not meant; while time stands nothing else tells which of two is newer
 * @returns the newest mail to an address when all has happened in the systems of this process
 * @throws Error if none came
 */
export async function readMail(
  folder: string,
  recipient: string,
  earlier: readonly KeptMail[] = [],
): Promise<KeptMail> {
  await settle();
  const mail = await findNewest(folder, recipient, earlier);
  if (mail === undefined) throw new Error(`no mail to ${recipient}`);
  return mail;
}

/** Waits for a mail to an address from a system whose time passes by itself. */
export async function waitForMail(folder: string, recipient: string): Promise<KeptMail> {
  return waitUntil(`a mail to ${recipient} came`, () => findNewest(folder, recipient));
}

async function findNewest(
  folder: string,
  recipient: string,
  earlier: readonly KeptMail[] = [],
): Promise<KeptMail | undefined> {
  return (await listKeptMails(folder)).find(
    (mail) => mail.recipient === recipient && earlier.every(({ id }) => id !== mail.id),
  );
}

/** The secret in the link of a mail. */
export function tokenIn({ text }: KeptMail): string {
  const token = /\/#[a-z]+\/([\w-]{43})$/m.exec(text)?.[1];
  if (token === undefined) throw new Error(`there is no link in ${text}`);
  return token;
}
