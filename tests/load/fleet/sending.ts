/** What a load run and its senders say to each other. */
import type { FleetAccount, Window } from './protocol.ts';

export type Destination = { readonly streamName: string; readonly topic: string };

/** Times are of the machine's monotonic clock. */
export type SendPlan = {
  readonly urls: readonly string[];
  /** Connections take them in turn. */
  readonly accounts: readonly FleetAccount[];
  /** Messages take them in turn. */
  readonly destinations: readonly Destination[];
  /** Connections: each with one request at a time. */
  readonly connections: number;
  /** Sends a second that are due whether or not those before are answered; null for clients that each wait for their answer. */
  readonly ratePerSecond: number | null;
  readonly beginAtMs: number;
  readonly endAtMs: number;
  readonly sendsMax: number;
  readonly window: Window;
  /** The number of the first message, and from one to the next: several senders share the numbers. */
  readonly firstMessage: number;
  readonly step: number;
};

export type SendOutcome = {
  /** All sends of the plan; each was acknowledged with a different id. */
  readonly sent: number;
  /** Those acknowledged in the window. */
  readonly sentInWindow: number;
  /** From due (with a rate) or from leaving (without) to acknowledged, of those due in the window: an encoded histogram. */
  readonly latencies: string;
  /** From due to leaving, of the same: what the generator itself was late, and what waited for a free connection. */
  readonly lateness: string;
  /** Between two acknowledgements that follow each other in the window. */
  readonly longestSilenceMs: number;
  readonly lastAcknowledgedAtMs: number;
  /** Of those due in the window; 0 and 0 if there were none. */
  readonly slowest: { readonly tookMs: number; readonly dueAtMs: number };
};
