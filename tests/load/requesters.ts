import type { ClientPlan } from './fleet/clients.ts';
import { nowMs } from './fleet/protocol.ts';
import { GeneratorProcess } from './generator-process.ts';
import { Latencies } from './latencies.ts';
import type { Rig } from './rig.ts';
import type { Case, Shot } from './scenario.ts';

const tailMs = 250;

/** Clients in a separate process that each send their next request as soon as they have their answer. */
export class Requesters {
  readonly #rig: Rig;
  readonly #process = GeneratorProcess.ofClients();

  /** @param rig stops them */
  constructor(rig: Rig) {
    this.#rig = rig;
    rig.addGenerators(this.#process);
  }

  /**
   * Runs the clients for a warm-up and a window, and measures the window.
   *
   * @param asked.requests complete requests, such as `writeGet` makes
   * @param asked.expected a text that every answer must contain
   * @param rig whose parts are measured, if they are not those of the clients' own
   * @throws Error if an answer has a status other than 200, or does not contain the text
   */
  async measure(asked: Asked, rig = this.#rig): Promise<Shot> {
    const { url, connections, requests, expected } = asked;
    const window = rig.planWindow();
    const plan: ClientPlan = {
      urls: [url],
      kinds: [{ name: 'request', weight: 1, requests, expected }],
      connections,
      ratePerSecond: null,
      requestsMax: null,
      beginAtMs: nowMs(),
      endAtMs: window.toMs + tailMs,
      window,
    };
    const [outcome, measured] = await Promise.all([
      this.#process.ask(plan),
      rig.measureWindow(window),
    ]);
    const [answers] = outcome.kinds;
    if (answers === undefined) throw new Error('nothing was requested');
    return {
      operation: 'request',
      operations: answers.answeredInWindow,
      measured,
      figures: {
        requests_per_s: answers.answeredInWindow / rig.secs,
        bytes_per_answer: answers.bodyBytes / answers.count,
      },
      latencies: { request: Latencies.decode(answers.latencies) },
    };
  }

  /** @returns the case that measures these requests */
  caseOf(name: string, asked: Asked): Case {
    return { name, run: () => this.measure(asked) };
  }
}

type Asked = {
  readonly url: string;
  readonly requests: readonly string[];
  readonly expected: string;
  readonly connections: number;
};
