import { setTimeout as delay } from 'node:timers/promises';

/** The longest wait, unless a test says another: far beyond what must come takes on any machine, and shorter than the time of a test. */
export const waitMaxMs = 180_000;

/** @returns what the check returns; throws when it takes longer, since a test that hangs says nothing of where */
async function within<Value>(deadlineMs: number, check: Value | Promise<Value>): Promise<Value> {
  const answered = new AbortController();
  const late = delay(deadlineMs, undefined, { signal: answered.signal }).then(() => {
    throw new Error('a check of it did not end');
  });
  try {
    return await Promise.race([check, late]);
  } finally {
    answered.abort();
  }
}

/**
 * Checks a condition until it holds. Tests wait for conditions with this, never for time.
 *
 * @param what the condition, for the error, as in "every queue has its messages"
 * @param condition returns something truthy if it holds; an error counts as not yet
 * @param options.deadlineMs the longest wait, and the longest check (default {@link waitMaxMs})
 * @param options.pauseMs the pause between two checks (default 20 ms)
 * @param options.describe returns the current state, for the error
 * @returns the first truthy value
 * @throws Error with the condition if it does not hold in time, and with the last error of the condition, which is also its cause
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
  const deadlineMs = options.deadlineMs ?? waitMaxMs;
  const giveUpAt = Date.now() + deadlineMs;
  for (;;) {
    let cause: unknown;
    try {
      const value = await within(deadlineMs, condition());
      if (value) return value as Exclude<Value, false | null | undefined | 0 | ''>;
    } catch (error) {
      cause = error;
    }
    if (Date.now() > giveUpAt) {
      const state = options.describe === undefined ? '' : `: ${options.describe()}`;
      const error = cause instanceof Error ? ` (${cause.message})` : '';
      throw new Error(`not within ${deadlineMs} ms: ${what}${state}${error}`, { cause });
    }
    await delay(options.pauseMs ?? 20);
  }
}
