/** Sends the mails of the database (decision 0049), each at least once, and under the same Message-ID if it is sent again. */
import { deadline } from '@parley/clock';
import type { RedisConfig } from '@parley/config';
import type { Logger } from '@parley/telemetry/logging';
import { MailNotSent, MailRefused, makeAnswerAddress } from '../mail/index.ts';
import type { Letter, MailTransport } from '../mail/index.ts';
import {
  claimMail,
  countWaitingMails,
  failMail,
  listDueMails,
  postponeMail,
  removeMail,
} from '@parley/store';
import type { ClaimedMail, MailLane } from '@parley/store';
import { findAnswerer } from '@parley/store/notifications';
import { Counter, Gauge } from 'prom-client';
import type { Registry } from 'prom-client';

import { JobLane } from './job-lane.ts';
import { confirmMissedMail } from './notifications/missed-mails.ts';
import type { MissedMailOptions } from './notifications/missed-mails.ts';

/**
 * Makes the address to which a mail is answered, for the newest of its messages. It is in no row, because it is worth as much as the mail.
 *
 * @returns undefined for a mail that is not answered
 */
async function findReplyAddress(
  { pool, keySecrets, answerAddresses }: MissedMailOptions,
  { about, recipient }: Pick<ClaimedMail, 'about' | 'recipient'>,
  letter: Letter,
): Promise<string | undefined> {
  const messageId = about?.messageIds.at(-1);
  if (
    answerAddresses === undefined ||
    letter.isAnswerable !== true ||
    about === undefined ||
    messageId === undefined
  )
    return undefined;
  const { userId } = about;
  const answerer = await findAnswerer(pool, userId);
  // It was confirmed for this recipient a moment ago.
  if (answerer?.address !== recipient) return undefined;
  return makeAnswerAddress(answerAddresses, keySecrets, { userId, messageId }, answerer);
}

export type MailRunnerOptions = MissedMailOptions & {
  readonly redis: RedisConfig;
  readonly transport: MailTransport;
  readonly log: Logger;
  readonly registry: Registry;
};

/** A mail is sent this long after its change at most, while nothing is down. */
const sweepIntervalMs = 1_000;
const sweepMax = 200;
/** In each process. Servers of mail refuse those who come with many connections. */
const mailsAtOnce: Readonly<Record<MailLane, number>> = {
  other: 4,
  resets: 2,
  'about-messages': 2,
};
/** After a crash a mail waits this long. */
const claimSecs = 120;
/** A server that draws an attempt out must not hold it beyond its claim, when another process may send the mail. */
const attemptMaxMs = 100_000;
const firstDelaySecs = 5;
const delayMaxSecs = 3_600;

/** @returns how long a mail waits after a failed attempt: doubling from five seconds to an hour */
function retryDelaySecs(attempts: number): number {
  return Math.min(delayMaxSecs, firstDelaySecs * 2 ** Math.min(attempts - 1, 10));
}

/** Why a mail is given up after its time. */
export const notSentInTime = 'it was not sent while it was of use';

const reasonMaxLength = 500;

/** What is stored of a fault. Servers may answer with a megabyte, and with characters that Postgres does not take. */
function reasonOf(fault: unknown): string {
  const text = fault instanceof Error ? fault.message : String(fault);
  return text.slice(0, reasonMaxLength).replaceAll(/\p{C}+/gu, ' ');
}

export class MailRunner {
  readonly #options: MailRunnerOptions;
  readonly #lanes: readonly JobLane<number>[];
  readonly #outcomes: Counter<'kind' | 'outcome'>;
  readonly #repeats: Counter<'kind'>;

