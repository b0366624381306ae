/** Renders batches of texts in threads, in the order in which they come. */
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';

import type { ImportRenderData, RenderTask, RenderedText } from './render-texts.ts';

const threadsMax = 4;
const workerUrl = new URL('render-worker.ts', import.meta.url);
/** A batch is some hundred texts, each within the renderer's own bounds. */
const workerHeapMaxMb = 192;

type Job = {
  readonly tasks: readonly RenderTask[];
  readonly outcome: PromiseWithResolvers<readonly RenderedText[]>;
};

type Thread = { readonly worker: Worker; job: Job | undefined };

export class RenderThreads {
  readonly #threads: readonly Thread[];
  readonly #waiting: Job[] = [];
  #failure: Error | undefined;

  constructor(data: ImportRenderData) {
    const count = Math.min(threadsMax, availableParallelism());
    this.#threads = Array.from({ length: count }, () => this.#start(data));
  }

  #start(data: ImportRenderData): Thread {
    const worker = new Worker(workerUrl, {
      workerData: data,
      resourceLimits: { maxOldGenerationSizeMb: workerHeapMaxMb },
    });
    const thread: Thread = { worker, job: undefined };
    worker.on('message', (texts: readonly RenderedText[]) => {
      thread.job?.outcome.resolve(texts);
      thread.job = undefined;
      this.#dispatch();
    });
    worker.on('error', (error) =>
      this.#fail(error instanceof Error ? error : new Error('a render thread failed')),
    );
    worker.on('exit', () => this.#fail(new Error('a render thread ended')));
    return thread;
  }

  #fail(error: Error): void {
    this.#failure ??= error;
    for (const job of this.#waiting.splice(0)) job.outcome.reject(this.#failure);
    for (const thread of this.#threads) {
      thread.job?.outcome.reject(this.#failure);
      thread.job = undefined;
    }
  }

  #dispatch(): void {
    for (const thread of this.#threads) {
      if (thread.job !== undefined) continue;
      const job = this.#waiting.shift();
      if (job === undefined) return;
      thread.job = job;
      thread.worker.postMessage(job.tasks, []);
    }
  }

  /** @returns the rendered texts, in order */
  render(tasks: readonly RenderTask[]): Promise<readonly RenderedText[]> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    const job: Job = { tasks, outcome: Promise.withResolvers() };
    this.#waiting.push(job);
    this.#dispatch();
    return job.outcome.promise;
  }

  async close(): Promise<void> {
    this.#failure ??= new Error('the render threads were closed');
    await Promise.all(this.#threads.map(({ worker }) => worker.terminate()));
  }
}
