/** Uploads, which a gateway passes on by HTTP while they arrive. */
import type { IncomingMessage, ServerResponse } from 'node:http';

import {
  changeWithinHeaderName,
  endpointHeaderName,
  identityHeaderName,
  notFound,
} from '@parley/api';
import type { ApiError, Caller, Endpoint, FormValues } from '@parley/api';
import { verifyIdentity } from '@parley/auth/identity';
import type { VerifiedIdentity } from '@parley/auth/identity';

import { writeRefusal } from './error-handler.ts';
import { decodeForm } from './form-text.ts';
import type { RequestHandler } from './graceful-server.ts';
import type { Preserialized } from './implement.ts';
import type { Exchange, Pipeline } from './pipeline.ts';
import { receiveFile } from './receive-file.ts';
import type { ReceiveFile } from './receive-file.ts';
import { passageHeaders, passageOf, writeJson } from './write-answer.ts';

export type UploadAdapterOptions = {
  /** Secrets with which the gateway's identities may be signed. */
  readonly identitySecrets: readonly string[];
  /** Sent with every answer, refusals included. */
  readonly answerHeaders: Readonly<Record<string, string>>;
};

/** @returns the handler of a service's HTTP requests, which are uploads: everything else uses links, and strangers get 404 */
export function serveUploads<Context>(
  pipeline: Pipeline<Context>,
  { identitySecrets, answerHeaders }: UploadAdapterOptions,
): RequestHandler {
  const { clock, implementations } = pipeline.options;
  const names = new Set(
    implementations
      .filter(({ endpoint }) => endpoint.file === 'streamed')
      .map(({ endpoint }) => endpoint.name),
  );
  return (request, response) => {
    for (const [name, value] of Object.entries(answerHeaders)) response.setHeader(name, value);
    const { [identityHeaderName]: signed, [endpointHeaderName]: endpoint } = request.headers;
    const identity = verifyIdentity(
      identitySecrets,
      typeof signed === 'string' ? signed : undefined,
      clock.nowMs(),
    );
    if (identity === undefined || typeof endpoint !== 'string' || !names.has(endpoint)) {
      writeRefusal(response, notFound());
      return;
    }
    const progress = pipeline.open(new UploadExchange(request, response, identity, endpoint));
    response.once('close', () => {
      progress.end({ status: response.statusCode, hungUp: !response.writableFinished });
    });
    void progress.run();
  };
}

class UploadExchange implements Exchange {
  readonly requestId: string;
  readonly endpoint: string;
  readonly path = {};
  readonly isHead = false;
  readonly caller: Caller | undefined;
  readonly traceparent: string | undefined;
  readonly changeWithinMs: number | undefined;
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  #signal: AbortSignal | undefined;

  constructor(
    request: IncomingMessage,
    response: ServerResponse,
    identity: VerifiedIdentity,
    endpoint: string,
  ) {
    const { headers } = request;
    this.#request = request;
    this.#response = response;
    this.requestId = identity.requestId;
    this.endpoint = endpoint;
    this.caller = identity.caller ?? undefined;
    const { traceparent, [changeWithinHeaderName]: within } = headers;
    this.changeWithinMs = typeof within === 'string' ? Number(within) : undefined;
    this.traceparent = typeof traceparent === 'string' ? traceparent : undefined;
  }

  get query(): FormValues {
    const { url = '' } = this.#request;
    const mark = url.indexOf('?');
    return decodeForm(mark < 0 ? '' : url.slice(mark + 1));
  }

  get signal(): AbortSignal {
    this.#signal ??= hangUpSignal(this.#response);
    return this.#signal;
  }

  header(name: string): string | undefined {
    const value = this.#request.headers[name];
    return Array.isArray(value) ? value.join(', ') : value;
  }

  whenArrived(arrived: () => void): void {
    if (this.#request.complete) arrived();
    else this.#request.once('end', arrived);
  }

  readonly readBody = (): never => {
    throw new TypeError('the body of an upload is a stream');
  };

  readonly formFiles = (): never => {
    throw new TypeError('the file of an upload is a stream');
  };

  readonly receiveFile: ReceiveFile = (options) => receiveFile(this.#request, options);

  addHeaders(headers: Readonly<Record<string, string>>): void {
    if (this.#response.headersSent) return;
    for (const [name, value] of Object.entries(headers)) this.#response.setHeader(name, value);
  }

  answer(answer: Preserialized, endpoint: Endpoint | undefined): void {
    writeJson(this.#response, 200, answer.body, passageHeaders[passageOf(answer, endpoint)]);
  }

  readonly answerRaw = (): never => {
    throw new TypeError('uploads are answered with JSON');
  };

  readonly answerStreamed = (): never => {
    throw new TypeError('uploads are answered with JSON');
  };

  refuse(refusal: ApiError): void {
    if (!this.#response.destroyed) writeRefusal(this.#response, refusal);
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
