/** The mails that a development server keeps, as a person would read them. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { listKeptMails } from '@parley/mail/kept-mails';
import type { KeptMail } from '@parley/mail/kept-mails';
import { waitUntil } from '@parley/test-kit';

/** Makes a folder for `PARLEY_MAIL_DIR`; the caller removes it. */
export function makeMailFolder(): string {
  return mkdtempSync(join(tmpdir(), 'parley-mails-'));
}

/** Waits for a mail to an address, and returns the newest. */
export async function readMail(
  folder: string,
  recipient: string,
  after?: KeptMail,
): Promise<KeptMail> {
  return waitUntil(
    `a mail to ${recipient} came`,
    async () => {
      const newest = (await listKeptMails(folder)).find((mail) => mail.recipient === recipient);
      return newest?.id === after?.id ? undefined : newest;
    },
    { deadlineMs: 30_000 },
  );
}

/** The secret in the link of a mail. */
export function tokenIn({ text }: KeptMail): string {
  const token = /\/#[a-z]+\/([\w-]{43})$/m.exec(text)?.[1];
  if (token === undefined) throw new Error(`there is no link in ${text}`);
  return token;
}
