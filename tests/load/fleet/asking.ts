/** The messages between a load run and its requesters. */
import type { Window } from './protocol.ts';

/** Requests of clients that each wait for their answer. Times are of the machine's monotonic clock. */
export type AskPlan = {
  readonly url: string;
  /** Complete requests as bytes on the wire, which the connections use in turn. */
  readonly requests: readonly string[];
  /** A text that every answer must contain. */
  readonly expected: string;
  readonly connections: number;
  readonly endAtMs: number;
  readonly window: Window;
};

export type AskOutcome = {
  readonly answered: number;
  readonly answeredInWindow: number;
  /** The bytes on the wire of all answers' bodies. */
  readonly bodyBytes: number;
  /** From sending to the answer, for requests sent in the window: an encoded histogram. */
  readonly latencies: string;
};
