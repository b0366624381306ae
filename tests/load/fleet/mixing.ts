/** What a load run and its process of mixed requests say to each other. Times are of the machine's monotonic clock. */
import type { Destination } from './sending.ts';
import type { FleetAccount, Window } from './protocol.ts';

/** One kind of request in the mix. */
export type MixedKind = {
  readonly name: string;
  /** How many there are in each hundred of this mix, or in any other number that all kinds share. */
  readonly weight: number;
} & (
  | {
      /** Whole requests as they go over the wire, taken in turn. */
      readonly requests: readonly string[];
      /** What every answer has to hold. */
      readonly expected: string;
    }
  /** Sends of messages that are numbered from the first, each by its own sender, taken in turn. */
  | {
      readonly sends: readonly (Destination & { readonly sender: FleetAccount })[];
      readonly firstMessage: number;
    }
);

export type MixPlan = {
  readonly urls: readonly string[];
  readonly kinds: readonly MixedKind[];
  readonly connections: number;
  /** Requests a second that are due whether or not those before are answered; null for clients that each wait for their answer. */
  readonly ratePerSecond: number | null;
  readonly beginAtMs: number;
  readonly endAtMs: number;
  readonly window: Window;
};

export type MixOutcome = {
  readonly sent: number;
  readonly answeredInWindow: number;
  /** From due to leaving, of those due in the window: an encoded histogram. */
  readonly lateness: string;
  readonly kinds: readonly {
    readonly name: string;
    readonly answeredInWindow: number;
    /** From due (with a rate) or from leaving (without) to answered, of those due in the window: an encoded histogram. */
    readonly latencies: string;
  }[];
};
