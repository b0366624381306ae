/**
 * Passes an upload on to a replica of its service while it arrives, by HTTP. It is sent once, to a node that accepts connections, and has the
 * time that the client's connection needs. After its end the answer has the time of any answer.
 */
import { Agent } from 'node:http';
import type { ClientRequest, IncomingMessage, ServerResponse } from 'node:http';
import { Transform, pipeline } from 'node:stream';
import type { TransformCallback } from 'node:stream';

import {
  ApiError,
  changeWithinHeaderName,
  endpointHeaderName,
  identityHeaderName,
  outcomeUnknown,
  requestIdHeaderName,
  serviceUnavailable,
  uploadTooLarge,
} from '@parley/api';
import { limitMs } from '@parley/clock';
import type { Clock, Timer } from '@parley/clock';
import type { LiveNode } from '@parley/cluster/placement';
import { multipartOverheadMaxBytes } from '@parley/server';
import { createProxyMiddleware } from 'http-proxy-middleware';

import type { AnswerHeaders } from './answer-headers.ts';
import { changeShare } from './attempt.ts';
import { takesConnections } from './upstreams.ts';

/** Idle connections to services close before the services' own keep-alive would close them under an upload. */
const idleConnectionMs = 30_000;

export type ForwardedUpload = {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** The name of its endpoint. */
  readonly endpoint: string;
  readonly requestId: string;
  /** The caller, signed. */
  readonly identity: string;
  readonly traceparent: string | undefined;
  readonly answerHeaders: AnswerHeaders;
  /** A refusal must not make the browser open its dialog for a password. */
  readonly hidesChallenge: boolean;
  /** The nodes to try, the preferred one first. */
  readonly candidates: () => readonly LiveNode[];
};

export type UploadOptions = {
  readonly clock: Clock;
  /** The largest file. */
  readonly fileMaxBytes: number;
  /** The longest wait for an answer once everything was sent. */
  readonly answerTimeoutMs: number;
  readonly onUnreachable: (node: LiveNode) => void;
  readonly readLeases: () => Promise<void>;
};

type Proxied = ForwardedUpload & {
  readonly target: string;
  readonly body: LimitedBody;
  /** Ends it without an answer from its service. */
  readonly fail: (error: unknown) => void;
  upstream: ClientRequest | undefined;
};

/** Where a request carries its upload, because the proxy's callbacks get only the request. */
const uploadOf = Symbol('upload');

type UploadRequest = IncomingMessage & { [uploadOf]?: Proxied };

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

function isForwarded(name: string): boolean {
  return !endingHeaders.has(name) && !name.startsWith('x-parley-');
}

/** Drops what exceeds its bound, because a client that is disconnected while it sends may not see the answer. */
class LimitedBody extends Transform {
  #left: number;
  readonly #onTooLarge: () => void;

  constructor(maxBytes: number, onTooLarge: () => void) {
    super();
    this.#left = maxBytes;
    this.#onTooLarge = onTooLarge;
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    const fitted = this.#left >= 0;
    this.#left -= chunk.length;
    if (this.#left >= 0) done(null, chunk);
    else {
      if (fitted) this.#onTooLarge();
      done();
    }
  }
}

export class UploadForwarder {
  readonly #options: UploadOptions;
  readonly #agent: Agent;
  readonly #proxy: ReturnType<typeof createProxyMiddleware>;

