/**
 * Runs what the log brings about. The rows of `side_effects` are the truth; BullMQ only spreads them over the processes, and a sweep
 * enqueues what Redis forgot. A handler may be called again after a crash: what it does must be harmless then, by the effect's key.
 */
import { setTimeout as delay } from 'node:timers/promises';

import type { RedisConfig } from '@parley/config';
import { ApiError } from '@parley/contracts';
import type { SideEffect } from '@parley/contracts';
import type { Pool } from '@parley/database';
import type { Logger } from '@parley/logging';
import { keyNames, reconnectDelayMs } from '@parley/redis';
import {
  claimSideEffect,
  listDueSideEffects,
  postponeSideEffect,
  removeSideEffect,
} from '@parley/store';
import type { SideEffectKey } from '@parley/store';
import { Queue, Worker } from 'bullmq';
import type { Job } from 'bullmq';
import { Redis } from 'ioredis';
import { Counter } from 'prom-client';
import type { Registry } from 'prom-client';

import { takeSideEffects } from './take-side-effects.ts';

/** An effect in the hands of its handler. */
export type SideEffectRun<Kind extends SideEffect['kind'] = SideEffect['kind']> = {
  readonly effect: Extract<SideEffect, { readonly kind: Kind }>;
  /** The same whenever the effect is run: `kind-position-target`. */
  readonly key: string;
  readonly attempts: number;
};

/** What each kind of effect does. An `ApiError` below 500 says that it cannot be done and is not tried again. */
export type SideEffectHandlers = {
  readonly [Kind in SideEffect['kind']]: (run: SideEffectRun<Kind>) => Promise<void>;
};

export type SideEffectRunnerOptions = {
  readonly pool: Pool;
  readonly redis: RedisConfig;
  readonly handlers: SideEffectHandlers;
  readonly log: Logger;
  readonly registry: Registry;
};

const queueName = 'side-effects';
const takeIntervalMs = 300;
const sweepIntervalMs = 5_000;
const sweepMax = 500;
const concurrency = 4;
/**
 * All processes together. As many as a sweep finds until the next one, but evenly: ten thousand people who are told something at once
 * would in bursts take the processor and the log from those who send meanwhile.
 */
const pace = { max: 25, duration: 250 } as const;
const closeTimeoutMs = 3_000;
/** Longer than any handler takes; after a crash an effect waits for so long. */
const claimSecs = 60;
const delayMaxSecs = 600;
/** Below the day for which the keys of sends are kept, which make a repeat harmless. */
const attemptsMax = 60;

/** @returns how long a failed effect waits: doubling from two seconds to ten minutes */
export function postponementSecs(attempts: number): number {
  return Math.min(delayMaxSecs, 2 ** Math.min(attempts, 10));
}

function jobIdOf({ kind, position, target }: SideEffectKey): string {
  return `${kind}-${position}-${target}`;
}

function connect(config: RedisConfig, options: { readonly failsAtOnce: boolean }): Redis {
  return new Redis(config.url.reveal(), {
    maxRetriesPerRequest: options.failsAtOnce ? 0 : null,
    enableOfflineQueue: !options.failsAtOnce,
    retryStrategy: (attempt) => reconnectDelayMs(attempt),
  });
}

/** A newer version took it from the log, which runs beside this one during a deploy; to call it done would lose it. */
function waitForNewerProcess(effect: never): never {
  throw new Error(`no handler for the side effect ${JSON.stringify(effect)}`);
}

export class SideEffectRunner {
  readonly #options: SideEffectRunnerOptions;
  readonly #queueConnection: Redis;
  readonly #workerConnection: Redis;
  readonly #queue: Queue<SideEffectKey>;
  readonly #worker: Worker<SideEffectKey>;
  readonly #outcomes: Counter<'kind' | 'outcome'>;
  readonly #timers: NodeJS.Timeout[] = [];
  readonly #running = new Map<string, Promise<void>>();

