/** How a mail leaves this server. */
import type { Clock } from '@parley/clock';
import type { MailConfig } from '@parley/config';

import { keepMail } from './kept-mails.ts';
import { writeLetter } from './letter.ts';
import type { MailTransport } from './mail.ts';
import { SmtpTransport } from './smtp-transport.ts';

/** @returns the way that the configuration names */
export function openMailTransport({ from, by }: MailConfig, clock: Clock): MailTransport {
  if (by.kind === 'smtp') return new SmtpTransport({ ...by, clock, from });
  return {
    send: async ({ letter, ...mail }) =>
      keepMail(by.path, {
        ...mail,
        createdAt: mail.createdAt.toISOString(),
        ...writeLetter(letter),
      }),
    verify: () => Promise.resolve(`kept in ${by.path}, and sent to nobody`),
  };
}
