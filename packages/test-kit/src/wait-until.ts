import { setTimeout as delay } from 'node:timers/promises';

/**
 * Asks for a condition until it holds. Tests wait for conditions with this, never for time.
 *
 * @param what names the condition in the error, as in "every queue has its messages"
 * @param condition returns something truthy when it holds; what it throws counts as not yet
 * @param options.deadlineMs how long to ask (default 10 s)
 * @param options.pauseMs the pause between two questions (default 20 ms)
 * @param options.describe says, for the error, how far things are
 * @returns the first truthy value
 * @throws Error naming the condition when the time is over; its cause is what the condition threw last
 */
export async function waitUntil<Value>(
  what: string,
  condition: () => Value | Promise<Value>,
  options: {
    readonly deadlineMs?: number;
    readonly pauseMs?: number;
    readonly describe?: () => string;
  } = {},
): Promise<Exclude<Value, false | null | undefined | 0 | ''>> {
  const deadlineMs = options.deadlineMs ?? 10_000;
  const giveUpAt = Date.now() + deadlineMs;
  for (;;) {
    let cause: unknown;
    try {
      const value = await condition();
      if (value) return value as Exclude<Value, false | null | undefined | 0 | ''>;
    } catch (error) {
      cause = error;
    }
    if (Date.now() > giveUpAt) {
      const state = options.describe === undefined ? '' : `: ${options.describe()}`;
      throw new Error(`not within ${deadlineMs} ms: ${what}${state}`, { cause });
    }
    await delay(options.pauseMs ?? 20);
  }
}
