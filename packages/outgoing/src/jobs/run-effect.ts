/** One run of a side effect: the claim on its row, its handler, and what becomes of the row. */
import { ApiError } from '@parley/api';
import type { SideEffect } from '@parley/event-log';
import type { Pool } from '@parley/database';
import type { Logger } from '@parley/telemetry/logging';
import {
  claimSideEffect,
  postponeSideEffect,
  removeSideEffect,
  saveSideEffectProgress,
} from '@parley/store';
import type { BotEffectBounds, SideEffectClaim, SideEffectKey } from '@parley/store';
import type { Counter } from 'prom-client';

import type { RunAgain } from './job-lane.ts';

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

export type HandleEffect = (run: SideEffectRun) => Promise<void | RunAgain>;

/** Another process has the effect, so results of this one no longer count. */
export class ClaimLost extends Error {}

export type EffectOptions = {
  readonly pool: Pool;
  readonly log: Logger;
  readonly handle: HandleEffect;
  /** For effects whose targets are bots. */
  readonly bounds?: BotEffectBounds | undefined;
  readonly outcomes: Counter<'kind' | 'outcome'>;
};

/** Longer than any handler takes between two saves of its progress; after a crash an effect waits this long. */
const claimSecs = 60;
const delayMaxSecs = 600;
/** Few enough to end within a day, because the keys of sends, which make repeats harmless, are kept for a day. */
const attemptsMax = 60;

/** @returns how long a failed effect waits: doubling from two seconds to ten minutes */
function retryDelaySecs(attempts: number): number {
  return Math.min(delayMaxSecs, 2 ** Math.min(attempts, 10));
}

export function effectIdOf({ kind, position, target }: SideEffectKey): string {
  return `${kind}-${position}-${target}`;
}

/** Runs a side effect, if it is still due and nobody else runs it. */
export async function runEffect(
  { pool, log, handle, bounds, outcomes }: EffectOptions,
  key: SideEffectKey,
  signal: AbortSignal,
): Promise<RunAgain | undefined> {
  const claimed = await claimSideEffect(pool, key, { claimSecs, bounds });
  if (claimed === undefined) return undefined;
  const { effect, attempts, deliveryKey, progress } = claimed;
  const claim: SideEffectClaim = { ...key, attempts };
  const finish = async (outcome: string): Promise<void> => {
    await removeSideEffect(pool, claim);
    outcomes.inc({ kind: key.kind, outcome });
  };
  try {
    const again = await handle({
      effect,
      key: effectIdOf(key),
      deliveryKey,
      attempts,
      progress: progress === null ? undefined : JSON.parse(progress),
      saveProgress: async (value) => {
        if (!(await saveSideEffectProgress(pool, claim, JSON.stringify(value), claimSecs)))
          throw new ClaimLost(`the claim on ${effectIdOf(key)} has lapsed`);
      },
      signal,
    });
    if (again === undefined) await finish('done');
    else await postponeSideEffect(pool, claim, again.againInMs, null);
    return again ?? undefined;
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
    return undefined;
  }
}
