/** The protocol between gateways and nodes of services on a link. */
import type { Caller } from '@parley/api';

import type { LinkBody } from './body.ts';

/** The path where a node accepts links, by an upgrade of HTTP/1.1. */
export const linkPath = '/link';

/** The name of the protocol in the upgrade. A changed protocol has a new name. */
export const linkProtocol = 'parley-requests-6';

/** The request id in the identity that opens a link. Requests' ids are never words, so no identity signed for a request opens a link. */
export const linkRequestId = 'link';

/**
 * Those headers of the client's request that its service needs, in lower case, and the gateway's own: its span if the request is traced, and the
 * time for a change.
 */
export type LinkedHeaders = Readonly<Record<string, string>>;

/** Values of a query or form in their order, each name once. */
export type Fields = readonly (readonly [name: string, value: string])[];

/** What the gateway can take as an answer: everything, headers alone, or a long one only in steps because it has no room to keep it. */
export type WantedAnswer = 'whole' | 'headers' | 'steps';

/** A request after its gateway admitted and decoded it. */
export type LinkedRequest = {
  readonly requestId: string;
  /** The name of its endpoint. */
  readonly endpoint: string;
  readonly wants: WantedAnswer;
  readonly path: Readonly<Record<string, string>>;
  readonly query: Fields;
  /** Null if the endpoint needs no authentication. */
  readonly caller: Caller | null;
  readonly headers: LinkedHeaders;
  /** The fields of a form as JSON; for an endpoint that takes JSON or a form with a file, the client's bytes. */
  readonly body: Buffer;
};

/**
 * `json` and `raw` end their request; `raw` is an answer that is not JSON: a page, a redirect, a small file, or nothing. The parts of a
 * stream before its end are `open` or `step`. After a `step` nothing follows until the gateway says that its client has taken it. `broken`
 * ends a stream that must not look complete.
 */
export type AnswerKind = 'json' | 'raw' | 'open' | 'step' | 'broken';

/** Whether more answers follow under the request's number. */
export function isContinued(kind: AnswerKind): boolean {
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

/** A longer body is sent in parts of this size, with others between them. A part takes a link a fifth of a millisecond. */
export const partBytes = 262_144;

/** A longer answer to a read goes in steps, because a gateway keeps what its client has not read. */
export const readAnswerMaxBytes = 16 * 1_048_576;

/** The bytes that a gateway keeps of one node for later answers. Newer bytes replace older ones. */
export const keptMaxBytes = 16 * 1_048_576;

/** The longest answer that goes as a whole. Requests are far shorter. */
export const answerMaxBytes = 128 * 1_048_576;

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
  endpoint: string,
  wants: WantedAnswer,
  path: Readonly<Record<string, string>>,
  query: Fields,
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
 * The body of the frame is the next part of the long body with this number: of a request, or of the answer that has it as its first. The last
 * part comes in the frame of the request or answer. Long bodies come one after another. A part of another one, or an empty part, means that
 * nobody waits for the previous one.
 */
export type PartText = readonly ['part', number: number];

/**
 * A stopping node sends this before the answers that end polls because of the stop: further requests must go elsewhere. The gateway sends
 * it back after its last request on this link.
 */
export type LeavingText = readonly ['leaving'];
