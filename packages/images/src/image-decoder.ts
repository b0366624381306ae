import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';

import type { DecoderLimits, DecoderReport, DecoderTask } from './decoder-messages.ts';
import { DecoderUnavailable } from './decoder-unavailable.ts';
import type { MadeImage, WantedImages } from './make-images.ts';
import { UnusableImage } from './open-image.ts';

type Log = { warn: (fields: Record<string, unknown>, message: string) => void };

export type ImageDecoderOptions = {
  readonly log: Log;
  readonly limits?: DecoderLimits;
  /** A process that has more resident after a picture is ended. */
  readonly keptMaxBytes?: number;
  /** What one picture may take on a machine that is busy with other things, the start of the process included. */
  readonly wallTimeMs?: number;
  /** After so long without a picture the process is ended. */
  readonly idleMs?: number;
  readonly processUrl?: URL;
};

const mebibyte = 1024 * 1024;
/**
 * A new process has 110 MiB, of which two thirds are the program that it shares with its service. The largest pictures that are let near
 * the decoder take some 130 MiB more, and a second.
 */
const usualLimits: DecoderLimits = { memoryMaxBytes: 320 * mebibyte, processorMaxMs: 4_000 };
/** Allocators and collectors of garbage keep some of what they got: a process that has more afterwards takes no further picture. */
const usualKeptMaxBytes = 170 * mebibyte;
const usualWallTimeMs = 10_000;
const usualIdleMs = 30_000;
const lastWordsMax = 2_000;
const ownProcessUrl = new URL('./decoder-process.ts', import.meta.url);

type Job = {
  readonly bytes: number;
  readonly outcome: PromiseWithResolvers<readonly MadeImage[]>;
  readonly timer: NodeJS.Timeout;
};

/**
 * Makes pictures in a process of its own, which takes no more memory and time than it may: a picture that would is refused, and what it
 * brings down is that process. It is started for a picture when there is none, and ended when there was none to make for a while.
 */
export class ImageDecoder {
  readonly #log: Log;
  readonly #limits: DecoderLimits;
  readonly #keptMaxBytes: number;
  readonly #wallTimeMs: number;
  readonly #idleMs: number;
  readonly #processUrl: URL;
  #child: ChildProcess | undefined;
  /** Whether the process has loaded the decoder. */
  #isReady = false;
  #job: Job | undefined;
  #idleTimer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(options: ImageDecoderOptions) {
    this.#log = options.log;
    this.#limits = options.limits ?? usualLimits;
    this.#keptMaxBytes = options.keptMaxBytes ?? usualKeptMaxBytes;
    this.#wallTimeMs = options.wallTimeMs ?? usualWallTimeMs;
    this.#idleMs = options.idleMs ?? usualIdleMs;
    this.#processUrl = options.processUrl ?? ownProcessUrl;
  }

  /**
   * Makes pictures of an original, upright, of which nothing but its pixels is kept. To be called for one at a time.
   *
   * @returns as many as are wanted, in their order
   * @throws UnusableImage for what is no image, and what takes too much
   * @throws DecoderUnavailable where the process cannot be started or does not come to its end in time, and after `close`
   */
  async make(content: Buffer, wanted: WantedImages): Promise<readonly MadeImage[]> {
    if (this.#job !== undefined) throw new Error('a picture is being made');
    if (this.#isClosed) throw new DecoderUnavailable('the decoder is closed');
    clearTimeout(this.#idleTimer);
    const child = (this.#child ??= this.#start());
    const outcome = Promise.withResolvers<readonly MadeImage[]>();
    const timer = setTimeout(() => this.#end('it took too long'), this.#wallTimeMs);
    this.#job = { bytes: content.length, outcome, timer };
    const task: DecoderTask = { content, wanted, limits: this.#limits };
    // A process that is gone says so itself.
    child.send(task, () => undefined);
    try {
      return await outcome.promise;
    } finally {
      this.#idleTimer = setTimeout(() => this.#end('it is idle'), this.#idleMs).unref();
    }
  }

  /** Ends the process; the picture that it has is not made. */
  close(): void {
    this.#isClosed = true;
    this.#end('the decoder is closed');
    clearTimeout(this.#idleTimer);
  }

  #start(): ChildProcess {
    // It gets nothing of the environment: it needs nothing of it, and there are secrets in it.
    const child = fork(this.#processUrl, {
      serialization: 'advanced',
      execArgv: [],
      env: {},
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    // The process alone is no reason to keep the service.
    child.unref();
    child.channel?.unref();
    // What libraries say of hostile pictures is kept out of the log, but for the last words of one that ends.
    let lastWords = '';
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      lastWords = (lastWords + text).slice(-lastWordsMax);
    });
    child.on('message', (report: DecoderReport) => {
      if (this.#child === child) this.#take(report);
    });
    child.on('error', (error) => {
      if (this.#child === child) this.#lose({ err: error }, undefined);
    });
    child.on('exit', (code, signal) => {
      if (this.#child === child) this.#lose({ code, signal, lastWords }, signal ?? undefined);
    });
    return child;
  }

  #take(report: DecoderReport): void {
    if (report.kind === 'ready') {
      this.#isReady = true;
      return;
    }
    const outcome = this.#finish();
    if (report.memoryBytes > this.#keptMaxBytes) this.#end('it keeps too much');
    if (report.kind === 'made') outcome?.resolve(report.images);
    else outcome?.reject(new UnusableImage(report.fault));
  }

  /** What ends of itself was ended for what it took, by itself or by the system, or by a fault that the picture found. */
  #lose(how: Record<string, unknown>, signal: NodeJS.Signals | undefined): void {
    const wasReady = this.#isReady;
    this.#child = undefined;
    this.#isReady = false;
    const job = this.#job;
    if (job === undefined) return;
    this.#log.warn(
      { ...how, bytes: job.bytes, wasReady },
      'the process that decodes pictures ended',
    );
    this.#finish()?.reject(
      wasReady
        ? new UnusableImage(signal === 'SIGKILL' ? 'too large' : 'not an image')
        : new DecoderUnavailable('it did not start'),
    );
  }

  #end(reason: string): void {
    const child = this.#child;
    this.#child = undefined;
    this.#isReady = false;
    child?.kill('SIGKILL');
    this.#finish()?.reject(new DecoderUnavailable(reason));
  }

  #finish(): Job['outcome'] | undefined {
    const job = this.#job;
    this.#job = undefined;
    clearTimeout(job?.timer);
    return job?.outcome;
  }
}
