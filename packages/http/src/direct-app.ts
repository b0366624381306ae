/**
 * Answers to requests that do not come as HTTP of their own, but over the link of a gateway. What is checked, decoded, logged and
 * counted is the same as for a request to the app.
 */
import { validateHeaderValue } from 'node:http';
import type { Readable } from 'node:stream';

import {
  internalServerError,
  methodNotAllowed,
  notFound,
  serviceUnavailable,
} from '@parley/contracts';
import {
  answerMaxBytes,
  bytesOf,
  linkedHeaderNames,
  notOverLinksStatus,
  readAnswerMaxBytes,
  textOf,
} from '@parley/links';
import type { LinkAnswer, LinkBody, LinkedHeaders, ReceivedRequest } from '@parley/links';
import { requestLogger } from '@parley/logging';
import { findTracer } from '@parley/tracing';
import type { Span } from '@parley/tracing';

import type { ApiAppOptions } from './api-app.ts';
import { findAnswerFault, findRawFault, recordRequest, reportFault } from './answer-record.ts';
import { checkAccess } from './check-access.ts';
import { clientNameOf } from './client-name.ts';
import { decodeParameters, findRawText } from './decode-parameters.ts';
import type { RawParameters } from './decode-parameters.ts';
import { findRefusalFault } from './declared-refusals.ts';
import { DirectRoutes, isForLinks } from './direct-routes.ts';
import type { RouteMatch } from './direct-routes.ts';
import {
  LaterAnswer,
  Preserialized,
  RawAnswer,
  noContent,
  preserialized,
  rawAnswer,
} from './endpoint.ts';
import type { Endpoint, EndpointAnswer, Settle } from './endpoint.ts';
import { refusalFor } from './error-handler.ts';
import { readFormFiles } from './form-files.ts';
import { decodeForm } from './form-text.ts';
import type { FormValues } from './form-text.ts';
import { LinkedFiles, mustComeByHttp, readFile } from './linked-files.ts';
import type { FilePlace } from './linked-files.ts';
import { decodeBody } from './request-body.ts';
import { endRequestSpan, openRequestSpan } from './request-span.ts';
import { allowedMethods, findEndpoint, findMeantEndpoint, takesJson } from './route-groups.ts';
import { successText } from './write-answer.ts';

const noForm: FormValues = new Map();

/** Answers one request by calling back once; refusals are answers as well. */
export type DirectApp = (request: ReceivedRequest, reply: (answer: LinkAnswer) => void) => void;

/**
 * Makes the function that answers the requests of links. It knows the endpoints that take no uploads and answer nothing endless.
 *
 * @throws TypeError when declarations contradict one another
 */
export function createDirectApp<Context>(options: ApiAppOptions<Context>): DirectApp {
  const app: App<Context> = {
    ...options,
    routes: new DirectRoutes(options.endpoints),
    successHeaders: { ...options.answerHeaders },
    files: new LinkedFiles(),
  };
  return (request, reply) => {
    void new DirectExchange(app, request, reply).run();
  };
}

type App<Context> = ApiAppOptions<Context> & {
  readonly routes: DirectRoutes<Context>;
  /** The same object for all, by which alike answers are known. */
  readonly successHeaders: Readonly<Record<string, string>>;
  readonly files: LinkedFiles;
};

class DirectExchange<Context> implements Settle {
  readonly #app: App<Context>;
  readonly #request: ReceivedRequest;
  readonly #reply: (answer: LinkAnswer) => void;
  readonly #startedAtMs = performance.now();
  #endpoint: Endpoint<Context> | undefined;
  #span: Span | undefined;
  #filePlace: FilePlace | undefined;
  /** What is read of a file. */
  #content: Readable | undefined;
  #isOver = false;

  constructor(app: App<Context>, request: ReceivedRequest, reply: (answer: LinkAnswer) => void) {
    this.#app = app;
    this.#request = request;
    this.#reply = reply;
    app.metrics?.requestsInFlight.inc();
  }

