import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';

import type { Clock, Timer } from '@parley/clock';

import type { DecoderLimits, DecoderReport, DecoderTask } from './decoder-messages.ts';
import { DecoderUnavailable } from './decoder-unavailable.ts';
import type { MadeImage, WantedImages } from './make-images.ts';
import { UnusableImage } from './open-image.ts';

type Log = { warn: (fields: Record<string, unknown>, message: string) => void };

export type ImageDecoderOptions = {
  readonly clock: Clock;
  readonly log: Log;
  readonly limits?: DecoderLimits;
  /** A process with more resident memory than this after a picture is ended. */
  readonly keptMaxBytes?: number;
  readonly processUrl?: URL;
};

const mebibyte = 1024 * 1024;
/**
 * A new process has 110 MiB, two thirds of which are the program that it shares with its service. The largest pictures that reach the
 * decoder take some 130 MiB more, and a second.
 */
const usualLimits: DecoderLimits = { memoryMaxBytes: 320 * mebibyte, processorMaxMs: 4_000 };
/** Allocators and garbage collectors keep some of their memory. A process that has more than this afterwards takes no further picture. */
const usualKeptMaxBytes = 170 * mebibyte;
/** The longest time for one picture on a busy machine, the start of the process included. */
const wallTimeMs = 10_000;
/** After this time without a picture the process is ended. */
const idleMs = 30_000;
const lastWordsMax = 2_000;
const ownProcessUrl = new URL('./decoder-process.ts', import.meta.url);

type Job = {
  readonly bytes: number;
  readonly outcome: PromiseWithResolvers<readonly MadeImage[]>;
  readonly timer: Timer;
};

/**
 * Makes pictures in a separate process with limits of memory and time. A picture that exceeds them is refused, and breaks only that
 * process. The process is started for a picture, and ended after some time without one.
 */
export class ImageDecoder {
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #limits: DecoderLimits;
  readonly #keptMaxBytes: number;
  readonly #processUrl: URL;
  #child: ChildProcess | undefined;
  /** Whether the process has loaded the decoder. */
  #isReady = false;
  #job: Job | undefined;
  #idleTimer: Timer | undefined;
  #isClosed = false;

  constructor(options: ImageDecoderOptions) {
    this.#clock = options.clock;
    this.#log = options.log;
    this.#limits = options.limits ?? usualLimits;
    this.#keptMaxBytes = options.keptMaxBytes ?? usualKeptMaxBytes;
    this.#processUrl = options.processUrl ?? ownProcessUrl;
  }

  /**
   * Makes upright pictures from the pixels of an original; nothing else of it is kept. Must be called for one original at a time.
   *
   * @returns the wanted pictures, in order
   * @throws UnusableImage for content that is no image or exceeds the limits
   * @throws DecoderUnavailable if the process cannot be started or does not finish in time, and after `close`
   */
  async make(content: Buffer, wanted: WantedImages): Promise<readonly MadeImage[]> {
    if (this.#job !== undefined) throw new Error('a picture is being made');
    if (this.#isClosed) throw new DecoderUnavailable('the decoder is closed');
    this.#idleTimer?.cancel();
    const child = (this.#child ??= this.#start());
    const outcome = Promise.withResolvers<readonly MadeImage[]>();
    const timer = this.#clock.after(wallTimeMs, () => this.#end('it took too long'));
    this.#job = { bytes: content.length, outcome, timer };
    const task: DecoderTask = { content, wanted, limits: this.#limits };
    // If the process is gone, its exit event reports that.
    child.send(task, () => undefined);
    try {
      return await outcome.promise;
    } finally {
      this.#idleTimer = this.#clock.after(idleMs, () => this.#end('it is idle')).unref();
    }
  }

  /** Ends the process; its current picture is not made. */
  close(): void {
    this.#isClosed = true;
    this.#end('the decoder is closed');
    this.#idleTimer?.cancel();
  }

  #start(): ChildProcess {
    // It gets no environment, because it needs none and the environment contains secrets.
    const child = fork(this.#processUrl, {
      serialization: 'advanced',
      execArgv: [],
      env: {},
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    // The process alone must not keep the service running.
    child.unref();
    child.channel?.unref();
    // Messages of libraries about hostile pictures are not logged, except for the last lines of a process that ends.
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

  /** A process that ended by itself exceeded its limits, was ended by the system, or met a fault that the picture caused. */
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
    job?.timer.cancel();
    return job?.outcome;
  }
}
