/**
 * A lane for side effects: a separate BullMQ queue, so that slow effects do not delay others. The rows of `side_effects` are the truth;
 * BullMQ only distributes them over the processes, and a sweep enqueues rows that Redis lost.
 */
import { setTimeout as delay } from 'node:timers/promises';

import type { RedisConfig } from '@parley/config';
import { ApiError } from '@parley/api';
import type { SideEffect } from '@parley/event-log';
import type { Pool } from '@parley/database';
import type { Logger } from '@parley/logging';
import { connectForJobs, keyNames } from '@parley/redis';
import {
  claimSideEffect,
  postponeSideEffect,
  removeSideEffect,
  saveSideEffectProgress,
} from '@parley/store';
import type { BotEffectBounds, SideEffectClaim, SideEffectKey } from '@parley/store';
import { Queue, Worker } from 'bullmq';
import type { Job, WorkerOptions } from 'bullmq';
import type { Counter, Gauge } from 'prom-client';

/** An effect while its handler runs. */
export type SideEffectRun<Kind extends SideEffect['kind'] = SideEffect['kind']> = {
  readonly effect: Extract<SideEffect, { readonly kind: Kind }>;
  /** The same at every run of the effect: `kind-position-target`. */
  readonly key: string;
  /** The same at every run of the effect, and unguessable, so that receivers can recognize a repeat. */
  readonly deliveryKey: string;
  readonly attempts: number;
  /** The value that was saved last. */
  readonly progress: unknown;
  /**
   * Stores the progress of the effect.
   *
   * @throws ClaimLost if this process was paused so long that another one has the effect
   */
  readonly saveProgress: (progress: unknown) => Promise<void>;
  /** Aborted when the process ends and cannot wait any longer. */
  readonly signal: AbortSignal;
};

/** The result of a handler that wants another run, although nothing failed. */
export type RunAgain = { readonly againInMs: number };

export type HandleEffect = (run: SideEffectRun) => Promise<void | RunAgain>;

/** Another process has the effect, so results of this one no longer count. */
export class ClaimLost extends Error {}

export type EffectLaneOptions = {
  readonly pool: Pool;
  readonly redis: RedisConfig;
  readonly log: Logger;
  readonly handle: HandleEffect;
  /** Of BullMQ. */
  readonly queueName: string;
  readonly concurrency: number;
  /** All processes together. */
  readonly pace?: WorkerOptions['limiter'];
  /** For effects whose targets are bots. */
  readonly bounds?: BotEffectBounds;
  readonly listDue: (pool: Pool) => Promise<SideEffectKey[]>;
  readonly countWaiting: (pool: Pool) => Promise<number>;
  readonly outcomes: Counter<'kind' | 'outcome'>;
  readonly waiting: Gauge<'lane'>;
};

const sweepIntervalMs = 5_000;
const closeTimeoutMs = 3_000;
/** The time that running effects get before they are aborted at the end. */
const finishTimeoutMs = 1_500;
/** Longer than any handler takes between two saves of its progress; after a crash an effect waits this long. */
const claimSecs = 60;
/** After this time another process gets the job of a dead one, if its row is free. BullMQ's default of half a minute doubled the wait. */
const jobLock = { lockDuration: 10_000, stalledInterval: 5_000 };
const delayMaxSecs = 600;
/** Few enough to end within a day, because the keys of sends, which make repeats harmless, are kept for a day. */
const attemptsMax = 60;
/** A job is removed a moment after its end is reported, and cannot be enqueued again until then. */
const wakeSlackMs = 20;

/** @returns how long a failed effect waits: doubling from two seconds to ten minutes */
function retryDelaySecs(attempts: number): number {
  return Math.min(delayMaxSecs, 2 ** Math.min(attempts, 10));
}

function jobIdOf({ kind, position, target }: SideEffectKey): string {
  return `${kind}-${position}-${target}`;
}

export class EffectLane {
  readonly #options: EffectLaneOptions;
  readonly #queueConnection: ReturnType<typeof connectForJobs>;
  readonly #workerConnection: ReturnType<typeof connectForJobs>;
  readonly #queue: Queue<SideEffectKey>;
  readonly #worker: Worker<SideEffectKey>;
  readonly #ending = new AbortController();
  readonly #wakes = new Set<NodeJS.Timeout>();
  #interval: NodeJS.Timeout | undefined;
  #sweeping: Promise<void> | undefined;
  #isWoken = false;
  #isStopping = false;

