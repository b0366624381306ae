import { Worker } from 'node:worker_threads';

import { serviceUnavailable } from '@parley/api';
import type { Clock, Timer } from '@parley/clock';
import { UnableToRender } from '@parley/markdown';
import type { RenderedMessage } from '@parley/markdown';

import type { DiffTask, RenderTask, WorkDone, WorkerReport } from './render-task.ts';

type Job = {
  readonly task: RenderTask | DiffTask;
  readonly resolve: (done: WorkDone) => void;
  readonly reject: (error: Error) => void;
};

type Slot = {
  worker: Worker | undefined;
  /** Whether the worker has loaded the renderer. */
  isReady: boolean;
  job: Job | undefined;
  timer: Timer | undefined;
};

type Log = { warn: (fields: Record<string, unknown>, message: string) => void };

export type RenderPoolOptions = {
  readonly clock: Clock;
  readonly log: Log;
  /** How many messages are rendered at the same time. */
  readonly size: number;
  /** How many messages may wait; more get a 503. */
  readonly waitingMax: number;
  readonly workerUrl: URL;
};

function lengthOf(task: RenderTask | DiffTask): number {
  return 'newHtml' in task ? task.newHtml.length : task.content.length;
}

/**
 * The most time for one message once its worker runs (reference facts, markdown 15): the last resort, far above what the renderer's own
 * limits allow.
 */
const wallTimeMs = 5_000;

/** Far above what any message needs within the renderer's own limits; a worker beyond it ends, and only its message fails. */
const workerHeapMaxMb = 192;

/**
 * A few threads that render one message each at a time. A message that exceeds the wall time, or crashes its thread, is refused; the thread
 * is replaced when the next message needs one.
 */
export class RenderPool {
  readonly #options: RenderPoolOptions;
  readonly #slots: readonly Slot[];
  readonly #waiting: Job[] = [];
  #isClosed = false;

  constructor(options: RenderPoolOptions) {
    this.#options = options;
    this.#slots = Array.from({ length: options.size }, () => ({
      worker: undefined,
      isReady: false,
      job: undefined,
      timer: undefined,
    }));
  }

  /**
   * Renders in one of the threads.
   *
   * @throws UnableToRender
   * @throws ApiError 503 if too many wait, if threads cannot be started, and after `close`
   */
  async run(task: RenderTask): Promise<RenderedMessage> {
    const done = await this.#ask(task);
    if (done.kind !== 'rendered') throw new Error('a message was not rendered');
    return done.message;
  }

  /**
   * Compares in one of the threads.
   *
   * @throws UnableToRender if a thread fails
   * @throws ApiError as for `run`
   */
  async compare(task: DiffTask): Promise<string> {
    const done = await this.#ask(task);
    if (done.kind !== 'compared') throw new Error('two renderings were not compared');
    return done.htmlDiff;
  }

  #ask(task: RenderTask | DiffTask): Promise<WorkDone> {
    if (this.#isClosed || this.#waiting.length >= this.#options.waitingMax) {
      return Promise.reject(serviceUnavailable());
    }
    return new Promise<WorkDone>((resolve, reject) => {
      this.#waiting.push({ task, resolve, reject });
      this.#dispatch();
    });
  }

  /** Ends the threads; messages in progress get a 503. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const job of this.#waiting.splice(0)) job.reject(serviceUnavailable());
    await Promise.all(
      this.#slots.map(async (slot) => {
        const { worker } = slot;
        this.#release(slot)?.reject(serviceUnavailable());
        await worker?.terminate();
      }),
    );
  }

  #dispatch(): void {
    // A running thread is preferred to one that must be started.
    const idle = this.#slots.filter(({ job }) => job === undefined);
    for (const slot of idle.toSorted((a, b) => Number(b.isReady) - Number(a.isReady))) {
      const job = this.#waiting.shift();
      if (job === undefined) return;
      slot.job = job;
      slot.worker ??= this.#start(slot);
      if (slot.isReady) this.#post(slot);
    }
  }

  #start(slot: Slot): Worker {
    const worker = new Worker(this.#options.workerUrl, {
      resourceLimits: { maxOldGenerationSizeMb: workerHeapMaxMb },
    });
    // The thread alone does not keep the process alive.
    worker.unref();
    worker.on('message', (report: WorkerReport) => {
      if (slot.worker === worker) this.#take(slot, report);
    });
    worker.on('error', (error) => {
      this.#options.log.warn({ err: error }, 'a render thread failed');
      if (slot.worker === worker) this.#fail(slot, 'the thread failed');
    });
    worker.on('exit', () => {
      if (slot.worker === worker) this.#fail(slot, 'the thread ended');
    });
    return worker;
  }

  #post(slot: Slot): void {
    const { clock, log } = this.#options;
    slot.timer = clock.after(wallTimeMs, () => {
      const { worker, job } = slot;
      log.warn(
        { wallTimeMs, contentLength: job && lengthOf(job.task) },
        'a message took too long to render',
      );
      this.#fail(slot, 'it took too long');
      void worker?.terminate();
    });
    slot.worker?.postMessage(slot.job?.task);
  }

  #take(slot: Slot, report: WorkerReport): void {
    if (report.kind === 'ready') {
      slot.isReady = true;
      if (slot.job !== undefined) this.#post(slot);
      return;
    }
    slot.timer?.cancel();
    const { job } = slot;
    slot.job = undefined;
    if (report.kind === 'refused') job?.reject(new UnableToRender(report.reason));
    else job?.resolve(report);
    this.#dispatch();
  }

  /** Ends the thread, whose message fails. A thread that never ran says nothing about the message. */
  #fail(slot: Slot, reason: string): void {
    const wasReady = slot.isReady;
    this.#release(slot)?.reject(wasReady ? new UnableToRender(reason) : serviceUnavailable());
    this.#dispatch();
  }

  #release(slot: Slot): Job | undefined {
    const { job } = slot;
    slot.timer?.cancel();
    slot.worker = undefined;
    slot.isReady = false;
    slot.job = undefined;
    slot.timer = undefined;
    return job;
  }
}
