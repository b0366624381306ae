/**
 * The pipeline of every request that a gateway has admitted and decoded, for both transports: access, parameters, handler, answer, in the
 * order of the reference facts, people 2.1. The adapters are the transports (`link-adapter.ts`, `upload-adapter.ts`).
 */
import {
  decodeParameters,
  findRawText,
  headersTakenBy,
  internalServerError,
  notFound,
  outcomeUnknown,
  serviceUnavailable,
  takesJson,
} from '@parley/api';
import type { ApiError, Caller, Endpoint, FormValues, RawParameters } from '@parley/api';
import type { Clock, Timer } from '@parley/clock';
import { takesGzip } from './compression/index.ts';
import { CommitGate } from '@parley/database';
import { findRefusalFault } from '@parley/api/openapi';
import { scimContentType, scimRefusalText } from '@parley/api/scim';
import type { Fields } from './links/index.ts';
import { requestLogger } from '@parley/telemetry/logging';
import type { Logger } from '@parley/telemetry/logging';
import { findTracer } from '@parley/telemetry/tracing';
import type { Span } from '@parley/telemetry/tracing';

import { AccountChanges } from './account-changes.ts';
import { findAnswerFault, findRawFault, recordRequest, reportFault } from './answer-record.ts';
import { checkAccess } from './check-access.ts';
import { clientNameOf } from './client-name.ts';
import { isGivenUp, refusalFor } from './error-handler.ts';
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
  readonly clock: Clock;
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
  'header' | 'formFiles' | 'receiveFile' | 'addHeaders' | 'isHead'
> & {
  readonly requestId: string;
  /** The name of its endpoint. */
  readonly endpoint: string;
  readonly path: RawParameters['path'];
  readonly query: FormValues;
  readonly caller: Caller | undefined;
  readonly signal: RequestFacts['signal'];
  /** The gateway's header; undefined without a valid identity. */
  readonly traceparent: string | undefined;
  /** For how long a change may be made after the request has arrived; undefined without a gateway that says so. */
  readonly changeWithinMs: number | undefined;
  /** Calls back when the whole request has arrived. */
  readonly whenArrived: (arrived: () => void) => void;
  /** The body: the fields of a form as JSON or, for an endpoint that takes JSON or a form with a file, the client's bytes. */
  readonly readBody: () => Buffer;
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
};

/** The status of a streamed answer; refusals are not streamed. */
export const streamedStatus = 200;

const noBody = Buffer.alloc(0);
const noForm: FormValues = new Map();

/** The requests of one service. */
export class Pipeline<Context> {
  readonly options: PipelineOptions<Context>;
  readonly #implementations: Implementations<Context>;
  readonly #atWork: AtWork = { count: 0 };

  constructor(options: PipelineOptions<Context>) {
    this.options = options;
    this.#implementations = new Map(
      options.implementations.map((each) => [each.endpoint.name, each]),
    );
  }

  /** @returns the request, which is answered when it is run */
  open(exchange: Exchange): Progress {
    return new RequestRun(this.options, this.#implementations, this.#atWork, exchange);
  }

  /** Whether no request is handled or answered; polls and streams that wait for events do not count. */
  get isIdle(): boolean {
    return this.#atWork.count === 0;
  }
}

type Implementations<Context> = ReadonlyMap<string, Implementation<Context>>;

/** The number of requests of a service that are handled or answered. */
type AtWork = { count: number };

class RequestRun<Context> implements Settle, Progress {
  readonly #options: PipelineOptions<Context>;
  readonly #implementations: Implementations<Context>;
  readonly #exchange: Exchange;
  readonly #startedAtMs: number;
  readonly #atWork: AtWork;
  /** Whether its answer is still to come, and it does not wait for events. */
  #isUnanswered = true;
  #endpoint: Endpoint | undefined;
  #span: Span | undefined;
  /** Undefined before any work that might change accounts. */
  #accountChanges: AccountChanges | undefined;
  /** Undefined before any change that must not be made after its refusal. */
  #gate: CommitGate | undefined;
  #changeEnds: Timer | undefined;

