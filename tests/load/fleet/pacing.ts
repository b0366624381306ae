import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';

import { nowMs } from './protocol.ts';

// A timer may be a millisecond late, which would count as the server's time, so the last part is waited for in turns of the loop.
const timerSlackMs = 1.5;

/**
 * Makes clients act at a fixed rate, whether or not earlier actions have finished (open loop). If no client is free, the action
 * waits for one, and so do those behind it. It resolves when all started actions have finished.
 *
 * @param plan times of the machine's monotonic clock, and when to stop starting actions
 * @param act gets the due time, from which latency is measured
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
