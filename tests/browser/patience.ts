/** How long tests of the browser wait for what must come: browsers, on a busy machine beside a whole server, take their time. */
import { waitUntil as waitWithin } from '@parley/test-kit';

export const patienceMs = 60_000;

/** As the one of the test kit, with the time that browsers take. */
export function waitUntil<Value>(
  what: string,
  condition: () => Value | Promise<Value>,
  options: Parameters<typeof waitWithin>[2] = {},
): ReturnType<typeof waitWithin<Value>> {
  return waitWithin(what, condition, { deadlineMs: patienceMs, ...options });
}
