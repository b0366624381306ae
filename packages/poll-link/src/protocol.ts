/** What gateways and event nodes say to each other on a link. */
import type { Caller } from '@parley/contracts';

/** Where a node takes links, by an upgrade of HTTP/1.1. */
export const pollLinkPath = '/poll-link';

/** The name of the protocol in the upgrade; another one is another protocol. */
export const pollLinkProtocol = 'parley-polls-1';

/**
 * The request id in the identity that opens a link. Ids of requests are never words, so no identity that was signed for a request
 * opens one.
 */
export const pollLinkRequestId = 'poll-link';

/** A poll as its gateway admitted it. */
export type LinkedPoll = {
  readonly requestId: string;
  /** With the question mark. */
  readonly query: string;
  readonly caller: Caller;
};

/** A poll's answer; the body is `shared` and `own`, one after the other. */
export type LinkAnswer = {
  readonly status: number;
  /** Beside those of every JSON answer. */
  readonly headers: Readonly<Record<string, string>>;
  /** What the answers to many polls may begin with alike; then it crosses the link once. */
  readonly shared: string;
  readonly own: string;
};

/**
 * The polls that began on a gateway in one moment, each with a number of the link's, and the numbers of those that were left before, which
 * the new ones may use again. With neither it asks whether the node is there.
 */
export type PollsText = readonly [
  polls: readonly (readonly [number: number, requestId: string, query: string, caller: Caller])[],
  left: readonly number[],
];

/** Answers that are alike but for their own ends; none where a gateway asked whether the node is there. */
export type AnswersText = readonly [
  status: number,
  headers: Readonly<Record<string, string>>,
  answers: readonly (readonly [number: number, own: string])[],
];

/** Said before the answers that end polls because the node stops: the next polls have to go elsewhere. */
export type LeavingText = readonly ['leaving'];