  constructor(
    options: PipelineOptions<Context>,
    implementations: Implementations<Context>,
    atWork: AtWork,
    exchange: Exchange,
  ) {
    this.#options = options;
    this.#implementations = implementations;
    this.#atWork = atWork;
    this.#startedAtMs = options.clock.elapsedMs();
    atWork.count += 1;
    this.#exchange = exchange;
    options.metrics?.requestsInFlight.inc();
  }

  async run(): Promise<void> {
    // It goes on without a client that hangs up.
    this.#atWork.count += 1;
    try {
      const implementation = this.#implementations.get(this.#exchange.endpoint);
      if (implementation === undefined) throw notFound();
      const read = this.#read(implementation.endpoint);
      // Awaited only if it is a promise: a poll must not be a suspended call.
      const raw = read instanceof Promise ? await read : read;
      const answer = this.#handle(implementation, raw);
      const given = answer instanceof Promise ? await answer : answer;
      if (given instanceof LaterAnswer) {
        given.begin(this);
        this.#leaveWork();
      } else if (given instanceof Preserialized) this.answer(given);
      else if (given instanceof RawAnswer) await this.#answerRaw(given);
      else if (given instanceof StreamedAnswer) this.#answerStreamed(given);
      else if (given === noContent) await this.#answerRaw(rawAnswer(204, {}));
      else this.answer(preserialized(successText(given)));
    } catch (error) {
      this.fail(error);
    } finally {
      this.#atWork.count -= 1;
    }
  }

