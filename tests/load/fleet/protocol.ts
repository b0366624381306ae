/** The messages between a load run and its processes of followers. */

export type FleetAccount = { readonly email: string; readonly apiKey: string };

/** The source of the followers' messages: queues of the system, by poll or stream, or the channel of the control. */
export type Followed = 'polls' | 'streams' | 'nchan';

export type Command =
  /** Registers a queue for each account, with this concurrency. */
  | {
      readonly act: 'register';
      readonly of: Followed;
      readonly urls: readonly string[];
      readonly accounts: readonly FleetAccount[];
      readonly atOnce: number;
      /** The options of the queues, as form parameters. */
      readonly parameters: string;
    }
  /** Holds a poll for each follower from now on; polls that are already held stay. */
  | { readonly act: 'hold'; readonly atOnce: number }
  /** Releases all held polls: every follower hangs up. */
  | { readonly act: 'release' }
  /** All hang up and delete their queues, with this concurrency. */
  | { readonly act: 'leave'; readonly atOnce: number }
  /** All connect and register at once, and poll on the same connection from then on. It returns when all are registered. */
  | { readonly act: 'storm'; readonly parameters: string }
  /** Opens, abandons and repeats polls, and deletes and registers queues, until stopped. */
  | { readonly act: 'churn'; readonly holdMaxMs: number }
  /** Ends the churn: every client hangs up. */
  | { readonly act: 'calm' }
  /** From now on followers count messages by number; each must arrive exactly once. */
  | {
      readonly act: 'tally';
      readonly firstMessage: number;
      readonly messagesMax: number;
      readonly window: Window;
    }
  | { readonly act: 'read-tally' }
  /** Only the number of messages received since the tally began, which costs nothing. */
  | { readonly act: 'count-received' }
  | { readonly act: 'check' }
  | { readonly act: 'read-counts' };

/** What the clients of a process have observed. */
export type Counts = {
  /** Polls and requests that failed once and succeeded when repeated. */
  readonly repeated: number;
  /** The causes of the first few of those failures. */
  readonly failures: readonly string[];
  readonly heartbeats: number;
  /** Polls of the churn that were abandoned, and queues that it deleted. */
  readonly abandoned: number;
  readonly deleted: number;
};

export type Outcome = {
  readonly tookMs: number;
  /** Of each request. */
  readonly latenciesMs: readonly number[];
};

/** Queues of messages only, without initial state. */
export const messagesOnly = 'event_types=%5B%22message%22%5D&fetch_event_types=%5B%5D';

export type Answer = Outcome | Counts | TallyReport | readonly string[] | number | null;

/** Marks a message of the run. Its number follows, and its due time if followers measure the latency. */
export const messageMark = 'load message ';

/** The due time after the mark, if followers measure the latency: microseconds of the machine's monotonic clock. */
const dueMark = ' due ';

/** A typical message: markup to render, of about the usual length. */
const usualWords =
  ': the build of this morning is **green** again, who takes the next one? I look at `deploy` after lunch.';

/** @returns the content of a message that includes its due time */
export function describeDue(number: number, dueAtMs: number): string {
  return `${messageMark}${number}${dueMark}${Math.round(dueAtMs * 1_000)}${usualWords}`;
}

/** Finds messages of the run in an answer: the number, and the microseconds if present. */
export const markedContent = new RegExp(
  `"content":"${messageMark}(\\d+)(?:${dueMark}(\\d+))?[^"]*"`,
  'g',
);

/** The period that a run measures, by the machine's monotonic clock; anything before or after it is not counted. */
export type Window = { readonly fromMs: number; readonly toMs: number };

export function isWithin(window: Window, atMs: number): boolean {
  return atMs >= window.fromMs && atMs < window.toMs;
}

/** Counts that followers keep themselves if there are too many receipts to report. */
export type TallyReport = {
  /** All messages since the tally began, once for each follower. */
  readonly received: number;
  /** Those received in the window. */
  readonly receivedInWindow: number;
  readonly lastReceivedAtMs: number;
  readonly polls: number;
  /** From due to received, for messages due in the window: an encoded histogram. */
  readonly latencies: string;
};

/** The machine's monotonic clock. */
export function nowMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
