import { isEmailShaped, writeTestMail } from '@parley/people';
import { listMails } from '@parley/store';

import type { Command } from '../command.ts';
import { withDatabase, withOrganization } from '../connections.ts';
import { CommandFault } from '../faults.ts';

const mailsMax = 1_000;

const listCommand: Command = {
  name: 'mail list',
  summary: 'List mails that were given up, or that wait to be sent',
  details: [
    'A mail is tried until a server takes it or refuses it for good, or until it is of no more use. One that was given up stays in the list',
    'for 30 days, without its text: what it was to say can be asked for again, such as a new invitation.',
  ].join('\n'),
  run: async (_call, { env }) =>
    withDatabase(env, async (pool) => {
      const found = await listMails(pool, mailsMax + 1);
      const [mails, isComplete] = [found.slice(0, mailsMax), found.length <= mailsMax];
      const lines = mails.map(
        ({ id, kind, recipient, createdAt, attempts, lastError, failedAt }) => {
          const state = failedAt === null ? 'waits' : 'FAILED';
          const reason = lastError === null ? '' : `: ${JSON.stringify(lastError)}`;
          return `${state}  ${id}  ${createdAt.toISOString()}  ${kind} to ${JSON.stringify(recipient)}, ${attempts} attempt(s)${reason}\n`;
        },
      );
      return {
        text: isComplete
          ? lines.join('') || 'No mail waits, and none was given up.\n'
          : `${lines.join('')}There are more: these ${mailsMax} are the newest of those that were given up, then of those that wait.\n`,
        json: {
          is_complete: isComplete,
          mails: mails.map((mail) => ({
            id: mail.id,
            kind: mail.kind,
            recipient: mail.recipient,
            created_at: mail.createdAt.toISOString(),
            attempts: mail.attempts,
            last_error: mail.lastError,
            failed_at: mail.failedAt?.toISOString() ?? null,
          })),
        },
      };
    }),
};

const testCommand: Command = {
  name: 'mail test',
  summary: 'Have the services send a mail to an address, in the way of all mails',
  positionals: ['EMAIL'],
  details:
    'parley mail list shows whether it still waits, and why; parley check tries the server itself.',
  run: async (call, { env }) =>
    withOrganization(env, async (context, config) => {
      const recipient = call.word(0);
      if (!isEmailShaped(recipient)) throw new CommandFault(`${recipient} is not an address`);
      if (config.mail === undefined)
        throw new CommandFault('No mails are sent: set PARLEY_SMTP_URL and PARLEY_MAIL_FROM');
      await writeTestMail(context, recipient);
      return {
        text: `A mail to ${recipient} waits for the people service, which sends it within seconds.\n`,
        json: { recipient },
      };
    }),
};

export const mailCommands: readonly Command[] = [listCommand, testCommand];
