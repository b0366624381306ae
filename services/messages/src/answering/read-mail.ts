import { Worker } from 'node:worker_threads';

import type { Clock } from '@parley/clock';

import { LmtpRefusal } from './lmtp-refusal.ts';
import type { MailContent, MailReport } from './mail-content.ts';

const workerUrl = new URL('mail-worker.ts', import.meta.url);

/** The costliest mail that was found takes 3.2 s of processor time, with the start of its thread; a busy machine takes longer. */
const wallTimeMs = 20_000;
const heapMaxMb = 128;

/**
 * Reads a mail in a thread of its own, so that one that takes long, or too much memory, delays and ends nothing else.
 *
 * @throws LmtpRefusal for good if it is no mail or takes too much memory, for now if it takes too much time
 */
async function read(clock: Clock, bytes: Uint8Array<ArrayBuffer>): Promise<MailContent> {
  const worker = new Worker(workerUrl, { resourceLimits: { maxOldGenerationSizeMb: heapMaxMb } });
  const { promise, resolve } = Promise.withResolvers<MailReport>();
  const timer = clock.after(wallTimeMs, () => resolve({ kind: 'late' }));
  worker.once('message', resolve);
  worker.once('error', () => resolve({ kind: 'unreadable' }));
  worker.postMessage(bytes, [bytes.buffer]);
  const report = await promise;
  timer.cancel();
  await worker.terminate();
  if (report.kind === 'read') return report.mail;
  throw report.kind === 'late'
    ? new LmtpRefusal(451, '4.3.1', 'The mail took too long to read')
    : new LmtpRefusal(550, '5.6.0', 'The mail cannot be read');
}

/** Reads mails one after the other. */
export class MailReader {
  readonly #clock: Clock;
  #last: Promise<unknown> = Promise.resolve();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Reads a mail, whose bytes it takes.
   *
   * @throws LmtpRefusal
   */
  async read(bytes: Uint8Array<ArrayBuffer>): Promise<MailContent> {
    const next = this.#last.then(async () => read(this.#clock, bytes));
    this.#last = next.catch(() => undefined);
    return next;
  }
}
