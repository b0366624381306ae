/**
 * Forwards a request to a replica of its service, and to another one where that is harmless.
 *
 * - A node that cannot be reached has seen nothing. The next one is tried for any request.
 * - If a reply breaks off before its headers, or does not come in time, the outcome is unknown. Requests that may be repeated go to another
 *   replica under the same request id; others get 503.
 * - A read goes to only one other replica, because a read that ended two nodes may end all of them. If it ran out of time it is not
 *   repeated, because it would take as long there. Its node cancels it as soon as nobody waits for it.
 * - A send gets 503 only if its outcome is known or its own key makes a repeat harmless (architecture, A send). While the outcome is
 *   unknown the send is repeated under its key. In the end the connection is closed without an answer, as if the client's network had
 *   failed.
 * - If a client hangs up, the upstream request ends. The proxy's own error page is never sent.
 */
import { Agent } from 'node:http';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { Stream } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';

import { ApiError, identityHeaderName, requestIdHeaderName, serviceUnavailable } from '@parley/api';
import type { LiveNode } from '@parley/placement';
import { createProxyMiddleware } from 'http-proxy-middleware';
import type { Plugin } from 'http-proxy-middleware';

import { takeAccountChanges } from './account-changes.ts';
import type { OnAccountsChanged } from './account-changes.ts';
import type { AnswerCompression } from './answer-compression.ts';
import { AnswerTimeout, Attempt, LeaseLapsed } from './attempt.ts';
import type { AttemptEnd, ForwardedRequest } from './attempt.ts';
import { UnreadAnswers, sendOverLink } from './linked-attempt.ts';
import type { RequestBody } from './request-body.ts';
import type { ServiceLinks } from './service-links.ts';
import type { Upstreams } from './upstreams.ts';
import { ConnectTimeout, limitConnecting, takesConnections } from './upstreams.ts';

export type ForwarderOptions = {
  readonly upstreams: Upstreams;
  readonly links: ServiceLinks;
  readonly compression: AnswerCompression;
  readonly onRetry: (service: string, reason: 'unreachable' | 'lost') => void;
  readonly onAccountsChanged: OnAccountsChanged;
};

/** All attempts of one request together take at most this many times the wait for one answer. */
export const answerTimeoutsMax = 2;

/** The most nodes that may be lost during one read. */
const readLossesMax = 2;

/** The most attempts of one request. It also bounds the listeners that attempts add to one response. */
const attemptsMax = 24;

/** Pause before the nodes are tried once more. */
const roundPauseMs = 250;

/** Idle upstream connections close before the services' own keep-alive would close them under a request. */
const upstreamKeepAliveMs = 30_000;

/** Where a request carries its attempt, because the proxy's callbacks get only the request. */
const attemptOf = Symbol('attempt');

type AttemptedRequest = IncomingMessage & { [attemptOf]?: Attempt };

/** A body that was read, in the form that the proxy needs. A real stream would cost a dozen turns of the microtask queue. */
class KeptBody extends Stream {
  readonly #bytes: Buffer;

  constructor(bytes: Buffer) {
    super();
    this.#bytes = bytes;
  }

  override pipe<Destination extends NodeJS.WritableStream>(destination: Destination): Destination {
    if (this.#bytes.length > 0) destination.end(this.#bytes);
    else destination.end();
    return destination;
  }
}

const identityHeaderPrefix = 'x-parley-';

/** Headers that stop at the gateway: those of the connection, credentials, and those that only the gateway may set. */
const endingHeaders = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'proxy-authorization',
  'authorization',
  'cookie',
  'te',
  'trailer',
  'upgrade',
  'expect',
  'transfer-encoding',
  'traceparent',
  'tracestate',
  requestIdHeaderName,
]);

/** Whether a header of a client's request stops at the gateway; `name` in lower case. */
export function endsAtGateway(name: string): boolean {
  return endingHeaders.has(name) || name.startsWith(identityHeaderPrefix);
}

