/**
 * The pipeline of every request, for all transports: path, method, body, access, parameters, handler, answer, in the order of the reference
 * facts, people 2.1. The adapters are the transports (`link-adapter.ts`, `http-adapter.ts`).
 */
import {
  RouteTable,
  decodeParameters,
  findRawText,
  internalServerError,
  methodNotAllowed,
  notFound,
  serviceUnavailable,
  takesJson,
} from '@parley/api';
import type {
  ApiError,
  Caller,
  Endpoint,
  FormValues,
  RawParameters,
  Route,
  RouteMatch,
} from '@parley/api';
import { takesGzip } from '@parley/compression';
import { findRefusalFault } from '@parley/api/openapi';
import { scimContentType, scimRefusalText } from '@parley/api/scim';
import { notOverLinksStatus } from '@parley/links';
import { requestLogger } from '@parley/logging';
import type { Logger } from '@parley/logging';
import { findTracer } from '@parley/tracing';
import type { Span } from '@parley/tracing';

import { AccountChanges } from './account-changes.ts';
import { findAnswerFault, findRawFault, recordRequest, reportFault } from './answer-record.ts';
import { checkAccess } from './check-access.ts';
import { clientNameOf } from './client-name.ts';
import { isGivenUp, refusalFor } from './error-handler.ts';
import { decodeForm } from './form-text.ts';
import type { HeldBodies } from './held-bodies.ts';
import {
  LaterAnswer,
  Preserialized,
  RawAnswer,
  StreamedAnswer,
  noContent,
  preserialized,
  rawAnswer,
} from './implement.ts';
import type {
  EndpointAnswer,
  Implementation,
  RequestFacts,
  Settle,
  UntypedRequest,
} from './implement.ts';
import type { ServiceMetrics } from './metrics.ts';
import { inTurn } from './owner-turns.ts';
import type { OwnerTurns } from './owner-turns.ts';
import { decodeBody } from './request-body.ts';
import { endRequestSpan, openRequestSpan } from './request-span.ts';
import { noStoreHeaders, successText } from './write-answer.ts';

export type PipelineOptions<Context> = {
  readonly implementations: readonly Implementation<Context>[];
  readonly context: Context;
  readonly log: Logger;
  readonly metrics?: ServiceMetrics;
  /** Bounds all bodies in memory together; without it only each body is bounded. */
  readonly heldBodies?: HeldBodies;
  /** Without it changes do not wait for one another. */
  readonly ownerTurns?: OwnerTurns;
  /** Compare each answer with its declaration; a difference is logged, and a differing success becomes a 500. */
  readonly checkAnswers?: boolean;
};

/** A request from an adapter, with the functions that send its answer. */
export type Exchange = Pick<
  RequestFacts,
  'header' | 'formFiles' | 'receiveFile' | 'admitFile' | 'addHeaders'
> & {
  readonly requestId: string;
  readonly method: string;
  /** Path and query. */
  readonly address: string;
  readonly caller: Caller | undefined;
  readonly signal: RequestFacts['signal'];
  /** The gateway's header; undefined without a valid identity. */
  readonly traceparent: string | undefined;
  /**
   * Called before any work for an endpoint.
   *
   * @throws ApiError if its requests need another transport
   */
  readonly accept: (endpoint: Endpoint) => void;
  /** The body, or a promise of it if it has not arrived. */
  readonly readBody: () => Buffer | Promise<Buffer>;
  /** Sends the answer, once, or else `refusal` is called once. A raw answer may fail while it is sent. */
  readonly answer: (answer: Preserialized, endpoint: Endpoint | undefined) => void;
  readonly answerRaw: (answer: RawAnswer) => Promise<void>;
  readonly answerStreamed: (answer: StreamedAnswer) => void;
  readonly refuse: (refusal: ApiError) => void;
};

/** A request in progress, for its adapter. */
export type Progress = {
  /** Answers it. Resolves when the pipeline has finished, which for a later answer is before the answer. */
  readonly run: () => Promise<void>;
  /** Counts and logs the request, once. */
  readonly end: (outcome: { readonly status: number; readonly hungUp: boolean }) => void;
  /** Instead of `end`: the request comes again by another transport, and is counted and logged then. */
  readonly leave: () => void;
};

/** The status of a streamed answer; refusals are not streamed. */
export const streamedStatus = 200;

const noBody = Buffer.alloc(0);
const noForm: FormValues = new Map();

/** The requests of one service. */
export class Pipeline<Context> {
  readonly options: PipelineOptions<Context>;
  readonly #routes: RouteTable<Implementation<Context>>;

  /** @throws TypeError when declarations contradict one another */
  constructor(options: PipelineOptions<Context>) {
    this.options = options;
    this.#routes = new RouteTable(options.implementations);
  }

