import { fileURLToPath } from 'node:url';

import type { AskOutcome, AskPlan } from './fleet/asking.ts';
import { GeneratorProcess } from './generator-process.ts';
import { Latencies } from './latencies.ts';
import type { Rig } from './rig.ts';
import type { Shot } from './scenario.ts';

const program = fileURLToPath(new URL('fleet/requester-process.ts', import.meta.url));
const tailMs = 250;

/** Clients in a separate process that each send their next request as soon as they have their answer. */
export class Requesters {
  readonly #process = new GeneratorProcess<AskPlan, AskOutcome>(program);

  get pids(): readonly number[] {
    return [this.#process.pid];
  }

  stop(): void {
    this.#process.stop();
  }

  /**
   * Runs the clients for a warm-up and a window, and measures the window.
   *
   * @param rig whose parts are measured
   * @param plan.requests complete requests, such as `writeGet` makes
   * @param plan.expected a text that every answer must contain
   * @throws Error if an answer has a status other than 200, or does not contain the text
   */
  async measure(
    rig: Rig,
    plan: Pick<AskPlan, 'url' | 'requests' | 'expected' | 'connections'>,
  ): Promise<Shot> {
    const window = rig.planWindow();
    const asking = this.#process.ask({ ...plan, window, endAtMs: window.toMs + tailMs });
    const [outcome, measured] = await Promise.all([asking, rig.measureWindow(window)]);
    return {
      operation: 'request',
      operations: outcome.answeredInWindow,
      measured,
      figures: {
        requests_per_s: (outcome.answeredInWindow * 1_000) / (window.toMs - window.fromMs),
        bytes_per_answer: outcome.bodyBytes / outcome.answered,
      },
      latencies: { request: Latencies.decode(outcome.latencies) },
    };
  }
}
