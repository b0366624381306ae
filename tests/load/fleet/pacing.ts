import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';

import { nowMs } from './protocol.ts';

// A timer may be a millisecond late, which would count as the server's time: the rest is waited for turn by turn.
const timerSlackMs = 1.5;

/**
 * Lets clients act whenever something is due, whether or not what was due before is done: open loop. What finds no client free waits
 * for one, and what is due behind it as well. It ends when all that was begun has ended.
 *
 * @param plan times of the machine's monotonic clock, and when to begin nothing more
 * @param act gets when it was due, from which its latency counts
 */
export async function pace<Client>(
  plan: {
    readonly ratePerSecond: number;
    readonly beginAtMs: number;
    readonly endAtMs: number;
    readonly isOver: () => boolean;
  },
  clients: readonly Client[],
  act: (client: Client, dueAtMs: number) => Promise<void>,
): Promise<void> {
  const free = [...clients];
  const waitingForFree: (() => void)[] = [];
  const running = new Set<Promise<void>>();
  for (let n = 0; !plan.isOver(); n += 1) {
    const dueAtMs = plan.beginAtMs + (n * 1_000) / plan.ratePerSecond;
    if (dueAtMs >= plan.endAtMs) break;
    await waitUntilMs(dueAtMs);
    if (free.length === 0) await new Promise<void>((resolve) => waitingForFree.push(resolve));
    const client = free.pop();
    if (client === undefined) continue;
    const acting = act(client, dueAtMs).finally(() => {
      running.delete(acting);
      free.push(client);
      waitingForFree.shift()?.();
    });
    running.add(acting);
  }
  await Promise.all(running);
}

export async function waitUntilMs(atMs: number): Promise<void> {
  const early = atMs - nowMs() - timerSlackMs;
  if (early > 0) await pause(early);
  while (nowMs() < atMs) await nextTurn();
}
