/** The repeated tasks that notify people who are away (decision 0053). Every replica runs them; they share what there is to do. */
import type { MaintenanceTask } from '@parley/server';
import { countMailCandidates, countMessagesToLookAt } from '@parley/store/notifications';
import { Gauge } from 'prom-client';
import type { Registry } from 'prom-client';

import { missedMailWriter } from './missed-mails.ts';
import type { MissedMailOptions } from './missed-mails.ts';
import { takeNewMessages } from './take-new-messages.ts';

export type NotificationOptions = MissedMailOptions & {
  /** Whether the configuration says how mails leave. */
  readonly hasMail: boolean;
  readonly registry: Registry;
};

/** A message is looked at after this time at most. */
const lookIntervalMs = 300;
const mailIntervalMs = 1_000;
const measureIntervalMs = 10_000;

export function notificationTasks(options: NotificationOptions): readonly MaintenanceTask[] {
  const { pool, hasMail, registry } = options;
  const look: MaintenanceTask = {
    name: 'looking at new messages',
    intervalMs: lookIntervalMs,
    run: () => takeNewMessages(pool, { mail: hasMail }),
    settle: async () => (await takeNewMessages(pool, { mail: hasMail })) === 0,
  };
  const registers = [registry];
  const toLookAt = new Gauge({
    name: 'parley_messages_to_look_at',
    help: 'Messages of the whole installation for which nobody has yet looked for whom they may notify',
    registers,
  });
  const waiting = new Gauge({
    name: 'parley_messages_to_mail_waiting',
    help: 'Unread messages of the whole installation that may have to be mailed, counted once for each person',
    registers,
  });
  const measure: MaintenanceTask = {
    name: 'counting messages to notify of',
    intervalMs: measureIntervalMs,
    run: async () => {
      toLookAt.set(await countMessagesToLookAt(pool));
      if (hasMail) waiting.set(await countMailCandidates(pool));
    },
  };
  if (!hasMail) return [look, measure];
  const writeMissedMails = missedMailWriter(options);
  const write: MaintenanceTask = {
    name: 'writing mails about unread messages',
    intervalMs: mailIntervalMs,
    run: writeMissedMails,
    settle: async () => (await writeMissedMails()) === 0,
  };
  return [look, measure, write];
}
