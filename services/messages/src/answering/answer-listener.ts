/**
 * Takes answers to mails from a relay by LMTP (RFC 2033): each recipient gets an answer of its own. An accepted mail is posted, or it was
 * written by a program and dropped; nothing is kept for later, so a relay repeats what cannot be posted now.
 */
import { hash } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import type { Readable } from 'node:stream';

import { limitMs } from '@parley/clock';
import type { Clock } from '@parley/clock';
import type { Logger } from '@parley/telemetry/logging';
import { Counter } from 'prom-client';
import type { Registry } from 'prom-client';
import { SMTPServer } from 'smtp-server';
import type { SMTPServerDataStream, SMTPServerSession } from 'smtp-server';

import type { AnswerPoster, ReceivedAnswer } from './answer-poster.ts';
import { LmtpRefusal, lmtpRefusalOf } from './lmtp-refusal.ts';
import { MailReader } from './read-mail.ts';

export type AnswerListenerOptions = {
  readonly clock: Clock;
  readonly host: string;
  /** 0 is any free one. */
  readonly port: number;
  readonly poster: AnswerPoster;
  readonly log: Logger;
  readonly registry: Registry;
};

const mib = 1024 * 1024;
/** As announced; a relay refuses larger ones itself. */
const mailMaxBytes = 10 * mib;
/** Relays wait for a connection or try again; all of them together may hold this many of the largest mails. */
const connectionsMax = 10;
const recipientsMax = 10;
/** Longer than the mails of all connections take. */
const silenceMaxMs = 120_000;
/** As smtp-server has no word for "any time", the longest that a timer of Node can wait. */
const anySilenceMs = 2 ** 31 - 1;
/** A stopping process waits so long for mails that are being posted. What it cuts off is repeated, and posted once. */
const closeMaxMs = 5_000;

type Outcome = 'posted' | 'repeated' | 'automatic' | 'refused' | 'failed';

/** @throws LmtpRefusal for more than a mail may have; the rest is still read, so that the client gets its answer */
async function collect(stream: Readable): Promise<Uint8Array<ArrayBuffer>> {
  let chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length <= mailMaxBytes) chunks.push(chunk);
    else chunks = [];
  }
  if (length > mailMaxBytes) throw new LmtpRefusal(552, '5.3.4', 'The mail is too large');
  // Not from the pool of buffers, because it goes to a thread as a whole.
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}

export class AnswerListener {
  readonly #options: AnswerListenerOptions;
  readonly #reader: MailReader;
  readonly #outcomes: Counter<'outcome'>;
  readonly #server: SMTPServer;
  #mailsUnderWay = 0;

  private constructor(options: AnswerListenerOptions) {
    this.#options = options;
    this.#reader = new MailReader(options.clock);
    this.#outcomes = new Counter({
      name: 'parley_mail_answers_total',
      help: 'Answers by mail, by outcome (posted, repeated and already posted, automatic and dropped, refused for good, failed and to be repeated by the relay)',
      labelNames: ['outcome'],
      registers: [options.registry],
    });
    this.#server = new SMTPServer({
      lmtp: true,
      name: 'parley',
      authOptional: true,
      disabledCommands: ['AUTH', 'STARTTLS'],
      disableReverseLookup: true,
      // It would log addresses, which are secrets.
      logger: false,
      size: mailMaxBytes,
      maxClients: connectionsMax,
      maxRecipients: recipientsMax,
      socketTimeout: limitMs(options.clock, silenceMaxMs) || anySilenceMs,
      closeTimeout: closeMaxMs,
      onRcptTo: ({ address }, session, done) => void this.#checkRecipient(address, session, done),
      onData: (stream, session, done) => void this.#take(stream, session, done),
    });
    this.#server.on('error', (error: Error & { readonly code?: string }) =>
      options.log.debug({ code: error.code }, 'a connection of a relay failed'),
    );
  }

  /** @throws Error if the address is in use */
  static async start(options: AnswerListenerOptions): Promise<AnswerListener> {
    const started = new AnswerListener(options);
    const { host, port, log } = options;
    await once(started.#server.listen(port, host), 'listening');
    const address = started.#server.server.address() as AddressInfo;
    log.info({ host, lmtp_port: address.port }, 'taking answers to mails');
    return started;
  }

  /** Whether no mail is being taken. */
  get isIdle(): boolean {
    return this.#mailsUnderWay === 0;
  }

  async stop(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#server.close(() => resolve());
    await promise;
  }

  async #checkRecipient(
    address: string,
    { envelope }: SMTPServerSession,
    done: (refusal?: Error | null) => void,
  ): Promise<void> {
    let refusal: Error | null = null;
    try {
      // smtp-server keeps one of the two and gives one answer to the mail, and the relay would wait for the other.
      if (
        envelope.rcptTo.some((earlier) => earlier.address.toLowerCase() === address.toLowerCase())
      )
        throw new LmtpRefusal(452, '4.5.3', 'The mail goes to this address already');
      await this.#options.poster.check(address);
    } catch (error) {
      refusal = this.#refuse(error);
    }
    done(refusal);
  }

  async #take(
    stream: SMTPServerDataStream,
    session: SMTPServerSession,
    done: (error: null, answers: (string | Error)[]) => void,
  ): Promise<void> {
    this.#mailsUnderWay += 1;
    const answers = await this.#answersTo(stream, session);
    this.#mailsUnderWay -= 1;
    done(null, answers);
  }

  /** @returns an answer for each recipient */
  async #answersTo(
    stream: SMTPServerDataStream,
    { envelope }: SMTPServerSession,
  ): Promise<(string | Error)[]> {
    const toAll = <Answer>(answer: Answer): Answer[] => envelope.rcptTo.map(() => answer);
    let received: ReceivedAnswer;
    try {
      const bytes = await collect(stream);
      received = { hash: hash('sha256', bytes), mail: await this.#reader.read(bytes) };
    } catch (error) {
      return toAll(this.#refuse(error));
    }
    // Whoever would answer a program, by a bounce too, could make two of them answer each other for ever.
    const hasSender = envelope.mailFrom !== false && envelope.mailFrom.address !== '';
    const answers: (string | Error)[] = [];
    for (const { address } of envelope.rcptTo)
      answers.push(
        hasSender && !received.mail.isAutomatic
          ? await this.#post(address, received)
          : this.#accept('automatic'),
      );
    return answers;
  }

  async #post(address: string, received: ReceivedAnswer): Promise<string | Error> {
    try {
      return this.#accept(await this.#options.poster.post(address, received));
    } catch (error) {
      return this.#refuse(error);
    }
  }

  #accept(outcome: Outcome): string {
    this.#outcomes.inc({ outcome });
    return outcome === 'automatic' ? '2.0.0 Dropped, a program wrote it' : '2.0.0 Posted';
  }

  #refuse(error: unknown): LmtpRefusal {
    const refusal = lmtpRefusalOf(error);
    if (refusal !== error && !refusal.isPermanent)
      this.#options.log.warn({ err: error }, 'an answer by mail cannot be posted now');
    this.#outcomes.inc({ outcome: refusal.isPermanent ? 'refused' : 'failed' });
    return refusal;
  }
}