  constructor(options: UploadOptions) {
    this.#options = options;
    this.#agent = new Agent({
      keepAlive: true,
      timeout: limitMs(options.clock, idleConnectionMs),
      maxFreeSockets: 256,
    });
    this.#proxy = createProxyMiddleware({
      agent: this.#agent,
      // The default plugins write an error page, or log request addresses.
      ejectPlugins: true,
      router: (request, _response, perRequest) => {
        const upload = uploadIn(request);
        Object.assign(perRequest, { buffer: upload.body });
        return upload.target;
      },
      plugins: [
        (proxy) => {
          proxy.on('proxyReq', (upstream, request) => {
            uploadIn(request).upstream = upstream;
          });
          proxy.on('proxyRes', (answer, request, response) => {
            const { hidesChallenge } = uploadIn(request);
            const { headers } = answer;
            delete headers['keep-alive'];
            if (hidesChallenge) delete headers['www-authenticate'];
            // The gateway's own headers take precedence.
            for (const name of response.getHeaderNames()) Reflect.deleteProperty(headers, name);
            headers.connection = connectionOfAnswer(response);
          });
          // With this listener the middleware's promise tells no fault. It breaks off an answer that has begun itself.
          proxy.on('error', (error, request) => uploadIn(request).fail(error));
        },
      ],
    });
  }

  stop(): void {
    this.#agent.destroy();
  }

  /**
   * Returns when the answer is complete or the client is gone.
   *
   * @throws ApiError 503 if no replica is reached, 504 if its answer does not come, 400 if the upload is too large; the client has no answer then
   */
  async forward(upload: ForwardedUpload): Promise<void> {
    const { request, response, answerHeaders, requestId } = upload;
    const { clock, fileMaxBytes, answerTimeoutMs } = this.#options;
    const maxBytes = fileMaxBytes + multipartOverheadMaxBytes;
    const refusal = (): ApiError => uploadTooLarge(fileMaxBytes);
    if (Number(request.headers['content-length'] ?? 0) > maxBytes) throw refusal();
    const node = await this.#findNode(upload.candidates);
    if (response.destroyed) return;
    if (node === undefined) throw serviceUnavailable();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const fail = (error: unknown): void => {
      proxied.upstream?.destroy();
      // The rest is read and dropped.
      body.resume();
      if (!response.headersSent) reject(error instanceof ApiError ? error : outcomeUnknown());
    };
    const body = new LimitedBody(maxBytes, () => fail(refusal()));
    const proxied: Proxied = {
      ...upload,
      body,
      fail,
      target: `http://${node.address}`,
      upstream: undefined,
    };
    let timer: Timer | undefined;
    body.once('end', () => {
      timer = clock.after(answerTimeoutMs, () => fail(outcomeUnknown()));
    });
    response.once('close', () => {
      timer?.cancel();
      if (response.writableFinished) body.resume();
      else body.destroy();
      resolve();
    });
    setForwardedHeaders(request, proxied, Math.floor(answerTimeoutMs * changeShare));
    for (const [name, value] of Object.entries(answerHeaders)) response.setHeader(name, value);
    response.setHeader(requestIdHeaderName, requestId);
    pipeline(request, body, () => undefined);
    this.#proxy(request, response, fail).catch(fail);
    await promise;
  }

  async #findNode(candidates: () => readonly LiveNode[]): Promise<LiveNode | undefined> {
    const tried = new Set<string>();
    const tryAll = async (): Promise<LiveNode | undefined> => {
      for (const node of candidates()) {
        if (tried.has(node.address)) continue;
        if (await takesConnections(this.#options.clock, node.address)) return node;
        tried.add(node.address);
        this.#options.onUnreachable(node);
      }
      return undefined;
    };
    const found = await tryAll();
    if (found !== undefined) return found;
    // A replica may just have replaced the last one.
    await this.#options.readLeases();
    return tryAll();
  }
}

function uploadIn(request: UploadRequest | undefined): Proxied {
  const upload = request?.[uploadOf];
  if (upload === undefined) throw new Error('a request reached the proxy that is no upload');
  return upload;
}

/** The proxy copies the request's own headers and address. */
function setForwardedHeaders(
  request: IncomingMessage,
  upload: Proxied,
  changeWithinMs: number,
): void {
  const { traceparent } = upload;
  const isChunked = request.headers['transfer-encoding'] !== undefined;
  request.headers = {
    ...Object.fromEntries(Object.entries(request.headers).filter(([name]) => isForwarded(name))),
    [requestIdHeaderName]: upload.requestId,
    [identityHeaderName]: upload.identity,
    [endpointHeaderName]: upload.endpoint,
    [changeWithinHeaderName]: String(changeWithinMs),
    ...(traceparent === undefined ? {} : { traceparent }),
    ...(isChunked ? { 'transfer-encoding': 'chunked' } : {}),
  };
  (request as UploadRequest)[uploadOf] = upload;
}

/** The `Connection` header of an answer. The client's connection is independent of the node's; a stopping server has set `close`. */
function connectionOfAnswer(response: ServerResponse): 'keep-alive' | 'close' {
  return response.shouldKeepAlive && !response.hasHeader('connection') ? 'keep-alive' : 'close';
}
