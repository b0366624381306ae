/** An attempt to send a request to one node, by any transport. */
import { ApiError } from '@parley/api';
import type { AfterLoss, Caller } from '@parley/api';
import type { GatewayLink } from '@parley/links';
import type { LiveNode } from '@parley/placement';
import type { Span } from '@parley/tracing';

import type { AnswerHeaders } from './answer-headers.ts';
import type { RequestBody } from './request-body.ts';
import { isConnectFault, parseAddress } from './upstreams.ts';

export type ForwardedRequest = {
  readonly service: string;
  /** It may use the link to its node. */
  readonly isLinked: boolean;
  /** Its service compresses the answer. */
  readonly compresses: boolean;
  /** Its service reads cookies. */
  readonly takesCookies: boolean;
  readonly caller: Caller | null;
  /** Path and query, as services expect them. */
  readonly address: string;
  /** Headers of its answer, whether a service or the gateway answers. */
  readonly answerHeaders: AnswerHeaders;
  /** A refusal must not make the browser open its dialog for a password. */
  readonly hidesChallenge: boolean;
  readonly afterLoss: AfterLoss;
  readonly requestId: string;
  /** The span of a traced request; each attempt is its child. */
  readonly span?: Span | undefined;
  readonly body: RequestBody;
  /** A send that the client itself may repeat, because it named its own key. */
  readonly hasOwnSendKey: boolean;
  /** The nodes to try, the preferred one first; called again for each round. */
  readonly candidates: () => LiveNode[];
  /** Signed anew for each attempt, because a signature is valid only for a short time. */
  readonly signIdentity: () => string;
  /** The longest wait for the headers of one answer, or for the whole answer on a link. */
  readonly answerTimeoutMs: number;
};

export type AttemptEnd =
  /** The answer was sent to the client, completely or in part. */
  | { readonly kind: 'answered' }
  | { readonly kind: 'client-gone' }
  | { readonly kind: 'unreachable' }
  | { readonly kind: 'lost' }
  /** The node is alive but used up all the time. */
  | { readonly kind: 'late' }
  /**
   * The request has to use HTTP at the same node. Either the node knows no links or requires HTTP, and did nothing that counts; or there is
   * no memory to keep an answer that can be made again.
   */
  | { readonly kind: 'not-linked' }
  /** The request itself broke a rule while its body was streamed. */
  | { readonly kind: 'refused'; readonly error: ApiError };

export class AnswerTimeout extends Error {}
export class LeaseLapsed extends Error {}

/**
 * An attempt to send a request to one node. It is also the target that the proxy gets, so each of the proxy's events brings it back. Weak
 * maps by request would cost as much as the proxying, because every entry would outlive its request until the next full garbage collection.
 */
export class Attempt {
  readonly protocol = 'http:';
  readonly hostname: string;
  readonly port: string;
  readonly node: LiveNode;
  readonly request: ForwardedRequest;
  /** A 503 would claim that nothing happened. After an earlier attempt that is unknown, so the 503 is not passed on. */
  readonly withholdsUnavailable: boolean;
  readonly ended: Promise<AttemptEnd>;
  readonly span: Span | undefined;
  /** Destroyed if the attempt fails. */
  upstream: { readonly destroy: () => void } | undefined;
  /** Set if the attempt uses a link. */
  link: Pick<GatewayLink, 'isSilent'> | undefined;
  /** The proxy's own copy of the options for this attempt. */
  options: object | undefined;
  /** Its index in the list of running attempts. */
  index = -1;
  hasHeaders = false;
  hasEnded = false;
  readonly #end: (end: AttemptEnd) => void;

  constructor(node: LiveNode, request: ForwardedRequest, withholdsUnavailable: boolean) {
    const { promise, resolve } = Promise.withResolvers<AttemptEnd>();
    const { hostname, port } = parseAddress(node.address);
    this.hostname = hostname;
    this.port = port;
    this.node = node;
    this.request = request;
    this.withholdsUnavailable = withholdsUnavailable;
    this.ended = promise;
    this.#end = resolve;
    this.span = request.span?.openChild(`forward to ${request.service}`, {
      kind: 'client',
      attributes: { 'parley.node_id': node.nodeId },
    });
  }

  /** Whether the request may be repeated although it was answered. */
  get isHarmlessTwice(): boolean {
    const { afterLoss } = this.request;
    return afterLoss === 'read' || afterLoss === 'repeat';
  }

  end(end: AttemptEnd): void {
    this.hasEnded = true;
    this.#end(end);
    const isFault = end.kind !== 'answered' && end.kind !== 'not-linked';
    this.span?.end(isFault ? end.kind : undefined);
  }

  fail(error: unknown): void {
    // Once the client has headers, a fault can only break off the answer.
    if (this.hasHeaders) this.end({ kind: 'answered' });
    else if (error instanceof ApiError) this.end({ kind: 'refused', error });
    else if (error instanceof AnswerTimeout && this.link?.isSilent !== true)
      this.end({ kind: 'late' });
    else this.end({ kind: isConnectFault(error) ? 'unreachable' : 'lost' });
    this.upstream?.destroy();
  }
}
