/**
 * Answers to requests that do not come as HTTP of their own: the polls that an event node gets over a link. What is checked, logged
 * and counted is the same as for a request to the app.
 */
import type { Caller } from '@parley/contracts';
import { internalServerError } from '@parley/contracts';
import { requestLogger } from '@parley/logging';

import type { ApiAppOptions } from './api-app.ts';
import { findAnswerFault, recordRequest, reportFault } from './answer-record.ts';
import { checkAccess } from './check-access.ts';
import { clientNameOf } from './client-name.ts';
import { decodeParameters, findRawText } from './decode-parameters.ts';
import { findRefusalFault } from './declared-refusals.ts';
import { LaterAnswer, Preserialized, RawAnswer, noContent, preserialized } from './endpoint.ts';
import type { Endpoint, EndpointAnswer, HangUpSignal, Settle } from './endpoint.ts';
import { refusalFor } from './error-handler.ts';
import { decodeForm } from './form-text.ts';
import { successText } from './write-answer.ts';

/** A request that was admitted elsewhere, by whom the service believes. */
export type DirectRequest = {
  readonly requestId: string;
  readonly caller: Caller;
  /** With the question mark. */
  readonly query: string;
  /** Aborted when nobody waits for the answer any more. */
  readonly signal: HangUpSignal;
};

/** The body is `shared` and `own`, one after the other. */
export type DirectAnswer = {
  readonly status: number;
  /** Beside those of every JSON answer. */
  readonly headers: Readonly<Record<string, string>>;
  /** What other answers begin with too; empty where that is not known. */
  readonly shared: string;
  readonly own: string;
};

const noBody = Buffer.alloc(0);

function notOfDirectRequests(): never {
  throw new TypeError('a direct request has a query and nothing else');
}

/**
 * Makes the function that answers direct requests for one endpoint: a GET that answers JSON.
 *
 * @returns calls back once for each request; refusals are answers as well
 * @throws TypeError for another endpoint
 */
export function createDirectAnswers<Context>(
  options: ApiAppOptions<Context>,
  endpoint: Endpoint<Context>,
): (request: DirectRequest, reply: (answer: DirectAnswer) => void) => void {
  if (endpoint.method !== 'GET' || endpoint.rawResponses.length > 0)
    throw new TypeError(`${endpoint.name} does not answer a GET with JSON`);
  const successHeaders = { ...options.answerHeaders };
  return (request, reply) => {
    void new DirectExchange(options, endpoint, successHeaders, request, reply).run();
  };
}

class DirectExchange<Context> implements Settle {
  readonly #options: ApiAppOptions<Context>;
  readonly #endpoint: Endpoint<Context>;
  /** The same object for all, by which alike answers are known. */
  readonly #successHeaders: Readonly<Record<string, string>>;
  readonly #request: DirectRequest;
  readonly #reply: (answer: DirectAnswer) => void;
  readonly #startedAtMs = performance.now();

  constructor(
    options: ApiAppOptions<Context>,
    endpoint: Endpoint<Context>,
    successHeaders: Readonly<Record<string, string>>,
    request: DirectRequest,
    reply: (answer: DirectAnswer) => void,
  ) {
    this.#options = options;
    this.#endpoint = endpoint;
    this.#successHeaders = successHeaders;
    this.#request = request;
    this.#reply = reply;
    options.metrics?.requestsInFlight.inc();
  }

  async run(): Promise<void> {
    try {
      const answer = await this.#handle();
      if (answer instanceof LaterAnswer) answer.begin(this);
      else if (answer instanceof Preserialized) this.answer(answer);
      else if (answer === noContent || answer instanceof RawAnswer)
        throw new TypeError(`${this.#endpoint.name} did not answer JSON`);
      else this.answer(preserialized(successText(answer)));
    } catch (error) {
      this.fail(error);
    }
  }

  answer({ shared, own }: Preserialized): void {
    const { checkAnswers } = this.#options;
    const text = own.toString();
    if (
      checkAnswers === true &&
      reportFault(this.#options, this.#endpoint, findAnswerFault(this.#endpoint, shared + text))
    )
      this.fail(internalServerError());
    else this.#end({ status: 200, headers: this.#successHeaders, shared, own: text });
  }

  fail(error: unknown): void {
    const { answerHeaders, checkAnswers, log } = this.#options;
    const refusal = refusalFor(error, requestLogger(log, this.#request.requestId));
    if (checkAnswers === true)
      reportFault(this.#options, this.#endpoint, findRefusalFault(this.#endpoint, refusal));
    this.#end({
      status: refusal.status,
      headers: { ...answerHeaders, ...refusal.headers },
      shared: '',
      own: JSON.stringify(refusal.toBody()),
    });
  }

  #handle(): EndpointAnswer | Promise<EndpointAnswer> {
    const { caller, requestId, signal } = this.#request;
    checkAccess(this.#endpoint.access, caller);
    const query = this.#request.query.slice(1);
    const raw = {
      query: decodeForm(query),
      form: new Map<string, string>(),
      path: {},
      body: noBody,
    };
    return this.#endpoint.handle(this.#options.context, {
      caller,
      requestId,
      signal,
      query,
      parameters: decodeParameters(raw, this.#endpoint.parameters),
      get clientName() {
        return clientNameOf(raw.query.get('client'), undefined, undefined);
      },
      rawText: (name) => findRawText(raw, name),
      header: () => undefined,
      formFiles: notOfDirectRequests,
      receiveFile: notOfDirectRequests,
    });
  }

  #end(answer: DirectAnswer): void {
    const { requestId, caller, signal } = this.#request;
    recordRequest(this.#options, {
      startedAtMs: this.#startedAtMs,
      endpoint: this.#endpoint,
      requestId,
      caller,
      method: 'GET',
      status: answer.status,
      hungUp: signal.aborted,
      // Long polls have no spans.
      traceId: undefined,
    });
    this.#reply(answer);
  }
}
