/** The messages between a load run and its senders. */
import type { FleetAccount, Window } from './protocol.ts';

export type Destination = { readonly streamName: string; readonly topic: string };

/** Times are of the machine's monotonic clock. */
export type SendPlan = {
  readonly urls: readonly string[];
  /** Connections use them in turn. */
  readonly accounts: readonly FleetAccount[];
  /** Messages use them in turn. */
  readonly destinations: readonly Destination[];
  /** The number of connections; each has one request at a time. */
  readonly connections: number;
  /** Sends per second that are due whether or not earlier ones are answered; null for clients that each wait for their answer. */
  readonly ratePerSecond: number | null;
  readonly beginAtMs: number;
  readonly endAtMs: number;
  readonly sendsMax: number;
  readonly window: Window;
  /** The first message's number, and the step to the next one: several senders share the numbers. */
  readonly firstMessage: number;
  readonly step: number;
};

export type SendOutcome = {
  /** All sends of the plan; each was acknowledged with a different id. */
  readonly sent: number;
  /** Those acknowledged in the window. */
  readonly sentInWindow: number;
  /** From due (with a rate) or sent (without one) to the acknowledgement, for sends due in the window: an encoded histogram. */
  readonly latencies: string;
  /** From due to sent, for the same sends: delay of the generator itself and time without a free connection. */
  readonly lateness: string;
  /** Between consecutive acknowledgements in the window. */
  readonly longestSilenceMs: number;
  readonly lastAcknowledgedAtMs: number;
  /** Of sends due in the window; 0 and 0 if there were none. */
  readonly slowest: { readonly tookMs: number; readonly dueAtMs: number };
};
