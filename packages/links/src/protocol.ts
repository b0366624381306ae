/** What gateways and nodes of services say to each other on a link. */
import type { Caller } from '@parley/api';

import type { LinkBody } from './body.ts';

/** Where a node takes links, by an upgrade of HTTP/1.1. */
export const linkPath = '/link';

/** The name of the protocol in the upgrade; another one is another protocol. */
export const linkProtocol = 'parley-requests-5';

/**
 * The request id in the identity that opens a link. Ids of requests are never words, so no identity that was signed for a request
 * opens one.
 */
export const linkRequestId = 'link';

/** Headers of a client's request that services of links ask for. */
export const linkedHeaderNames = [
  'accept-encoding',
  'content-type',
  'user-agent',
  'idempotency-key',
  'if-none-match',
  'if-range',
  'last-event-id',
  'range',
] as const;

/** Those that the request has, and that of the gateway's span where it is traced. */
export type LinkedHeaders = {
  readonly [Name in (typeof linkedHeaderNames)[number] | 'traceparent']?: string;
};

/** A request as its gateway admitted it. */
export type LinkedRequest = {
  readonly requestId: string;
  readonly method: string;
  /** Path and query, in the spelling that services expect. */
  readonly address: string;
  /** Null where the endpoint needs no authentication. */
  readonly caller: Caller | null;
  readonly headers: LinkedHeaders;
  readonly body: Buffer;
};

/**
 * `raw` is what is no JSON: a file, a page, a redirect, or nothing. Both end their request. Of a stream, which a request opens, what comes
 * before its end is `open`, or `step` where nothing follows until the gateway says that its client has taken it.
 */
export type AnswerKind = 'json' | 'raw' | 'open' | 'step';

/** Whether more comes under the request's number. */
export function goesOn(kind: AnswerKind): boolean {
  return kind === 'open' || kind === 'step';
}

/** An answer, or a part of a stream, whose body is `shared` and `own`, one after the other. */
export type LinkAnswer = {
  readonly status: number;
  readonly kind: AnswerKind;
  /** Of JSON those beside what every such answer has; of a stream those that its first part has. */
  readonly headers: Readonly<Record<string, string>>;
  /** What the answers to many polls may begin with alike, or many streams get; then it crosses the link once. */
  readonly shared: LinkBody;
  readonly own: string;
};

/** An answer that is longer goes in parts of so many bytes, with others between them. A fifth of a millisecond of a link. */
export const partBytes = 262_144;

/** An answer that reads and is longer has to be asked for by HTTP, where each has a flow control of its own. */
export const readAnswerMaxBytes = 16 * 1_048_576;

/** A file that is larger has to be asked for by HTTP: on a link it is held whole, and others wait for it. */
export const fileMaxBytes = partBytes;

/** What a gateway keeps of one node for answers to come. Older bytes make room for newer ones. */
export const keptMaxBytes = 16 * 1_048_576;

/** No answer is longer. */
export const answerMaxBytes = 128 * 1_048_576;

/**
 * The status by which a node says that a request has to come by HTTP, and that nothing of it was done. No service answers a client so.
 */
export const notOverLinksStatus = 421;

/**
 * The requests that began on a gateway in one moment, each with a number of the link's, the numbers of those that were left before,
 * which the new ones may use again, and those of streams whose last step was taken. The requests' bodies follow one another as the body of
 * the frame. With none of all it asks whether the node is there.
 */
export type RequestsText = readonly [
  requests: readonly RequestText[],
  left: readonly number[],
  taken: readonly number[],
];

export type RequestText = readonly [
  number: number,
  requestId: string,
  method: string,
  address: string,
  caller: Caller | null,
  headers: LinkedHeaders,
  bodyBytes: number,
];

/**
 * Answers, or parts of streams, that are alike but for their own ends, with what they share as the body of the frame; none where a gateway asked whether the node
 * is there.
 */
export type AnswersText = readonly [
  status: number,
  kind: AnswerKind,
  headers: Readonly<Record<string, string>>,
  answers: readonly (readonly [number: number, own: string])[],
  /** Where the answer is put together of what is kept; else the body is that of the frame. */
  layout?: LayoutText,
];

/** The parts of a body in their order: so many bytes of the frame's, or those of kept bytes from one place up to another. */
export type LayoutText = readonly (number | readonly [id: number, from: number, to: number])[];

/** The body of the frame is to be kept under a number, and what those name that are dropped is not needed any more. */
export type KeepText = readonly ['keep', id: number, dropped: readonly number[]];

/**
 * The body of the frame is the next part of a long answer, whose first number this is. What comes with its numbers in the end is the last
 * part. Long answers come one after another; a part of another one, or without a body, says that nobody waits for the one before.
 */
export type PartText = readonly ['part', number: number];

/**
 * Said by a node that stops, before the answers that end polls because of that: the next requests have to go elsewhere. Said back by the
 * gateway behind its last request on this link.
 */
export type LeavingText = readonly ['leaving'];
