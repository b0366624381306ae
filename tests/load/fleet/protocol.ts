/** What a load run and its processes of followers say to each other. */

export type FleetAccount = { readonly email: string; readonly apiKey: string };

export type Command =
  /** Registers a queue for each account, so many at once. */
  | {
      readonly act: 'register';
      readonly urls: readonly string[];
      readonly accounts: readonly FleetAccount[];
      readonly atOnce: number;
    }
  /** Polls the first so many followers' queues once without waiting, so that a node has them in memory. */
  | { readonly act: 'touch'; readonly followers: number; readonly atOnce: number }
  /** Holds a poll for each of the first so many followers from now on; those that are held already stay. */
  | { readonly act: 'hold'; readonly followers: number; readonly atOnce: number }
  /** Opens, abandons and repeats polls, and ends and registers queues, so many clients at once, until stopped. */
  | { readonly act: 'churn'; readonly clients: number; readonly holdMaxMs: number }
  /** Ends the churning: every client hangs up. */
  | { readonly act: 'calm' }
  | { readonly act: 'check' }
  | { readonly act: 'report' };

/** Times in milliseconds of the machine's monotonic clock, which all its processes share. */
export type Report = {
  /** What a client may not see: each is the end of the run. */
  readonly faults: readonly string[];
  /** Polls and requests that failed once and went well when repeated. */
  readonly repeated: number;
  readonly heartbeats: number;
  readonly emptyAnswers: number;
  /** What the clients of the churn did. */
  readonly polls: number;
  readonly abandoned: number;
  readonly registered: number;
  readonly deleted: number;
  /** Messages of the run that were received: by which follower, which message, and when; three lists of one length. */
  readonly followers: readonly number[];
  readonly messages: readonly number[];
  readonly receivedAtMs: readonly number[];
  /** For each follower, the event node that answered it last. */
  readonly nodes: readonly (string | null)[];
};

export type Outcome = {
  readonly tookMs: number;
  /** Of each request. */
  readonly latenciesMs: readonly number[];
};

export type Reply =
  | { readonly ok: true; readonly result: Outcome | Report | readonly string[] | null }
  | { readonly ok: false; readonly error: string };

/** Marks a message of the run; its number follows. */
export const messageMark = 'load message ';

/** The machine's monotonic clock. */
export function nowMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