  answer(answer: Preserialized): void {
    if (this.#gate?.isClosed === true) return;
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
    try {
      this.#exchange.answer(answer, endpoint);
    } catch (error) {
      this.fail(error);
    }
  }

  fail(error: unknown): void {
    if (this.#gate?.isClosed === true) return;
    const { log } = this.#options;
    const { requestId, signal } = this.#exchange;
    const refusal =
      signal.aborted && isGivenUp(error)
        ? serviceUnavailable()
        : refusalFor(error, requestLogger(log, requestId));
    // Other parts of the work may go on, but must not commit any more: these refusals say that nothing was changed.
    const isUnknown =
      (refusal.code === 'SERVICE_UNAVAILABLE' || refusal.status === 500) &&
      this.#gate?.close() === false;
    this.#refuse(isUnknown ? outcomeUnknown() : refusal);
  }

  #refuse(refusal: ApiError): void {
    const { checkAnswers } = this.#options;
    if (checkAnswers === true && this.#endpoint !== undefined)
      reportFault(this.#options, this.#endpoint, findRefusalFault(this.#endpoint, refusal));
    this.#nameChanges();
    if (this.#endpoint?.refusalsAs === 'scim') void this.#refuseAsScim(refusal);
    else this.#exchange.refuse(refusal);
  }

  #refuseAsScim(refusal: ApiError): Promise<void> {
    const headers = { ...noStoreHeaders(), ...refusal.headers, 'Content-Type': scimContentType };
    return this.#exchange.answerRaw(rawAnswer(refusal.status, headers, scimRefusalText(refusal)));
  }

  end({ status, hungUp }: { readonly status: number; readonly hungUp: boolean }): void {
    const { caller, isHead, requestId } = this.#exchange;
    this.#changeEnds?.cancel();
    this.#leaveWork();
    if (this.#span !== undefined) endRequestSpan(this.#span, hungUp ? undefined : status);
    recordRequest(this.#options, {
      startedAtMs: this.#startedAtMs,
      endpoint: this.#endpoint,
      requestId,
      caller,
      method: isHead ? 'HEAD' : (this.#endpoint?.method ?? ''),
      status,
      hungUp,
      traceId: this.#span?.traceId,
    });
  }

  async #answerRaw(answer: RawAnswer): Promise<void> {
    if (this.#gate?.isClosed === true) return;
    this.#checkRaw(answer.status);
    this.#nameChanges();
    await this.#exchange.answerRaw(answer);
  }

  #answerStreamed(answer: StreamedAnswer): void {
    this.#checkRaw(streamedStatus);
    this.#exchange.answerStreamed(answer);
    this.#leaveWork();
  }

  #leaveWork(): void {
    if (!this.#isUnanswered) return;
    this.#isUnanswered = false;
    this.#atWork.count -= 1;
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

  /** The sources of its parameters. Only a form with a file is decoded here. */
  #read(endpoint: Endpoint): RawParameters | Promise<RawParameters> {
    const { path, query } = this.#exchange;
    if (endpoint.file === 'streamed') return { path, query, form: noForm, body: noBody };
    const body = this.#exchange.readBody();
    if (body.length === 0 || takesJson(endpoint)) return { path, query, form: noForm, body };
    if (endpoint.file === 'none') return { path, query, form: formOf(body), body };
    const contentType = this.#exchange.header('content-type');
    return decodeBody(endpoint.method, contentType, body).then((form) => ({
      path,
      query,
      form,
      body,
    }));
  }

  #handle(
    { endpoint, admit, handle }: Implementation<Context>,
    raw: RawParameters,
  ): EndpointAnswer | Promise<EndpointAnswer> {
    const { caller, requestId, traceparent } = this.#exchange;
    this.#endpoint = endpoint;
    if (findTracer() !== undefined) this.#span = openRequestSpan(endpoint, traceparent, requestId);
    checkAccess(endpoint.access, caller);
    const { context } = this.#options;
    const call = (): EndpointAnswer | Promise<EndpointAnswer> => {
      const request = new HandledRequest(this.#exchange, endpoint, raw);
      const work = (): EndpointAnswer | Promise<EndpointAnswer> =>
        this.#span === undefined
          ? handle(context, request)
          : this.#span.run(() => handle(context, request));
      if (endpoint.method === 'GET') return work();
      const changes = new AccountChanges();
      this.#accountChanges = changes;
      const gate = endpoint.afterLoss === 'once' ? this.#openGate() : undefined;
      return inTurn(this.#options.ownerTurns, endpoint, request, () =>
        changes.gather(() => (gate === undefined ? work() : gate.run(work))),
      );
    };
    return admit === undefined || caller === undefined ? call() : admit(context, caller).then(call);
  }

  /** Ends the change when the gateway would soon wait no longer, if nothing of it is committed by then. */
  #openGate(): CommitGate {
    const gate = new CommitGate();
    this.#gate = gate;
    const { changeWithinMs } = this.#exchange;
    if (changeWithinMs !== undefined)
      this.#exchange.whenArrived(() => {
        this.#changeEnds = this.#options.clock.after(changeWithinMs, () => {
          if (gate.close()) this.#refuse(serviceUnavailable());
        });
      });
    return gate;
  }
}

function formOf(body: Buffer): FormValues {
  return new Map(JSON.parse(body.toString()) as Fields);
}

/** A handler's view of a request. Parts that few handlers need are made on demand. */
class HandledRequest implements UntypedRequest {
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly #exchange: Exchange;
  readonly #endpoint: Endpoint;
  readonly #raw: RawParameters;

  constructor(exchange: Exchange, endpoint: Endpoint, raw: RawParameters) {
    this.#exchange = exchange;
    this.#endpoint = endpoint;
    this.#raw = raw;
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
    return this.#exchange.isHead;
  }

  get query(): FormValues {
    return this.#raw.query;
  }

  get takesGzip(): boolean {
    return takesGzip(this.#exchange.header('accept-encoding'));
  }

  readonly rawText = (name: string): string | undefined => findRawText(this.#raw, name);
  readonly addHeaders: RequestFacts['addHeaders'] = (headers) => this.#exchange.addHeaders(headers);
  readonly header = (name: string): string | undefined => {
    if (!headersTakenBy(this.#endpoint).includes(name))
      throw new TypeError(`${this.#endpoint.name} does not declare that it takes ${name}`);
    return this.#exchange.header(name);
  };
  readonly formFiles: RequestFacts['formFiles'] = () => this.#exchange.formFiles();
  readonly receiveFile: RequestFacts['receiveFile'] = (options) =>
    this.#exchange.receiveFile(options);
}