  async run(): Promise<void> {
    try {
      const { address } = this.#request;
      const mark = address.indexOf('?');
      const match = this.#app.routes.find(mark < 0 ? address : address.slice(0, mark));
      if (match === undefined) throw notFound();
      const query = mark < 0 ? '' : address.slice(mark + 1);
      const form = this.#hasForm(match) ? await this.#readForm() : noForm;
      const answer = this.#handle(match, query, form);
      // Only what is no promise yet is not waited for: a poll must not be a suspended call.
      const given = answer instanceof Promise ? await answer : answer;
      if (given instanceof LaterAnswer) given.begin(this);
      else if (given instanceof Preserialized) this.answer(given);
      else if (given instanceof RawAnswer) await this.#answerRaw(given);
      else if (given === noContent) await this.#answerRaw(rawAnswer(204, {}));
      else this.answer(preserialized(successText(given)));
    } catch (error) {
      this.fail(error);
    } finally {
      this.#filePlace?.leave();
    }
  }

  answer({ shared, own }: Preserialized): void {
    const { checkAnswers } = this.#app;
    const endpoint = this.#endpoint;
    if (
      checkAnswers === true &&
      endpoint !== undefined &&
      reportFault(this.#app, endpoint, findAnswerFault(endpoint, shared + textOf(own)))
    ) {
      this.fail(internalServerError());
      return;
    }
    const tooLong = this.#findTooLong(shared, own);
    if (tooLong !== undefined) {
      this.fail(tooLong);
      return;
    }
    const text = shared === '' ? { shared: own, own: '' } : { shared, own: textOf(own) };
    this.#end({ status: 200, kind: 'json', headers: this.#app.successHeaders, ...text });
  }

  fail(error: unknown): void {
    const { answerHeaders, checkAnswers, log } = this.#app;
    const refusal = refusalFor(error, requestLogger(log, this.#request.requestId));
    const isAnswer = refusal.status !== notOverLinksStatus;
    if (checkAnswers === true && isAnswer && this.#endpoint !== undefined)
      reportFault(this.#app, this.#endpoint, findRefusalFault(this.#endpoint, refusal));
    this.#end({
      status: refusal.status,
      kind: 'json',
      headers: { ...answerHeaders, ...refusal.headers },
      shared: JSON.stringify(refusal.toBody()),
      own: '',
    });
  }

  /** @throws TypeError for a header that cannot be written; ApiError where the answer has to go by HTTP, or could not be read */
  async #answerRaw({ status, headers, body }: RawAnswer): Promise<void> {
    const { answerHeaders, checkAnswers } = this.#app;
    if (checkAnswers === true && this.#endpoint !== undefined)
      reportFault(this.#app, this.#endpoint, findRawFault(this.#endpoint, status));
    const all = { ...answerHeaders, ...headers };
    try {
      // Beyond the link it would be the fault of everybody on it.
      for (const [name, value] of Object.entries(headers)) validateHeaderValue(name, value);
      const shared = typeof body === 'string' ? body : await this.#read(headers, body);
      this.#end({ status, kind: 'raw', headers: all, shared, own: '' });
    } finally {
      if (typeof body !== 'string') body.destroy();
    }
  }

  async #read(
    { 'Content-Length': length }: Readonly<Record<string, string>>,
    body: Readable,
  ): Promise<LinkBody> {
    if (this.#request.method === 'HEAD' || this.#isOver) return '';
    const bytes = length === undefined ? Infinity : Number(length);
    this.#admitFile(bytes);
    this.#content = body;
    const { requestId, signal } = this.#request;
    try {
      return await readFile(body, bytes, signal);
    } catch (error) {
      if (!this.#isOver && !signal.aborted)
        requestLogger(this.#app.log, requestId).error(
          { err: error },
          'a file could not be read to its end',
        );
      throw serviceUnavailable();
    }
  }

  #admitFile(bytes: number): void {
    if (this.#request.method === 'HEAD' || this.#filePlace !== undefined) return;
    const onLate = (): void => {
      // Where the store is silent this does not end what waits for it, so neither is waited for.
      this.#content?.destroy();
      this.fail(mustComeByHttp());
    };
    this.#filePlace = this.#app.files.admit(bytes, this.#request, onLate);
  }

  /** @returns the refusal of an answer that is too long for a link: what only reads can be asked again by HTTP */
  #findTooLong(shared: string, own: LinkBody): Error | undefined {
    // A unit of a text is three bytes at most.
    const isShort = (text: string): boolean => text.length * 3 <= readAnswerMaxBytes / 2;
    if (isShort(shared) && typeof own === 'string' && isShort(own)) return undefined;
    const bytes = bytesOf(shared) + bytesOf(own);
    const { method, longPoll } = this.#endpoint ?? {};
    // A poll's answer is as long as its first event makes it.
    if (method === 'GET' && longPoll !== true && bytes > readAnswerMaxBytes)
      return mustComeByHttp();
    return bytes > answerMaxBytes ? new Error(`an answer has ${bytes} bytes`) : undefined;
  }

  #hasForm({ group }: RouteMatch<Context>): boolean {
    const { body, method } = this.#request;
    if (method !== 'POST' && findEndpoint(group.endpoints, method) === undefined)
      throw methodNotAllowed(allowedMethods(group.endpoints));
    return body.length > 0 && !takesJson(group.endpoints);
  }

  #readForm(): Promise<FormValues> {
    const { method, headers, body } = this.#request;
    return decodeBody(method, headers['content-type'], body);
  }

  #handle(
    { group, path }: RouteMatch<Context>,
    query: string,
    form: FormValues,
  ): EndpointAnswer | Promise<EndpointAnswer> {
    const { caller, requestId, headers, method, body } = this.#request;
    const endpoint = findMeantEndpoint(group.endpoints, method, form);
    // Its gateway chose the way by the method, and the form of a POST may mean another.
    if (!isForLinks(endpoint)) throw mustComeByHttp();
    this.#endpoint = endpoint;
    if (findTracer() !== undefined)
      this.#span = openRequestSpan(endpoint, method, headers.traceparent, requestId);
    checkAccess(endpoint.access, caller ?? undefined);
    const raw: RawParameters = { query: decodeForm(query), form, path, body };
    if (endpoint.admit === undefined || !caller) return this.#callHandler(endpoint, raw, query);
    return endpoint
      .admit(this.#app.context, caller)
      .then(() => this.#callHandler(endpoint, raw, query));
  }

  #callHandler(
    endpoint: Endpoint<Context>,
    raw: RawParameters,
    query: string,
  ): EndpointAnswer | Promise<EndpointAnswer> {
    const { caller, requestId, signal, headers, body } = this.#request;
    const request = {
      caller: caller ?? undefined,
      requestId,
      signal,
      query,
      parameters: decodeParameters(raw, endpoint.parameters),
      get clientName() {
        return clientNameOf(raw.query.get('client'), raw.form.get('client'), headers['user-agent']);
      },
      rawText: (name: string) => findRawText(raw, name),
      header: (name: string) => readHeader(headers, name),
      formFiles: () => readFormFiles(headers['content-type'], body),
      receiveFile: notOverLinks,
      admitFile: (bytes: number) => this.#admitFile(bytes),
    };
    const { context } = this.#app;
    return this.#span === undefined
      ? endpoint.handle(context, request)
      : this.#span.run(() => endpoint.handle(context, request));
  }

  #end(answer: LinkAnswer): void {
    if (this.#isOver) return;
    this.#isOver = true;
    if (this.#span !== undefined)
      endRequestSpan(this.#span, this.#request.signal.aborted ? undefined : answer.status);
    // What comes again by HTTP is told then.
    if (answer.status === notOverLinksStatus) this.#app.metrics?.requestsInFlight.dec();
    else this.#record(answer.status);
    this.#reply(answer);
  }

  #record(status: number): void {
    const { requestId, caller, signal, method } = this.#request;
    recordRequest(this.#app, {
      startedAtMs: this.#startedAtMs,
      endpoint: this.#endpoint,
      requestId,
      caller: caller ?? undefined,
      method,
      status,
      hungUp: signal.aborted,
      traceId: this.#span?.traceId,
    });
  }
}

function readHeader(headers: LinkedHeaders, name: string): string | undefined {
  const known = linkedHeaderNames.find((each) => each === name);
  if (known === undefined) throw new TypeError(`${name} does not come over links`);
  return headers[known];
}

function notOverLinks(): never {
  throw new TypeError('uploads do not come over links');
}