/** Leaves a request only the headers that are forwarded. They are copied, because deleting one would make all others slower to read. */
function dropEndingHeaders(request: IncomingMessage, body: RequestBody): void {
  const { headers } = request;
  const kept: IncomingHttpHeaders = {};
  for (const name of Object.keys(headers)) if (!endsAtGateway(name)) kept[name] = headers[name];
  if (body.kind === 'flowing') {
    // Without a declared length the body is forwarded in chunks, as it came.
    if (headers['transfer-encoding'] !== undefined) kept['transfer-encoding'] = 'chunked';
  } else if (body.bytes.length > 0 || (request.method !== 'GET' && request.method !== 'HEAD')) {
    kept['content-length'] = String(body.bytes.length);
  } else {
    delete kept['content-length'];
  }
  request.headers = kept;
}

export class Forwarder {
  readonly #options: ForwarderOptions;
  readonly #agent = new Agent({
    keepAlive: true,
    timeout: upstreamKeepAliveMs,
    maxFreeSockets: 256,
  });
  /**
   * Running attempts, each at its own index. A long-lived set would keep them all until the next full garbage collection: the parts of its
   * earlier tables that were promoted refer to the later tables, and these to their members.
   */
  readonly #running: Attempt[] = [];
  readonly #unread = new UnreadAnswers();
  readonly #proxy: ReturnType<typeof createProxyMiddleware>;
  readonly #stopListening: () => void;

  constructor(options: ForwarderOptions) {
    this.#options = options;
    this.#proxy = createProxyMiddleware({
      agent: this.#agent,
      // The default plugins write an error page, or log request addresses.
      ejectPlugins: true,
      plugins: [this.#watchProxy],
      router: (request, _response, perRequest) => {
        const attempt = (request as AttemptedRequest)[attemptOf];
        if (attempt === undefined)
          throw new Error('a request reached the proxy without an attempt');
        const { body, requestId, signIdentity, span } = attempt.request;
        const traceparent = (attempt.span ?? span)?.traceparent;
        Object.assign(perRequest, {
          buffer: body.kind === 'flowing' ? body.stream : new KeptBody(body.bytes),
          headers: {
            [requestIdHeaderName]: requestId,
            [identityHeaderName]: signIdentity(),
            ...(traceparent === undefined ? {} : { traceparent }),
          },
        });
        return attempt;
      },
    });
    this.#stopListening = options.upstreams.list.onLeasesChanged(() => this.#abandonLapsed());
  }

  /** Sockets to services, in use and idle; for metrics and tests. */
  get sockets(): { readonly busy: number; readonly idle: number } {
    const count = (lists: NodeJS.ReadOnlyDict<unknown[]>): number =>
      Object.values(lists).reduce((sum, list) => sum + (list?.length ?? 0), 0);
    return { busy: count(this.#agent.sockets), idle: count(this.#agent.freeSockets) };
  }

  /** Running attempts; for metrics and tests. */
  get running(): number {
    return this.#running.length;
  }

  stop(): void {
    this.#stopListening();
    this.#agent.destroy();
  }

  /**
   * Forwards a request and its answer. Returns when the answer is complete or the client is gone.
   *
   * @throws ApiError 503 if no replica answers, 413 if a streamed body grows too large; the client has no answer then
   */
  async forward(
    request: IncomingMessage,
    response: ServerResponse,
    forwarded: ForwardedRequest,
  ): Promise<void> {
    // Each attempt leaves a few listeners on the response until it closes.
    response.setMaxListeners(attemptsMax * 4);
    request.setMaxListeners(attemptsMax * 4);
    request.url = forwarded.address;
    const giveUpAtMs = performance.now() + forwarded.answerTimeoutMs * answerTimeoutsMax;
    const mayRepeat = forwarded.afterLoss !== 'once' && forwarded.body.kind === 'kept';
    let losses = 0;
    let left: LiveNode[] = forwarded.candidates();
    const unreachable = new Set<string>();
    let knowsNewest = false;
    const markUnreachable = (node: LiveNode): void => {
      unreachable.add(node.address);
      this.#options.upstreams.suspect(node.nodeId);
      this.#options.onRetry(forwarded.service, 'unreachable');
    };
    for (let count = 0; count < attemptsMax && performance.now() < giveUpAtMs; count += 1) {
      if (left.length === 0) {
        if (losses > 0) {
          await pause(roundPauseMs);
          left = forwarded.candidates();
        } else {
          // Nobody was reached, so the client can repeat the request. But a replica may just have replaced the last one.
          if (knowsNewest) break;
          await this.#options.upstreams.list.readAgain();
          knowsNewest = true;
          left = forwarded.candidates().filter(({ address }) => !unreachable.has(address));
        }
      }
      const node = left.shift();
      if (response.destroyed) return;
      if (node === undefined) continue;
      // A failed attempt would lose the first bytes of the body, so the node must accept connections.
      if (forwarded.body.kind === 'flowing' && !(await takesConnections(node.address))) {
        markUnreachable(node);
        continue;
      }
      const withholds = losses > 0 && forwarded.afterLoss === 'keyed-send';
      const attempt = (): Attempt => new Attempt(node, forwarded, withholds);
      const waitMs = Math.min(forwarded.answerTimeoutMs, giveUpAtMs - performance.now());
      // The pause may have used up the remaining time.
      if (waitMs <= 0) break;
      const end = await this.#tryNode(request, response, attempt, waitMs);
      if (end.kind === 'answered' || end.kind === 'client-gone') return;
      if (end.kind === 'refused') throw end.error;
      const wasReached = end.kind !== 'unreachable';
      if (wasReached) {
        losses += 1;
        this.#options.onRetry(forwarded.service, 'lost');
      } else markUnreachable(node);
      const isReadOver =
        forwarded.afterLoss === 'read' && (end.kind === 'late' || losses === readLossesMax);
      const mayGoOn = !wasReached ? forwarded.body.kind === 'kept' : mayRepeat && !isReadOver;
      if (!mayGoOn) break;
    }
    if (losses > 0 && forwarded.afterLoss === 'keyed-send' && !forwarded.hasOwnSendKey) {
      response.destroy();
      return;
    }
    throw serviceUnavailable();
  }

  async #tryNode(
    request: IncomingMessage,
    response: ServerResponse,
    makeAttempt: () => Attempt,
    waitMs: number,
  ): Promise<AttemptEnd> {
    let attempt = makeAttempt();
    const { body, isLinked } = attempt.request;
    const hasRoom = !attempt.isHarmlessTwice || !this.#unread.isFull;
    if (isLinked && body.kind === 'kept' && hasRoom) {
      const link = this.#options.links.find(attempt.node);
      if (link !== undefined) {
        const end = await this.#attempt(response, attempt, waitMs, () =>
          sendOverLink(
            link,
            attempt,
            { request, body: body.bytes, response },
            {
              compression: this.#options.compression,
              unread: this.#unread,
              onAccountsChanged: this.#options.onAccountsChanged,
            },
          ),
        );
        if (end.kind !== 'not-linked') return end;
        attempt = makeAttempt();
      }
    }
    const proxied = attempt;
    return this.#attempt(response, proxied, waitMs, () =>
      this.#proxyOn(request, response, proxied),
    );
  }

  #proxyOn(request: IncomingMessage, response: ServerResponse, attempt: Attempt): void {
    const { answerHeaders, requestId, body } = attempt.request;
    for (const [name, value] of Object.entries(answerHeaders)) response.setHeader(name, value);
    response.setHeader(requestIdHeaderName, requestId);
    dropEndingHeaders(request, body);
    (request as AttemptedRequest)[attemptOf] = attempt;
    this.#proxy(request, response, (error?: unknown) => attempt.fail(error)).catch(
      (error: unknown) => attempt.fail(error),
    );
  }

  /** @param begin sends the request to the attempt's node */
  async #attempt(
    response: ServerResponse,
    attempt: Attempt,
    waitMs: number,
    begin: () => void,
  ): Promise<AttemptEnd> {
    const onClose = (): void => {
      if (!attempt.hasHeaders) attempt.upstream?.destroy();
      attempt.end({ kind: attempt.hasHeaders ? 'answered' : 'client-gone' });
    };
    const { body } = attempt.request;
    if (body.kind === 'flowing' && body.stream.errored !== null)
      return endOfFault(body.stream.errored);
    const onBodyFault = (error: Error): void => attempt.fail(error);
    if (body.kind === 'flowing') body.stream.on('error', onBodyFault);
    response.on('close', onClose);
    let timer: NodeJS.Timeout | undefined;
    const beginToWait = (): void => {
      timer = setTimeout(() => {
        if (!attempt.hasHeaders) attempt.fail(new AnswerTimeout());
      }, waitMs);
    };
    // A large body takes as long as the client's connection needs. The server has its own time limit for it.
    if (body.kind === 'flowing') body.stream.once('end', beginToWait);
    else beginToWait();
    attempt.index = this.#running.push(attempt) - 1;
    try {
      begin();
      return await attempt.ended;
    } finally {
      this.#forget(attempt);
      clearTimeout(timer);
      response.off('close', onClose);
      if (body.kind === 'flowing') {
        body.stream.off('error', onBodyFault);
        body.stream.off('end', beginToWait);
      }
    }
  }

  #forget(attempt: Attempt): void {
    const last = this.#running.pop();
    if (last === undefined || last === attempt) return;
    this.#running[attempt.index] = last;
    last.index = attempt.index;
  }

  /** A paused or disconnected node does not answer. Once its lease has lapsed, requests that may be repeated go to another node. */
  #abandonLapsed(): void {
    for (const attempt of this.#running) {
      const { afterLoss, body } = attempt.request;
      const mayRepeat = afterLoss !== 'once' && body.kind === 'kept';
      const hasLapsed = this.#options.upstreams.list.stateOf(attempt.node.nodeId) === 'lapsed';
      if (mayRepeat && hasLapsed && !attempt.hasHeaders) attempt.fail(new LeaseLapsed());
    }
  }

  readonly #watchProxy: Plugin = (proxy) => {
    proxy.on('proxyReq', (upstream, _request, _response, options) => {
      const attempt: unknown = options.target;
      if (!(attempt instanceof Attempt)) return;
      attempt.upstream = upstream;
      attempt.options = options;
      if (attempt.hasEnded) upstream.destroy();
      if (upstream.socket !== null)
        limitConnecting(upstream.socket, () => attempt.fail(new ConnectTimeout()));
    });
    proxy.on('proxyRes', (answer, request, response) => {
      const attempt = (request as AttemptedRequest)[attemptOf];
      answer.headers = takeAccountChanges(answer.headers, this.#options.onAccountsChanged);
      // It is the late answer to an earlier attempt.
      const { req: upstream } = answer as unknown as { readonly req: object };
      if (attempt?.upstream !== upstream || attempt.hasEnded) return;
      if (attempt.withholdsUnavailable && answer.statusCode === 503) {
        Object.assign(attempt.options ?? {}, { selfHandleResponse: true });
        answer.resume();
        attempt.end({ kind: 'lost' });
        return;
      }
      attempt.hasHeaders = true;
      const { headers } = answer;
      delete headers['keep-alive'];
      if (attempt.request.hidesChallenge) delete headers['www-authenticate'];
      // The gateway's own headers take precedence.
      for (const name of response.getHeaderNames()) Reflect.deleteProperty(headers, name);
      headers.connection = connectionOfAnswer(response);
    });
    proxy.on('error', (error, _request, _response, target) => {
      if (target instanceof Attempt) target.fail(error);
    });
    proxy.on('econnreset', (_error, _request, _response, target) => {
      if (target instanceof Attempt) target.end({ kind: 'client-gone' });
    });
  };
}

/** The end of a request whose body failed before it was sent anywhere. */
function endOfFault(error: Error): AttemptEnd {
  return error instanceof ApiError ? { kind: 'refused', error } : { kind: 'client-gone' };
}

/** The `Connection` header of an answer. The client's connection is independent of the node's; a stopping server has set `close`. */
export function connectionOfAnswer(response: ServerResponse): 'keep-alive' | 'close' {
  return response.shouldKeepAlive && !response.hasHeader('connection') ? 'keep-alive' : 'close';
}
