/** The protocol between gateways and nodes of services on a link. */
import type { Caller } from '@parley/api';

import type { LinkBody } from './body.ts';

/** The path where a node accepts links, by an upgrade of HTTP/1.1. */
export const linkPath = '/link';

/** The name of the protocol in the upgrade. A changed protocol has a new name. */
export const linkProtocol = 'parley-requests-5';

/** The request id in the identity that opens a link. Requests' ids are never words, so no identity signed for a request opens a link. */
export const linkRequestId = 'link';

/** The headers of a client's request that linked services need. */
export const linkedHeaderNames = [
  'accept-encoding',
  'cookie',
  'content-type',
  'user-agent',
  'idempotency-key',
  'if-none-match',
  'if-range',
  'last-event-id',
  'range',
] as const;

/** Those headers that the request has, and the header of the gateway's span if it is traced. */
export type LinkedHeaders = {
  readonly [Name in (typeof linkedHeaderNames)[number] | 'traceparent']?: string;
};

/** A request after its gateway admitted it. */
export type LinkedRequest = {
  readonly requestId: string;
  readonly method: string;
  /** Path and query, in the spelling that services expect. */
  readonly address: string;
  /** Null if the endpoint needs no authentication. */
  readonly caller: Caller | null;
  readonly headers: LinkedHeaders;
  readonly body: Buffer;
};

/**
 * `json` and `raw` end their request; `raw` is an answer that is not JSON: a file, a page, a redirect, or nothing. The parts of a stream
 * before its end are `open` or `step`. After a `step` nothing follows until the gateway says that its client has taken it.
 */
export type AnswerKind = 'json' | 'raw' | 'open' | 'step';

/** Whether more answers follow under the request's number. */
export function goesOn(kind: AnswerKind): boolean {
  return kind === 'open' || kind === 'step';
}

/** An answer or a part of a stream. Its body is `shared` followed by `own`. */
export type LinkAnswer = {
  readonly status: number;
  readonly kind: AnswerKind;
  /** For JSON, headers besides those of every such answer; for a stream, the headers of its first part. */
  readonly headers: Readonly<Record<string, string>>;
  /** The beginning that answers to many polls, or the parts of many streams, may have in common; it is sent once over the link. */
  readonly shared: LinkBody;
  readonly own: string;
};

/** A longer answer is sent in parts of this size, with other answers between them. A part takes a link a fifth of a millisecond. */
export const partBytes = 262_144;

/** A longer answer to a read must be requested by HTTP, where each answer has its own flow control. */
export const readAnswerMaxBytes = 16 * 1_048_576;

/** A larger file must be requested by HTTP. On a link it is in memory as a whole, and other answers wait for it. */
export const fileMaxBytes = partBytes;

/** The bytes that a gateway keeps of one node for later answers. Newer bytes replace older ones. */
export const keptMaxBytes = 16 * 1_048_576;

/** The longest answer. */
export const answerMaxBytes = 128 * 1_048_576;

/** With this status a node says that a request must come by HTTP, and that nothing was done for it. No service sends it to a client. */
export const notOverLinksStatus = 421;

/**
 * The requests that began on a gateway in one moment, each with its number; the numbers of abandoned requests, which the new ones may use
 * again; and the numbers of streams whose last step was taken. The bodies of the requests follow one another in the body of the frame. If
 * all three lists are empty, the gateway asks whether the node is alive.
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
 * Answers or parts of streams that differ only in their own ends. The body of the frame is what they share. The list is empty if a gateway
 * asked whether the node is alive.
 */
export type AnswersText = readonly [
  status: number,
  kind: AnswerKind,
  headers: Readonly<Record<string, string>>,
  answers: readonly (readonly [number: number, own: string])[],
  /** Present if the answer is put together from kept bytes; otherwise the body is that of the frame. */
  layout?: LayoutText,
];

/** The parts of a body in order: a number of bytes of the frame's body, or kept bytes from one offset to another. */
export type LayoutText = readonly (number | readonly [id: number, from: number, to: number])[];

/** The gateway keeps the body of the frame under this number. The kept bytes of the dropped numbers are no longer needed. */
export type KeepText = readonly ['keep', id: number, dropped: readonly number[]];

/**
 * The body of the frame is the next part of the long answer with this first number. The last part comes in the frame with the answer's
 * numbers. Long answers come one after another. A part of another answer, or one without a body, means that nobody waits for the previous
 * answer.
 */
export type PartText = readonly ['part', number: number];

/**
 * A stopping node sends this before the answers that end polls because of the stop: further requests must go elsewhere. The gateway sends
 * it back after its last request on this link.
 */
export type LeavingText = readonly ['leaving'];