  constructor(options: MailRunnerOptions) {
    this.#options = options;
    const { pool, registry } = options;
    const registers = [registry];
    this.#outcomes = new Counter({
      name: 'parley_mails_total',
      help: 'Attempts to send a mail, by kind and outcome (sent, refused for good, failed and to be retried, given up, withdrawn because its messages have changed)',
      labelNames: ['kind', 'outcome'],
      registers,
    });
    this.#repeats = new Counter({
      name: 'parley_mail_repeats_total',
      help: 'Mails that were sent although an earlier attempt may have succeeded, by kind',
      labelNames: ['kind'],
      registers,
    });
    const waiting = new Gauge({
      name: 'parley_mails_waiting',
      help: 'Mails of the whole installation that are waiting or being sent',
      registers,
    });
    this.#lanes = [
      this.#openLane('other', 'mails', async () => waiting.set(await countWaitingMails(pool))),
      this.#openLane('resets', 'mails-resets'),
      this.#openLane('about-messages', 'mails-about-messages'),
    ];
  }

  #openLane(lane: MailLane, queueName: string, measure?: () => Promise<void>): JobLane<number> {
    const { clock, pool, redis, log, keySecrets } = this.#options;
    return new JobLane({
      clock,
      redis,
      log,
      queueName,
      concurrency: mailsAtOnce[lane],
      sweepIntervalMs,
      idOf: (id) => `mail-${id}`,
      listDue: async () => {
        await measure?.();
        return listDueMails(pool, lane, sweepMax);
      },
      run: async (id, signal) => {
        const mail = await claimMail(pool, keySecrets, id, claimSecs);
        if (mail !== undefined) await this.#send(mail, signal);
        return undefined;
      },
    });
  }

  start(): void {
    for (const lane of this.#lanes) lane.start();
  }

  /** @returns whether no mail was to be sent; otherwise begins with them */
  async settle(): Promise<boolean> {
    const settled = await Promise.all(this.#lanes.map((lane) => lane.settle()));
    return settled.every(Boolean);
  }

  async stop(): Promise<void> {
    await Promise.all(this.#lanes.map(async (lane) => lane.stop()));
  }

  async #send(mail: ClaimedMail, signal: AbortSignal): Promise<void> {
    const { clock, transport } = this.#options;
    const { kind, letter } = mail;
    // Written so that the answer to a stranger took as long as with an account (decision 0050).
    if (mail.recipient === '') return this.#remove(mail);
    if (letter === undefined)
      return this.#giveUp(mail, 'given up', 'it was written under another PARLEY_KEY_SECRET');
    if (mail.isExpired) return this.#giveUp(mail, 'given up', notSentInTime);
    if (!(await confirmMissedMail(this.#options, mail))) {
      this.#outcomes.inc({ kind, outcome: 'withdrawn' });
      // What is still owed comes again in another mail.
      if (mail.mayHaveArrived) this.#repeats.inc({ kind });
      return undefined;
    }
    try {
      const written = JSON.parse(letter) as Letter;
      const replyTo = await findReplyAddress(this.#options, mail, written);
      await transport.send(
        {
          ...mail,
          id: mail.messageId,
          letter: written,
          ...(replyTo !== undefined && { replyTo }),
        },
        AbortSignal.any([signal, deadline(clock, attemptMaxMs)]),
      );
    } catch (error) {
      return this.#noteFault(mail, error);
    }
    // Counted before the row goes: a repeat that is not counted would be worse than one that is counted twice.
    this.#outcomes.inc({ kind, outcome: 'sent' });
    if (mail.mayHaveArrived) this.#repeats.inc({ kind });
    return this.#remove(mail);
  }

  async #remove(mail: ClaimedMail): Promise<void> {
    await removeMail(this.#options.pool, mail);
  }

  async #noteFault(mail: ClaimedMail, fault: unknown): Promise<void> {
    if (fault instanceof MailRefused) return this.#giveUp(mail, 'refused', reasonOf(fault));
    const { pool, log } = this.#options;
    const { id, kind, attempts } = mail;
    log.warn({ err: fault, mail_id: id, attempts }, 'a mail was not sent; it is tried again');
    this.#outcomes.inc({ kind, outcome: 'failed' });
    return postponeMail(pool, mail, {
      delaySecs: retryDelaySecs(attempts),
      error: reasonOf(fault),
      // Any other fault is of this process: of a letter that only a newer version can read, or of the folder.
      mayHaveArrived: mail.mayHaveArrived || (fault instanceof MailNotSent && fault.mayHaveArrived),
    });
  }

  async #giveUp(mail: ClaimedMail, outcome: string, reason: string): Promise<void> {
    const { pool, log } = this.#options;
    log.error({ mail_id: mail.id, attempts: mail.attempts, reason }, 'a mail is given up');
    this.#outcomes.inc({ kind: mail.kind, outcome });
    await failMail(pool, mail, reason);
  }
}
