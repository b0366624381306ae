import { fileURLToPath } from 'node:url';

import { nowMs } from './fleet/protocol.ts';
import type { SendOutcome, SendPlan } from './fleet/sending.ts';
import { GeneratorProcess } from './generator-process.ts';
import { Latencies } from './latencies.ts';

const program = fileURLToPath(new URL('fleet/sender-process.ts', import.meta.url));

// Requests that are pending when the window ends.
const tailMs = 250;

/** Closed loop without a rate, and from now until a little after the window unless it says otherwise. */
type PlanOfAll = Omit<
  SendPlan,
  'firstMessage' | 'step' | 'beginAtMs' | 'endAtMs' | 'ratePerSecond'
> & { readonly endAtMs?: number; readonly ratePerSecond?: number };

export type SendsOfAll = Omit<SendOutcome, 'latencies' | 'lateness' | 'longestSilenceMs'> & {
  readonly latencies: Latencies;
  readonly lateness: Latencies;
  /** Of the process with the highest values. */
  readonly longestSilenceMs: number;
  readonly firstMessage: number;
};

/** Senders in separate processes with a common numbering of messages. */
export class Senders {
  readonly #processes: readonly GeneratorProcess<SendPlan, SendOutcome>[];
  #nextMessage = 0;

  constructor(processes: number) {
    this.#processes = Array.from({ length: processes }, () => new GeneratorProcess(program));
  }

  get pids(): readonly number[] {
    return this.#processes.map(({ pid }) => pid);
  }

  /** The number of the first message of the next plan. */
  get nextMessage(): number {
    return this.#nextMessage;
  }

  /**
   * Sends according to a plan, whose connections, rate and bound are divided among the processes.
   *
   * @throws Error if a send was not acknowledged
   */
  async send({ ratePerSecond, ...plan }: PlanOfAll): Promise<SendsOfAll> {
    const beginAtMs = nowMs();
    const firstMessage = this.#nextMessage;
    const used = this.#processes.slice(0, plan.connections);
    const share = (count: number, n: number): number =>
      Math.floor(count / used.length) + (n < count % used.length ? 1 : 0);
    // No number is used twice, even if one process sends more than another.
    this.#nextMessage += plan.sendsMax + used.length;
    const outcomes = await Promise.all(
      used.map((sender, n) =>
        sender.ask({
          endAtMs: plan.window.toMs + tailMs,
          ...plan,
          beginAtMs,
          connections: share(plan.connections, n),
          ratePerSecond: ratePerSecond === undefined ? null : ratePerSecond / used.length,
          sendsMax: share(plan.sendsMax, n),
          firstMessage: firstMessage + n,
          step: used.length,
        }),
      ),
    );
    const sum = (read: (outcome: SendOutcome) => number): number =>
      outcomes.reduce((total, outcome) => total + read(outcome), 0);
    const latencies = new Latencies();
    const lateness = new Latencies();
    for (const outcome of outcomes) {
      latencies.add(Latencies.decode(outcome.latencies));
      lateness.add(Latencies.decode(outcome.lateness));
    }
    return {
      sent: sum(({ sent }) => sent),
      sentInWindow: sum(({ sentInWindow }) => sentInWindow),
      latencies,
      lateness,
      longestSilenceMs: Math.max(...outcomes.map(({ longestSilenceMs }) => longestSilenceMs)),
      lastAcknowledgedAtMs: Math.max(
        ...outcomes.map(({ lastAcknowledgedAtMs }) => lastAcknowledgedAtMs),
      ),
      slowest: outcomes
        .map(({ slowest }) => slowest)
        .reduce((most, each) => (each.tookMs > most.tookMs ? each : most)),
      firstMessage,
    };
  }

  stop(): void {
    for (const sender of this.#processes) sender.stop();
  }

  [Symbol.dispose](): void {
    this.stop();
  }
}
