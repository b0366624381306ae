/** What a load run and its processes of followers say to each other. */

export type FleetAccount = { readonly email: string; readonly apiKey: string };

/** The source of followers: queues of the system, by poll or stream, or the channel of the control. */
export type Followed = 'polls' | 'streams' | 'nchan';

export type Command =
  /** Registers a queue for each account, with this concurrency. */
  | {
      readonly act: 'register';
      readonly of: Followed;
      readonly urls: readonly string[];
      readonly accounts: readonly FleetAccount[];
      readonly atOnce: number;
      /** Form parameters of the registers: what the queues are of. */
      readonly parameters: string;
    }
  /** Polls the queues of the first `count` followers once without waiting, so that a node has them in memory. */
  | { readonly act: 'touch'; readonly followers: number; readonly atOnce: number }
  /** Holds a poll for each of the first `count` followers from now on; polls that are held already stay. */
  | { readonly act: 'hold'; readonly followers: number; readonly atOnce: number }
  /** Lets go of all held polls: every follower hangs up. */
  | { readonly act: 'release' }
  /** All hang up and end their queues, with this concurrency. */
  | { readonly act: 'leave'; readonly atOnce: number }
  /** All connect and register at once, and poll on the same connection from then on. It ends when all are registered. */
  | { readonly act: 'storm'; readonly parameters: string }
  /** Opens, abandons and repeats polls, and ends and registers queues, with this many clients, until stopped. */
  | { readonly act: 'churn'; readonly clients: number; readonly holdMaxMs: number }
  /** Ends the churning: every client hangs up. */
  | { readonly act: 'calm' }
  /** From now on followers count messages by number; each must arrive once. */
  | {
      readonly act: 'tally';
      readonly firstMessage: number;
      readonly messagesMax: number;
      readonly window: Window;
    }
  | { readonly act: 'read-tally' }
  /** Only how many messages were received since the tally began, which costs nothing. */
  | { readonly act: 'count-received' }
  | { readonly act: 'check' }
  | { readonly act: 'report' };

/** Times in milliseconds of the machine's monotonic clock, which all its processes share. */
export type Report = {
  /** What a client may not see: each is the end of the run. */
  readonly faults: readonly string[];
  /** Polls and requests that failed once and went well when repeated. */
  readonly repeated: number;
  /** How the first few of those failed. */
  readonly failures: readonly string[];
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

/** Queues of messages alone, with nothing fetched. */
export const messagesOnly = 'event_types=%5B%22message%22%5D&fetch_event_types=%5B%5D';

export type Reply =
  | {
      readonly ok: true;
      readonly result: Outcome | Report | TallyReport | readonly string[] | number | null;
    }
  | { readonly ok: false; readonly error: string };

/** Marks a message of the run; its number follows, and when it was due, where that is what latency is taken from. */
export const messageMark = 'load message ';

/** What follows the mark where latency is taken in the follower: microseconds of the machine's monotonic clock. */
const dueMark = ' due ';

/** What people write: markup to render, about the length of a usual message. */
const usualWords =
  ': the build of this morning is **green** again, who takes the next one? I look at `deploy` after lunch.';

/** @returns the content of a message whose followers are to know when it was due */
export function describeDue(number: number, dueAtMs: number): string {
  return `${messageMark}${number}${dueMark}${Math.round(dueAtMs * 1_000)}${usualWords}`;
}

/** Finds messages of the run in an answer: number, and microseconds if they are there. */
export const markedContent = new RegExp(
  `"content":"${messageMark}(\\d+)(?:${dueMark}(\\d+))?[^"]*"`,
  'g',
);

/** The time in which a run measures, of the machine's monotonic clock; what is before and after it is not counted. */
export type Window = { readonly fromMs: number; readonly toMs: number };

export function isWithin(window: Window, atMs: number): boolean {
  return atMs >= window.fromMs && atMs < window.toMs;
}

/** What followers count by themselves, where receipts would be too many to hand over. */
export type TallyReport = {
  /** Of all messages since the tally began, each once for each follower. */
  readonly received: number;
  /** Of those that came in the window. */
  readonly receivedInWindow: number;
  readonly lastReceivedAtMs: number;
  readonly polls: number;
  /** From due to received, of messages that were due in the window: an encoded histogram. */
  readonly latencies: string;
};

/** The machine's monotonic clock. */
export function nowMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
