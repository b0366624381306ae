/** What a load run and its requesters say to each other. */
import type { Window } from './protocol.ts';

/** Requests of clients that each wait for their answer. Times are of the machine's monotonic clock. */
export type AskPlan = {
  readonly url: string;
  /** Whole requests as they go over the wire; the connections take them in turn. */
  readonly requests: readonly string[];
  /** What every answer has to hold. */
  readonly expected: string;
  readonly connections: number;
  readonly endAtMs: number;
  readonly window: Window;
};

export type AskOutcome = {
  readonly answered: number;
  readonly answeredInWindow: number;
  /** What the bodies of all answers took on the wire. */
  readonly bodyBytes: number;
  /** From leaving to answered, of those that left in the window: an encoded histogram. */
  readonly latencies: string;
};
