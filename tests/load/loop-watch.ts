import { readFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';

import type { ServiceProcess } from '@parley/test-kit';

import { nowMs } from './fleet/protocol.ts';
import type { Window } from './fleet/protocol.ts';
import { nodeKindsOf } from './load-system.ts';
import type { LoadSystem } from './load-system.ts';
import { ProcessGauge } from './process-gauge.ts';
import type { LoopSample } from './process-gauge.ts';
import type { Sample } from './summary.ts';

/**
 * Measures the event loops of all services in a window, each process by its inspector.
 *
 * @param system started with `inspectable`
 * @returns for each service, of its worst process: `loop_SERVICE_p999_ms` and `loop_SERVICE_max_ms` (a turn of the loop with all
 *   its callbacks), `collection_SERVICE_p999_ms` (a garbage collection), and `core_wait_SERVICE_ms_per_s` (how long its main thread
 *   was ready but no core was free)
 */
export async function watchLoops(system: LoadSystem, window: Window): Promise<Sample> {
  const { cluster } = system;
  const watched = cluster.processes.map((running) => new WatchedProcess(running));
  try {
    await pause(Math.max(0, window.fromMs - nowMs()));
    await Promise.all(watched.map((each) => each.start()));
    await pause(Math.max(0, window.toMs - nowMs()));
    const found = await Promise.all(watched.map((each) => each.end()));
    return Object.fromEntries(
      nodeKindsOf(cluster).flatMap((service) => {
        const ofService = found.filter((each) => each.service === service);
        const worst = (read: (each: Found) => number): number => Math.max(...ofService.map(read));
        return [
          [`loop_${service}_p999_ms`, worst(({ loop }) => loop.turnMs.p999)],
          [`loop_${service}_max_ms`, worst(({ loop }) => loop.turnMs.max)],
          [`collection_${service}_p999_ms`, worst(({ loop }) => loop.collectionMs.p999)],
          [`core_wait_${service}_ms_per_s`, worst(({ coreWaitMsPerSec }) => coreWaitMsPerSec)],
        ] as const;
      }),
    );
  } finally {
    for (const each of watched) each.close();
  }
}

type Found = {
  readonly service: string;
  readonly loop: LoopSample;
  readonly coreWaitMsPerSec: number;
};

class WatchedProcess {
  readonly #running: ServiceProcess;
  readonly #gauge: ProcessGauge;
  #startedAtMs = 0;
  #waitedNs = 0;

  constructor(running: ServiceProcess) {
    this.#running = running;
    this.#gauge = new ProcessGauge(running);
  }

  async start(): Promise<void> {
    await this.#gauge.startLoopWatch();
    this.#startedAtMs = nowMs();
    this.#waitedNs = await this.#readWaitNs();
  }

  async end(): Promise<Found> {
    const waitedMs = ((await this.#readWaitNs()) - this.#waitedNs) / 1e6;
    const secs = (nowMs() - this.#startedAtMs) / 1_000;
    return {
      service: this.#running.service,
      loop: await this.#gauge.endLoopWatch(),
      coreWaitMsPerSec: waitedMs / secs,
    };
  }

  close(): void {
    this.#gauge.close();
  }

  /** How long the main thread has waited for a core, according to the scheduler. */
  async #readWaitNs(): Promise<number> {
    const { pid } = this.#running;
    const text = await readFile(`/proc/${pid}/task/${pid}/schedstat`, 'utf8');
    return Number(text.split(' ')[1]);
  }
}