  /** @returns the request, which is answered when it is run */
  open(exchange: Exchange): Progress {
    return new RequestRun(this.options, this.#routes, exchange);
  }
}

class RequestRun<Context> implements Settle, Progress {
  readonly #options: PipelineOptions<Context>;
  readonly #routes: RouteTable<Implementation<Context>>;
  readonly #exchange: Exchange;
  readonly #startedAtMs = performance.now();
  #endpoint: Endpoint | undefined;
  #span: Span | undefined;
  /** Undefined before any work that might change accounts. */
  #accountChanges: AccountChanges | undefined;

  constructor(
    options: PipelineOptions<Context>,
    routes: RouteTable<Implementation<Context>>,
    exchange: Exchange,
  ) {
    this.#options = options;
    this.#routes = routes;
    this.#exchange = exchange;
    options.metrics?.requestsInFlight.inc();
  }

  async run(): Promise<void> {
    try {
      const { address, method } = this.#exchange;
      const mark = address.indexOf('?');
      const match = this.#routes.find(mark < 0 ? address : address.slice(0, mark));
      if (match === undefined) throw notFound();
      if (method === 'OPTIONS') {
        await this.#answerRaw(optionsAnswer(match.route));
        return;
      }
      const query = mark < 0 ? '' : address.slice(mark + 1);
      const read = this.#read(match, query);
      // Awaited only if it is a promise: a poll must not be a suspended call.
      const { implementation, raw } = read instanceof Promise ? await read : read;
      const answer = this.#handle(implementation, raw, query);
      const given = answer instanceof Promise ? await answer : answer;
      if (given instanceof LaterAnswer) given.begin(this);
      else if (given instanceof Preserialized) this.answer(given);
      else if (given instanceof RawAnswer) await this.#answerRaw(given);
      else if (given instanceof StreamedAnswer) this.#answerStreamed(given);
      else if (given === noContent) await this.#answerRaw(rawAnswer(204, {}));
      else this.answer(preserialized(successText(given)));
    } catch (error) {
      this.fail(error);
    }
  }

