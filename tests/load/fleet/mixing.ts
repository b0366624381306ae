/** The messages between a load run and its process of mixed requests. Times are of the machine's monotonic clock. */
import type { Destination } from './sending.ts';
import type { FleetAccount, Window } from './protocol.ts';

/** One kind of request in the mix. */
export type MixedKind = {
  readonly name: string;
  /** Its share of the mix, per hundred or any other total that all kinds share. */
  readonly weight: number;
} & (
  | {
      /** Complete requests as bytes on the wire, used in turn. */
      readonly requests: readonly string[];
      /** A text that every answer must contain. */
      readonly expected: string;
    }
  /** Sends of numbered messages, each by its own sender, used in turn. */
  | {
      readonly sends: readonly (Destination & { readonly sender: FleetAccount })[];
      readonly firstMessage: number;
    }
);

export type MixPlan = {
  readonly urls: readonly string[];
  readonly kinds: readonly MixedKind[];
  readonly connections: number;
  /** Requests per second that are due whether or not earlier ones are answered; null for clients that each wait for their answer. */
  readonly ratePerSecond: number | null;
  readonly beginAtMs: number;
  readonly endAtMs: number;
  readonly window: Window;
};

export type MixOutcome = {
  readonly sent: number;
  readonly answeredInWindow: number;
  /** From due to sent, for requests due in the window: an encoded histogram. */
  readonly lateness: string;
  readonly kinds: readonly {
    readonly name: string;
    readonly answeredInWindow: number;
    /** From due (with a rate) or sent (without one) to the answer, for requests due in the window: an encoded histogram. */
    readonly latencies: string;
  }[];
};
