import type { Destination } from './fleet/clients.ts';
import { nowMs } from './fleet/protocol.ts';
import type { FleetAccount, Window } from './fleet/protocol.ts';
import { GeneratorProcess } from './generator-process.ts';
import { Latencies } from './latencies.ts';

// Requests that are pending when the window ends.
const tailMs = 250;

/** Closed loop without a rate, and from now until a little after the window unless it says otherwise. */
type SendPlan = {
  readonly urls: readonly string[];
  /** Messages use accounts and destinations in turn. */
  readonly accounts: readonly FleetAccount[];
  readonly destinations: readonly Destination[];
  readonly connections: number;
  readonly sendsMax: number;
  readonly window: Window;
  readonly endAtMs?: number;
  readonly ratePerSecond?: number;
};

export type SendOutcome = {
  /** All sends; each was acknowledged with a different id. */
  readonly sent: number;
  readonly sentInWindow: number;
  readonly latencies: Latencies;
  readonly lateness: Latencies;
  /** Of the process with the highest values. */
  readonly longestSilenceMs: number;
  readonly slowest: { readonly tookMs: number; readonly dueAtMs: number };
};

/** Senders in separate processes with a common numbering of messages. */
export class Senders {
  readonly #processes;
  #nextMessage = 0;

  constructor(processes: number) {
    this.#processes = Array.from({ length: processes }, () => GeneratorProcess.ofClients());
  }

  get pids(): readonly number[] {
    return this.#processes.flatMap(({ pids }) => pids);
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
  async send({ accounts, destinations, ...plan }: SendPlan): Promise<SendOutcome> {
    const firstMessage = this.#nextMessage;
    const used = this.#processes.slice(0, plan.connections);
    const share = (count: number, n: number): number =>
      Math.floor(count / used.length) + (n < count % used.length ? 1 : 0);
    // No number is used twice, even if one process sends more than another.
    this.#nextMessage += plan.sendsMax + used.length;
    const turns = Math.max(accounts.length, destinations.length);
    const sends = Array.from({ length: turns }, (_, n) => {
      const [sender, to] = [accounts[n % accounts.length], destinations[n % destinations.length]];
      if (sender === undefined || to === undefined) throw new Error('nobody sends, or to nothing');
      return { ...to, sender };
    });
    const outcomes = await Promise.all(
      used.map((sender, n) =>
        sender.ask({
          urls: plan.urls,
          kinds: [
            { name: 'send', weight: 1, sends, firstMessage: firstMessage + n, step: used.length },
          ],
          connections: share(plan.connections, n),
          ratePerSecond: plan.ratePerSecond === undefined ? null : plan.ratePerSecond / used.length,
          requestsMax: share(plan.sendsMax, n),
          beginAtMs: nowMs(),
          endAtMs: plan.endAtMs ?? plan.window.toMs + tailMs,
          window: plan.window,
        }),
      ),
    );
    const kinds = outcomes.flatMap((outcome) => outcome.kinds);
    return {
      sent: kinds.reduce((sum, { count }) => sum + count, 0),
      sentInWindow: kinds.reduce((sum, { answeredInWindow }) => sum + answeredInWindow, 0),
      latencies: Latencies.join(kinds.map(({ latencies }) => latencies)),
      lateness: Latencies.join(outcomes.map(({ lateness }) => lateness)),
      longestSilenceMs: Math.max(...outcomes.map(({ longestSilenceMs }) => longestSilenceMs)),
      slowest: outcomes
        .map(({ slowest }) => slowest)
        .reduce((most, each) => (each.tookMs > most.tookMs ? each : most)),
    };
  }

  stop(): void {
    for (const sender of this.#processes) sender.stop();
  }
}
