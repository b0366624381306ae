/** The repeated work of telling people of messages while they are away (decision 0053). Every replica does it; they share what there is. */
import type { MaintenanceWork } from '@parley/server';
import { countMailCandidates } from '@parley/store/telling';
import { Gauge } from 'prom-client';
import type { Registry } from 'prom-client';

import { writeMissedMails } from './missed-mails.ts';
import type { MissedMailOptions } from './missed-mails.ts';
import { takeNewMessages } from './take-new-messages.ts';

export type TellingOptions = MissedMailOptions & {
  /** Whether the configuration says how mails leave. */
  readonly hasMail: boolean;
  readonly registry: Registry;
};

/** A message is looked at after this time at most. */
const lookIntervalMs = 300;
const mailIntervalMs = 1_000;

export function tellingWorks(options: TellingOptions): readonly MaintenanceWork[] {
  const { pool, hasMail, registry } = options;
  const look: MaintenanceWork = {
    name: 'looking at new messages',
    intervalMs: lookIntervalMs,
    run: async () => {
      await takeNewMessages(pool, { mail: hasMail });
    },
  };
  if (!hasMail) return [look];
  const waiting = new Gauge({
    name: 'parley_messages_to_mail_waiting',
    help: 'Unread messages of the whole installation that a mail may have to tell of, counted once for each person',
    registers: [registry],
  });
  return [
    look,
    {
      name: 'writing mails about unread messages',
      intervalMs: mailIntervalMs,
      run: async () => {
        waiting.set(await countMailCandidates(pool));
        await writeMissedMails(options);
      },
    },
  ];
}
