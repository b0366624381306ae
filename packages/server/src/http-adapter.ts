/** Requests that reach a service by HTTP, proxied by a gateway. */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';

import {
  identityHeaderName,
  isEventStream,
  requestIdHeaderName,
  serviceUnavailable,
} from '@parley/api';
import type { ApiError, Caller, Endpoint } from '@parley/api';
import { verifyIdentity } from '@parley/identity';

import { writeRefusal } from './error-handler.ts';
import { readFormFiles } from './form-files.ts';
import type { FormFile } from './form-files.ts';
import type { RequestHandler } from './graceful-server.ts';
import { senderOf } from './held-bodies.ts';
import type { Preserialized, RawAnswer } from './implement.ts';
import type { Exchange, Pipeline } from './pipeline.ts';
import { receiveFile } from './receive-file.ts';
import type { ReceiveFile } from './receive-file.ts';
import { receiveBody } from './request-body.ts';
import { passageHeaders, passageOf, writeJson, writeRaw } from './write-answer.ts';

export type HttpAdapterOptions = {
  /** Secrets with which the gateway's identities may be signed. */
  readonly identitySecrets: readonly string[];
  /** Sent with every answer, refusals included. */
  readonly answerHeaders?: Readonly<Record<string, string>>;
  /** UNIX time in milliseconds. */
  readonly now?: () => number;
};

/** @returns the handler of a service's HTTP requests */
export function serveHttp<Context>(
  pipeline: Pipeline<Context>,
  options: HttpAdapterOptions,
): RequestHandler {
  return (request, response) => {
    for (const [name, value] of Object.entries(options.answerHeaders ?? {}))
      response.setHeader(name, value);
    const exchange = new HttpExchange(pipeline, options, request, response);
    const progress = pipeline.open(exchange);
    response.once('close', () => {
      exchange.release();
      progress.end({ status: response.statusCode, hungUp: !response.writableFinished });
    });
    void progress.run();
  };
}

const noBody = Buffer.alloc(0);
const plausibleRequestId = /^[\w.:-]{1,80}$/;

/** Doubled slashes in the path are merged (reference facts, people 2.6). */
function normalizedAddress(address: string): string {
  if (!address.includes('//')) return address;
  const question = address.indexOf('?');
  const path = question < 0 ? address : address.slice(0, question);
  return path.replaceAll(/\/{2,}/g, '/') + address.slice(path.length);
}

class HttpExchange<Context> implements Exchange {
  readonly requestId: string;
  readonly method: string;
  readonly address: string;
  readonly caller: Caller | undefined;
  readonly traceparent: string | undefined;
  readonly #pipeline: Pipeline<Context>;
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  #body: Buffer = noBody;
  #release: (() => void) | undefined;
  #signal: AbortSignal | undefined;

  constructor(
    pipeline: Pipeline<Context>,
    { identitySecrets, now }: HttpAdapterOptions,
    request: IncomingMessage,
    response: ServerResponse,
  ) {
    this.#pipeline = pipeline;
    this.#request = request;
    this.#response = response;
    this.method = request.method ?? 'GET';
    this.address = normalizedAddress(request.url ?? '/');
    const { [identityHeaderName]: signed, [requestIdHeaderName]: givenId } = request.headers;
    const identity = verifyIdentity(
      identitySecrets,
      typeof signed === 'string' ? signed : undefined,
      now?.() ?? Date.now(),
    );
    this.caller = identity?.caller ?? undefined;
    const { traceparent } = request.headers;
    // A request without a valid identity did not come through the gateway.
    this.traceparent =
      identity !== undefined && typeof traceparent === 'string' ? traceparent : undefined;
    this.requestId =
      identity?.requestId ??
      (typeof givenId === 'string' && plausibleRequestId.test(givenId) ? givenId : randomUUID());
  }

  get signal(): AbortSignal {
    this.#signal ??= hangUpSignal(this.#response);
    return this.#signal;
  }

  header(name: string): string | undefined {
    const value = this.#request.headers[name];
    return Array.isArray(value) ? value.join(', ') : value;
  }

  /** Streams use only links. A client that requested one by HTTP reconnects through another gateway. */
  accept(endpoint: Endpoint): void {
    if (isEventStream(endpoint)) throw serviceUnavailable();
  }

  /** By HTTP an answer may have any length. */
  readonly admitFile = (): void => undefined;

  readBody(): Buffer | Promise<Buffer> {
    if (this.method === 'GET' || this.method === 'HEAD') return noBody;
    const held = this.#pipeline.options.heldBodies?.begin(senderOf(this.caller));
    this.#release = () => held?.release();
    return receiveBody(this.#request, held).then((body) => {
      this.#body = body;
      return body;
    });
  }

  /** Releases the request's share of memory. */
  release(): void {
    this.#release?.();
  }

  readonly formFiles = (): Promise<FormFile[]> =>
    readFormFiles(this.#request.headers['content-type'], this.#body);

  readonly receiveFile: ReceiveFile = (options) => receiveFile(this.#request, options);

  addHeaders(headers: Readonly<Record<string, string>>): void {
    if (this.#response.headersSent) return;
    for (const [name, value] of Object.entries(headers)) this.#response.setHeader(name, value);
  }

  answer(answer: Preserialized, endpoint: Endpoint | undefined): void {
    writeJson(this.#response, 200, answer.body, {
      ...passageHeaders[passageOf(answer, endpoint)],
      [requestIdHeaderName]: this.requestId,
    });
  }

  answerRaw(answer: RawAnswer): Promise<void> {
    return writeRaw(this.#request, this.#response, answer, this.requestId);
  }

  readonly answerStreamed = (): never => {
    throw new TypeError('streams use only links');
  };

  refuse(refusal: ApiError): void {
    if (this.#response.destroyed) return;
    writeRefusal(this.#response, refusal, { [requestIdHeaderName]: this.requestId });
  }
}

function hangUpSignal(response: ServerResponse): AbortSignal {
  const controller = new AbortController();
  const abort = (): void => {
    if (!response.writableFinished) controller.abort();
  };
  if (response.destroyed) abort();
  else response.once('close', abort);
  return controller.signal;
}
