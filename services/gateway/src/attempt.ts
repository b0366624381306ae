/** One try of a request at one node, whichever way it goes there. */
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
  /** It may go over the link of its node. */
  readonly isLinked: boolean;
  /** Its service compresses the answer itself. */
  readonly compresses: boolean;
  readonly caller: Caller | null;
  /** Path and query, as services expect them. */
  readonly address: string;
  /** Headers of its answer, whoever answers it. */
  readonly answerHeaders: AnswerHeaders;
  readonly afterLoss: AfterLoss;
  readonly requestId: string;
  /** Of the request, where it is traced: each attempt is a child of it. */
  readonly span?: Span | undefined;
  readonly body: RequestBody;
  /** A send that the client may repeat by itself, because it named a key of its own. */
  readonly hasOwnSendKey: boolean;
  /** The nodes to try, the preferred first; asked again for each round. */
  readonly candidates: () => LiveNode[];
  /** Signed anew for each attempt: a signature is believed for a short time only. */
  readonly signIdentity: () => string;
  /** The longest wait for the headers of one answer, or for all of it where it comes over a link. */
  readonly answerTimeoutMs: number;
};

export type AttemptEnd =
  /** The answer went to the client, or began to. */
  | { readonly kind: 'answered' }
  | { readonly kind: 'client-gone' }
  | { readonly kind: 'unreachable' }
  | { readonly kind: 'lost' }
  /** Its node, which is there, had all the time that there is. */
  | { readonly kind: 'late' }
  /**
   * By HTTP, at the same node: it knows no links, or wants the request so, having done nothing that counts; or there is no room to keep an
   * answer that may be made again.
   */
  | { readonly kind: 'not-linked' }
  /** The request itself broke a rule while it flowed. */
  | { readonly kind: 'refused'; readonly error: ApiError };

export class AnswerTimeout extends Error {}
export class LeaseLapsed extends Error {}

/**
 * One try of a request at one node. It is itself the target that the proxy is given, and so comes back with each of the proxy's
 * events: maps by request, kept weakly, would cost as much as the proxying, since every entry outlives its request until the next
 * full garbage collection.
 */
export class Attempt {
  readonly protocol = 'http:';
  readonly hostname: string;
  readonly port: string;
  readonly node: LiveNode;
  readonly request: ForwardedRequest;
  /** A 503 would claim that nothing happened, which an earlier attempt leaves unknown: it is not passed on. */
  readonly withholdsUnavailable: boolean;
  readonly ended: Promise<AttemptEnd>;
  readonly span: Span | undefined;
  /** What is given up when the attempt fails. */
  upstream: { readonly destroy: () => void } | undefined;
  /** Set where it goes over one. */
  link: Pick<GatewayLink, 'isSilent'> | undefined;
  /** The proxy's own copy of the options for this attempt. */
  options: object | undefined;
  /** Its place among those under way. */
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

  /** Whether it may be asked for once more though it was answered. */
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
    // Once the client has headers, a fault can only break the answer off.
    if (this.hasHeaders) this.end({ kind: 'answered' });
    else if (error instanceof ApiError) this.end({ kind: 'refused', error });
    else if (error instanceof AnswerTimeout && this.link?.isSilent !== true)
      this.end({ kind: 'late' });
    else this.end({ kind: isConnectFault(error) ? 'unreachable' : 'lost' });
    this.upstream?.destroy();
  }
}