  constructor(options: EffectLaneOptions) {
    this.#options = options;
    const { redis, log, queueName, concurrency, pace } = options;
    this.#queueConnection = connectForJobs(redis, 'adding');
    this.#workerConnection = connectForJobs(redis, 'working');
    const prefix = keyNames(redis.prefix, this.#queueConnection).jobsPrefix;
    this.#queue = new Queue(queueName, { connection: this.#queueConnection, prefix });
    this.#worker = new Worker(queueName, async (job: Job<SideEffectKey>) => this.#run(job.data), {
      connection: this.#workerConnection,
      prefix,
      concurrency,
      ...jobLock,
      ...(pace !== undefined && { limiter: pace }),
      removeOnComplete: { count: 0 },
      removeOnFail: { count: 0 },
    });
    // Errors of connections, which reconnect by themselves; work that fails meanwhile reports its own errors.
    const note = (error: Error): void => log.debug({ err: error }, `the queue ${queueName}`);
    this.#queue.on('error', note);
    this.#worker.on('error', note);
    // The bot's next effect waits in Postgres until one of the bot's effects has ended.
    if (options.bounds !== undefined) this.#worker.on('completed', () => this.#wakeIn(wakeSlackMs));
  }

  start(): void {
    this.#interval = setInterval(() => this.wake(), sweepIntervalMs);
  }

  /** Enqueues due effects soon. */
  wake(): void {
    if (this.#isStopping) return;
    if (this.#sweeping !== undefined) {
      this.#isWoken = true;
      return;
    }
    this.#sweeping = this.#sweep()
      .catch((error: unknown) =>
        this.#options.log.warn(
          { err: error },
          `sweeping ${this.#options.queueName} failed; it is tried again`,
        ),
      )
      .finally(() => {
        this.#sweeping = undefined;
        const again = this.#isWoken;
        this.#isWoken = false;
        if (again) this.wake();
      });
  }

  /** Gives running effects a moment to end, and releases the rest. */
  async stop(): Promise<void> {
    // Running effects end while the worker closes, and must not use connections that are about to close.
    this.#isStopping = true;
    clearInterval(this.#interval);
    for (const timer of this.#wakes) clearTimeout(timer);
    await this.#sweeping;
    // A worker without Redis would wait for ever; another process finds its unfinished work in Postgres.
    const isReachable = this.#workerConnection.status === 'ready';
    const callOff = setTimeout(() => this.#ending.abort(), finishTimeoutMs);
    const closed = Promise.allSettled([this.#worker.close(!isReachable), this.#queue.close()]);
    await Promise.race([closed, delay(closeTimeoutMs, undefined, { ref: false })]);
    clearTimeout(callOff);
    this.#ending.abort();
    this.#queueConnection.disconnect();
    this.#workerConnection.disconnect();
  }

  #wakeIn(delayMs: number): void {
    if (this.#isStopping) return;
    const timer = setTimeout(() => {
      this.#wakes.delete(timer);
      this.wake();
    }, delayMs);
    this.#wakes.add(timer);
  }

  /** A job that is already in the queue stays unchanged. */
  async #sweep(): Promise<void> {
    const { pool, listDue, countWaiting, waiting, queueName } = this.#options;
    const due = await listDue(pool);
    waiting.set({ lane: queueName }, await countWaiting(pool));
    if (due.length === 0 || this.#queueConnection.status !== 'ready') return;
    await this.#queue.addBulk(
      due.map((key) => ({ name: key.kind, data: key, opts: { jobId: jobIdOf(key) } })),
    );
  }

  async #run(key: SideEffectKey): Promise<void> {
    const { pool, log, outcomes, bounds } = this.#options;
    const claimed = await claimSideEffect(pool, key, { claimSecs, bounds });
    if (claimed === undefined) return;
    const { effect, attempts, deliveryKey, progress } = claimed;
    const claim: SideEffectClaim = { ...key, attempts };
    const finish = async (outcome: string): Promise<void> => {
      await removeSideEffect(pool, claim);
      outcomes.inc({ kind: key.kind, outcome });
    };
    try {
      const again = await this.#options.handle({
        effect,
        key: jobIdOf(key),
        deliveryKey,
        attempts,
        progress: progress === null ? undefined : JSON.parse(progress),
        saveProgress: async (value) => {
          if (!(await saveSideEffectProgress(pool, claim, JSON.stringify(value), claimSecs)))
            throw new ClaimLost(`the claim on ${jobIdOf(key)} has lapsed`);
        },
        signal: this.#ending.signal,
      });
      if (again === undefined) return await finish('done');
      await postponeSideEffect(pool, claim, again.againInMs, null);
      this.#wakeIn(again.againInMs + wakeSlackMs);
    } catch (error) {
      if (error instanceof ClaimLost) {
        log.warn({ ...key, attempts }, 'another process has run the side effect');
      } else if (error instanceof ApiError && error.status < 500) {
        log.debug({ err: error, ...key }, 'a side effect cannot be executed');
        await finish('refused');
      } else if (attempts >= attemptsMax) {
        log.error({ err: error, ...key }, 'a side effect is given up');
        await finish('given up');
      } else {
        log.warn({ err: error, ...key, attempts }, 'a side effect failed; it is tried again');
        outcomes.inc({ kind: key.kind, outcome: 'failed' });
        await postponeSideEffect(pool, claim, 1000 * retryDelaySecs(attempts), String(error));
      }
    }
  }
}