  answer(answer: Preserialized): void {
    const endpoint = this.#endpoint;
    if (
      this.#options.checkAnswers === true &&
      endpoint !== undefined &&
      reportFault(this.#options, endpoint, findAnswerFault(endpoint, answer.text))
    ) {
      this.fail(internalServerError());
      return;
    }
    this.#nameChanges();
    this.#exchange.answer(answer, endpoint);
  }

  fail(error: unknown): void {
    const { checkAnswers, log } = this.#options;
    const { requestId, signal } = this.#exchange;
    const refusal =
      signal.aborted && isGivenUp(error)
        ? serviceUnavailable()
        : refusalFor(error, requestLogger(log, requestId));
    const isAnswer = refusal.status !== notOverLinksStatus;
    if (checkAnswers === true && this.#endpoint !== undefined && isAnswer)
      reportFault(this.#options, this.#endpoint, findRefusalFault(this.#endpoint, refusal));
    this.#nameChanges();
    if (this.#endpoint?.refusalsAs === 'scim' && isAnswer) void this.#refuseAsScim(refusal);
    else this.#exchange.refuse(refusal);
  }

  #refuseAsScim(refusal: ApiError): Promise<void> {
    const headers = { ...noStoreHeaders(), ...refusal.headers, 'Content-Type': scimContentType };
    return this.#exchange.answerRaw(rawAnswer(refusal.status, headers, scimRefusalText(refusal)));
  }

  end({ status, hungUp }: { readonly status: number; readonly hungUp: boolean }): void {
    const { caller, method, requestId } = this.#exchange;
    if (this.#span !== undefined) endRequestSpan(this.#span, hungUp ? undefined : status);
    recordRequest(this.#options, {
      startedAtMs: this.#startedAtMs,
      endpoint: this.#endpoint,
      requestId,
      caller,
      method,
      status,
      hungUp,
      traceId: this.#span?.traceId,
    });
  }

  leave(): void {
    this.#options.metrics?.requestsInFlight.dec();
    if (this.#span !== undefined) endRequestSpan(this.#span, undefined);
  }

  #answerRaw(answer: RawAnswer): Promise<void> {
    this.#checkRaw(answer.status);
    this.#nameChanges();
    return this.#exchange.answerRaw(answer);
  }

  #answerStreamed(answer: StreamedAnswer): void {
    this.#checkRaw(streamedStatus);
    this.#exchange.answerStreamed(answer);
  }

  #checkRaw(status: number): void {
    if (this.#options.checkAnswers === true && this.#endpoint !== undefined)
      reportFault(this.#options, this.#endpoint, findRawFault(this.#endpoint, status));
  }

  /** Every answer, refusals too, names the changed accounts. */
  #nameChanges(): void {
    const headers = this.#accountChanges?.headers;
    if (headers !== undefined) this.#exchange.addHeaders(headers);
  }

  /** Finds the endpoint, for which the body may be needed, and the sources of its parameters. */
  #read(
    { route, path }: RouteMatch<Implementation<Context>>,
    query: string,
  ): Read<Context> | Promise<Read<Context>> {
    const { method } = this.#exchange;
    const found = route.find(method);
    const rawWith = (form: FormValues, body: Buffer): RawParameters => ({
      query: decodeForm(query),
      form,
      path,
      body,
    });
    if (found?.endpoint.takesFile === true)
      return { implementation: found, raw: rawWith(noForm, noBody) };
    // A POST may name another method in its form, so only its body decides the endpoint.
    if (found === undefined && method !== 'POST') throw methodNotAllowed(route.allowedMethods);
    const given = this.#exchange.readBody();
    if (!(given instanceof Promise) && given.length === 0) {
      return {
        implementation: selectImplementation(route, method, noForm),
        raw: rawWith(noForm, noBody),
      };
    }
    return this.#readForm(route, given, rawWith);
  }

  async #readForm(
    route: Route<Implementation<Context>>,
    given: Buffer | Promise<Buffer>,
    rawWith: (form: FormValues, body: Buffer) => RawParameters,
  ): Promise<Read<Context>> {
    const { method } = this.#exchange;
    const body = await given;
    // A JSON body must not be read as a form: a text in it could then name another stream.
    const form = route.served.some(({ endpoint }) => takesJson(endpoint))
      ? noForm
      : await decodeBody(method, this.#exchange.header('content-type'), body);
    return { implementation: selectImplementation(route, method, form), raw: rawWith(form, body) };
  }

  #handle(
    { endpoint, admit, handle }: Implementation<Context>,
    raw: RawParameters,
    query: string,
  ): EndpointAnswer | Promise<EndpointAnswer> {
    const { caller, method, requestId, traceparent } = this.#exchange;
    this.#exchange.accept(endpoint);
    this.#endpoint = endpoint;
    if (findTracer() !== undefined)
      this.#span = openRequestSpan(endpoint, method, traceparent, requestId);
    checkAccess(endpoint.access, caller);
    const { context } = this.#options;
    const call = (): EndpointAnswer | Promise<EndpointAnswer> => {
      const request = new HandledRequest(this.#exchange, endpoint, raw, query);
      const work = (): EndpointAnswer | Promise<EndpointAnswer> =>
        this.#span === undefined
          ? handle(context, request)
          : this.#span.run(() => handle(context, request));
      if (endpoint.method === 'GET') return work();
      const changes = new AccountChanges();
      this.#accountChanges = changes;
      return inTurn(this.#options.ownerTurns, endpoint, request, () => changes.gather(work));
    };
    return admit === undefined || caller === undefined ? call() : admit(context, caller).then(call);
  }
}

type Read<Context> = {
  readonly implementation: Implementation<Context>;
  readonly raw: RawParameters;
};

/**
 * The endpoint of a request: a POST may name another method in its form.
 *
 * @throws ApiError 405
 */
function selectImplementation<Context>(
  route: Route<Implementation<Context>>,
  method: string,
  form: FormValues,
): Implementation<Context> {
  const override = method === 'POST' ? form.get('method') : undefined;
  const found = route.find(override ?? method);
  if (found === undefined) throw methodNotAllowed(route.allowedMethods);
  return found;
}

function optionsAnswer<Context>(route: Route<Implementation<Context>>): RawAnswer {
  return rawAnswer(204, { Allow: route.allowedMethods.toSorted().join(', ') });
}

/** A handler's view of a request. Parts that few handlers need are made on demand. */
class HandledRequest implements UntypedRequest {
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly query: string;
  readonly #exchange: Exchange;
  readonly #raw: RawParameters;

  constructor(exchange: Exchange, endpoint: Endpoint, raw: RawParameters, query: string) {
    this.#exchange = exchange;
    this.#raw = raw;
    this.query = query;
    this.parameters = decodeParameters(raw, endpoint.parameters);
  }

  get caller(): Caller | undefined {
    return this.#exchange.caller;
  }

  get replacedCaller(): Caller | undefined {
    return this.#exchange.caller;
  }

  get requestId(): string {
    return this.#exchange.requestId;
  }

  get signal(): RequestFacts['signal'] {
    return this.#exchange.signal;
  }

  get clientName(): string {
    const { query, form } = this.#raw;
    return clientNameOf({
      query: query.get('client'),
      body: form.get('client'),
      hasSession: this.#exchange.caller?.sessionId !== undefined,
      userAgent: this.#exchange.header('user-agent'),
    });
  }

  get isHead(): boolean {
    return this.#exchange.method === 'HEAD';
  }

  get takesGzip(): boolean {
    return takesGzip(this.#exchange.header('accept-encoding'));
  }

  readonly rawText = (name: string): string | undefined => findRawText(this.#raw, name);
  readonly addHeaders: RequestFacts['addHeaders'] = (headers) => this.#exchange.addHeaders(headers);
  readonly header = (name: string): string | undefined => this.#exchange.header(name);
  readonly formFiles: RequestFacts['formFiles'] = () => this.#exchange.formFiles();
  readonly receiveFile: RequestFacts['receiveFile'] = (options) =>
    this.#exchange.receiveFile(options);
  readonly admitFile = (bytes: number): void => this.#exchange.admitFile(bytes);
}