  constructor(options: SideEffectRunnerOptions) {
    this.#options = options;
    const { redis, log, registry } = options;
    this.#outcomes = new Counter({
      name: 'parley_side_effects_total',
      help: 'Side effects of the log by kind and outcome: done, refused, failed (tried again), given up',
      labelNames: ['kind', 'outcome'],
      registers: [registry],
    });
    const prefix = keyNames(redis.prefix).jobsPrefix;
    this.#queueConnection = connect(redis, { failsAtOnce: true });
    this.#workerConnection = connect(redis, { failsAtOnce: false });
    // Each outage is logged by the connections of the service itself.
    for (const connection of [this.#queueConnection, this.#workerConnection])
      connection.on('error', () => undefined);
    this.#queue = new Queue(queueName, { connection: this.#queueConnection, prefix });
    this.#worker = new Worker(queueName, async (job: Job<SideEffectKey>) => this.#run(job.data), {
      connection: this.#workerConnection,
      prefix,
      concurrency,
      limiter: pace,
      removeOnComplete: { count: 0 },
      removeOnFail: { count: 0 },
    });
    this.#queue.on('error', () => undefined);
    this.#worker.on('error', (error: Error) =>
      log.debug({ err: error }, 'the queue of side effects'),
    );
  }

  start(): void {
    this.#every(takeIntervalMs, 'taking side effects from the log', async () => {
      for (let mayHaveMore = true; mayHaveMore;) {
        const step = await takeSideEffects(this.#options.pool);
        if (step.taken > 0) await this.#sweep();
        ({ mayHaveMore } = step);
      }
    });
    this.#every(sweepIntervalMs, 'sweeping side effects', async () => this.#sweep());
  }

  async stop(): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer);
    await Promise.all(this.#running.values());
    // A worker without Redis waits for it forever; what it left undone another process finds in Postgres.
    const isReachable = this.#workerConnection.status === 'ready';
    const closed = Promise.allSettled([this.#worker.close(!isReachable), this.#queue.close()]);
    await Promise.race([closed, delay(closeTimeoutMs, undefined, { ref: false })]);
    this.#queueConnection.disconnect();
    this.#workerConnection.disconnect();
  }

  #every(intervalMs: number, name: string, work: () => Promise<void>): void {
    const run = (): void => {
      if (this.#running.has(name)) return;
      const started = work()
        .catch((error: unknown) =>
          this.#options.log.warn({ err: error }, `${name} failed; it is tried again`),
        )
        .finally(() => this.#running.delete(name));
      this.#running.set(name, started);
    };
    this.#timers.push(setInterval(run, intervalMs));
  }

  /** Enqueues what is due; a job that is in the queue already stays as it is. */
  async #sweep(): Promise<void> {
    const due = await listDueSideEffects(this.#options.pool, sweepMax);
    if (due.length === 0 || this.#queueConnection.status !== 'ready') return;
    await this.#queue.addBulk(
      due.map((key) => ({ name: key.kind, data: key, opts: { jobId: jobIdOf(key) } })),
    );
  }

  async #run(key: SideEffectKey): Promise<void> {
    const { pool, log } = this.#options;
    const claimed = await claimSideEffect(pool, key, claimSecs);
    if (claimed === undefined) return;
    const { effect, attempts } = claimed;
    const finish = async (outcome: string): Promise<void> => {
      await removeSideEffect(pool, key);
      this.#outcomes.inc({ kind: key.kind, outcome });
    };
    try {
      await this.#handle(effect, jobIdOf(key), attempts);
      await finish('done');
    } catch (error) {
      if (error instanceof ApiError && error.status < 500) {
        log.debug({ err: error, ...key }, 'a side effect cannot be done');
        await finish('refused');
      } else if (attempts >= attemptsMax) {
        log.error({ err: error, ...key }, 'a side effect is given up');
        await finish('given up');
      } else {
        log.warn({ err: error, ...key, attempts }, 'a side effect failed; it is tried again');
        this.#outcomes.inc({ kind: key.kind, outcome: 'failed' });
        await postponeSideEffect(pool, key, postponementSecs(attempts), String(error));
      }
    }
  }

  async #handle(effect: SideEffect, key: string, attempts: number): Promise<void> {
    const { handlers } = this.#options;
    switch (effect.kind) {
      case 'subscribed-notice':
        return handlers['subscribed-notice']({ effect, key, attempts });
      case 'stream-created-notice':
        return handlers['stream-created-notice']({ effect, key, attempts });
      case 'new-streams-notice':
        return handlers['new-streams-notice']({ effect, key, attempts });
      case 'stream-renamed-notice':
        return handlers['stream-renamed-notice']({ effect, key, attempts });
      case 'signed-up-notice':
        return handlers['signed-up-notice']({ effect, key, attempts });
      default:
        return waitForNewerProcess(effect);
    }
  }
}
