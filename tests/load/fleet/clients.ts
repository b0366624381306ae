/** The messages between a load run and a process of clients. Times are of the machine's monotonic clock. */
import type { FleetAccount, Window } from './protocol.ts';

export type Destination = { readonly streamName: string; readonly topic: string };

/** One kind of request that the clients make. */
export type RequestKind = {
  readonly name: string;
  /** Its share of all requests, in relation to the weights of the others. */
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
      /** The first message's number, and the step to the next one: several processes share the numbers. */
      readonly firstMessage: number;
      readonly step: number;
    }
);

export type ClientPlan = {
  /** Connections use them in turn. */
  readonly urls: readonly string[];
  readonly kinds: readonly RequestKind[];
  /** The number of connections; each has one request at a time. */
  readonly connections: number;
  /** Requests per second that are due whether or not earlier ones are answered; null for clients that each wait for their answer. */
  readonly ratePerSecond: number | null;
  readonly beginAtMs: number;
  readonly endAtMs: number;
  readonly window: Window;
  /** `null` for as many as there are until the end. */
  readonly requestsMax: number | null;
};

export type ClientOutcome = {
  readonly kinds: readonly {
    readonly name: string;
    /** All requests; each was answered as it has to be, and each send with an id of its own. */
    readonly count: number;
    readonly answeredInWindow: number;
    /** The bytes on the wire of all answers' bodies. */
    readonly bodyBytes: number;
    /** From due (with a rate) or sent (without one) to the answer, for requests due in the window: an encoded histogram. */
    readonly latencies: string;
  }[];
  /** From due to sent, for the same requests: delay of the generator itself and time without a free connection. */
  readonly lateness: string;
  /** Between consecutive answers in the window. */
  readonly longestSilenceMs: number;
  /** Of requests due in the window; 0 and 0 if there were none. */
  readonly slowest: { readonly tookMs: number; readonly dueAtMs: number };
};
