/**
 * Runs the side effects of the log. A handler may be called again after a crash, and must use the effect's key to make that harmless.
 */
import type { Clock, Timer } from '@parley/clock';
import type { RedisConfig } from '@parley/config';
import type { SideEffect } from '@parley/event-log';
import type { Pool } from '@parley/database';
import type { Logger } from '@parley/telemetry/logging';
import { countSideEffects, listDueSideEffects, listDueSideEffectsOfBots } from '@parley/store';
import type { BotEffectBounds, SideEffectKey } from '@parley/store';
import { Counter, Gauge } from 'prom-client';
import type { Registry } from 'prom-client';

import { JobLane } from './job-lane.ts';
import type { RunAgain } from './job-lane.ts';
import { effectIdOf, runEffect } from './run-effect.ts';
import type { HandleEffect, SideEffectRun } from './run-effect.ts';
import { takeSideEffects } from './take-side-effects.ts';

/** A handler for each kind of effect. An `ApiError` below 500 means that the effect is impossible and is not repeated. */
export type SideEffectHandlers = {
  readonly [Kind in SideEffect['kind']]: (run: SideEffectRun<Kind>) => Promise<void | RunAgain>;
};

export type SideEffectRunnerOptions = {
  readonly clock: Clock;
  readonly pool: Pool;
  readonly redis: RedisConfig;
  readonly handlers: SideEffectHandlers;
  readonly log: Logger;
  readonly registry: Registry;
};

const takeIntervalMs = 300;
const sweepIntervalMs = 5_000;
const sweepMax = 500;
/**
 * The rate of notices over all processes: as many as a sweep enqueues, but evenly. Otherwise notices for ten thousand people would take the
 * processor and the log from senders in bursts.
 */
const noticePace = { max: 25, duration: 250 } as const;
const noticesAtOnce = 4;
/** A call mostly waits for another server, for seconds. */
const callsAtOnce = 64;
/** Bounds that leave capacity for others if the services of one bot, or of one owner's bots, answer slowly. */
const callBounds = { perBotMax: 4, perOwnerMax: 20 } as const;
const callKind = 'outgoing-webhook';

/** A newer release, which runs beside this one during a deploy, took it from the log. Reporting it as done would lose it. */
function waitForNewerProcess(effect: never): never {
  throw new Error(`no handler for the side effect ${JSON.stringify(effect)}`);
}

function handleBy(handlers: SideEffectHandlers): HandleEffect {
  return async ({ effect, ...run }) => {
    switch (effect.kind) {
      case 'subscribed-notice':
        return handlers['subscribed-notice']({ effect, ...run });
      case 'stream-created-notice':
        return handlers['stream-created-notice']({ effect, ...run });
      case 'new-streams-notice':
        return handlers['new-streams-notice']({ effect, ...run });
      case 'stream-renamed-notice':
        return handlers['stream-renamed-notice']({ effect, ...run });
      case 'messages-moved-notice':
        return handlers['messages-moved-notice']({ effect, ...run });
      case 'signed-up-notice':
        return handlers['signed-up-notice']({ effect, ...run });
      case 'outgoing-webhook':
        return handlers['outgoing-webhook']({ effect, ...run });
      default:
        return waitForNewerProcess(effect);
    }
  };
}

export class SideEffectRunner {
  readonly #options: SideEffectRunnerOptions;
  readonly #lanes: readonly JobLane<SideEffectKey>[];
  #timer: Timer | undefined;
  #taking: Promise<number | undefined> | undefined;

  constructor(options: SideEffectRunnerOptions) {
    this.#options = options;
    const { clock, pool, redis, log, registry, handlers } = options;
    const handle = handleBy(handlers);
    const outcomes = new Counter({
      name: 'parley_side_effects_total',
      help: 'Side effects, by kind and outcome (done, refused, failed and to be retried, given up)',
      labelNames: ['kind', 'outcome'],
      registers: [registry],
    });
    const waiting = new Gauge({
      name: 'parley_side_effects_waiting',
      help: 'Side effects of the whole installation that are waiting or running, by lane',
      labelNames: ['lane'],
      registers: [registry],
    });
    const openLane = (lane: {
      readonly queueName: string;
      readonly concurrency: number;
      readonly pace?: typeof noticePace;
      readonly bounds?: BotEffectBounds;
      readonly listDue: () => Promise<SideEffectKey[]>;
      readonly countWaiting: () => Promise<number>;
    }): JobLane<SideEffectKey> =>
      new JobLane({
        clock,
        redis,
        log,
        sweepIntervalMs,
        ...lane,
        // The bot's next effect waits in Postgres until one of the bot's effects has ended.
        wakesAfterEach: lane.bounds !== undefined,
        idOf: effectIdOf,
        listDue: async () => {
          const due = await lane.listDue();
          waiting.set({ lane: lane.queueName }, await lane.countWaiting());
          return due;
        },
        run: (key, signal) =>
          runEffect({ pool, log, handle, outcomes, bounds: lane.bounds }, key, signal),
      });
    this.#lanes = [
      openLane({
        queueName: 'side-effects',
        concurrency: noticesAtOnce,
        pace: noticePace,
        listDue: () => listDueSideEffects(pool, [callKind], sweepMax),
        countWaiting: () => countSideEffects(pool, [callKind], false),
      }),
      openLane({
        queueName: 'outgoing-calls',
        concurrency: callsAtOnce,
        bounds: callBounds,
        listDue: () =>
          listDueSideEffectsOfBots(pool, callKind, { ...callBounds, effectsMax: sweepMax }),
        countWaiting: () => countSideEffects(pool, [callKind], true),
      }),
    ];
  }

  start(): void {
    this.#timer = this.#options.clock.every(takeIntervalMs, () => void this.#takeAll());
    for (const lane of this.#lanes) lane.start();
  }

  /** @returns whether no effect was to be taken or run; otherwise begins with them */
  async settle(): Promise<boolean> {
    await this.#taking;
    const taken = await this.#takeAll();
    const settled = await Promise.all(this.#lanes.map((lane) => lane.settle()));
    return taken === 0 && settled.every(Boolean);
  }

  async stop(): Promise<void> {
    this.#timer?.cancel();
    await this.#taking;
    await Promise.all(this.#lanes.map(async (lane) => lane.stop()));
  }

  /** @returns how many effects were taken; undefined if that failed */
  #takeAll(): Promise<number | undefined> {
    this.#taking ??= this.#take()
      .catch((error: unknown) => {
        this.#options.log.warn(
          { err: error },
          'taking side effects from the log failed; it is tried again',
        );
        return undefined;
      })
      .finally(() => {
        this.#taking = undefined;
      });
    return this.#taking;
  }

  async #take(): Promise<number> {
    let taken = 0;
    for (let mayHaveMore = true; mayHaveMore;) {
      const step = await takeSideEffects(this.#options.pool);
      if (step.taken > 0) for (const lane of this.#lanes) lane.wake();
      taken += step.taken;
      ({ mayHaveMore } = step);
    }
    return taken;
  }
}
