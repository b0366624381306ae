/**
 * Answers to requests that do not come as HTTP of their own: the polls that an event node gets over a link. What is checked, logged
 * and counted is the same as for a request to the app.
 */
import type { ApiError, Caller } from '@parley/contracts';
import { internalServerError } from '@parley/contracts';
import { requestLogger } from '@parley/logging';

import type { ApiAppOptions } from './api-app.ts';
import { findAnswerFault, recordRequest, reportFault } from './answer-record.ts';
import { checkAccess } from './check-access.ts';
import { clientNameOf } from './client-name.ts';
import { decodeParameters, findRawText } from './decode-parameters.ts';
import { findRefusalFault } from './declared-refusals.ts';
import { Preserialized } from './endpoint.ts';
import type { Endpoint, HangUpSignal, UntypedRequest } from './endpoint.ts';
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
const noPath = {};

function notOfDirectRequests(): never {
  throw new TypeError('a direct request has a query and nothing else');
}

/**
 * Makes the function that answers direct requests for one endpoint: a GET that answers JSON.
 *
 * @returns refusals are answers as well; the function does not throw
 */
export function createDirectAnswers<Context>(
  options: ApiAppOptions<Context>,
  endpoint: Endpoint<Context>,
): (request: DirectRequest) => Promise<DirectAnswer> {
  const successHeaders = { ...options.answerHeaders };
  const succeed = async (direct: DirectRequest): Promise<DirectAnswer> => {
    const { caller, requestId, signal } = direct;
    checkAccess(endpoint.access, caller);
    const query = direct.query.slice(1);
    const raw = {
      query: decodeForm(query),
      form: new Map<string, string>(),
      path: noPath,
      body: noBody,
    };
    const request: UntypedRequest = {
      caller,
      requestId,
      signal,
      query,
      parameters: decodeParameters(raw, endpoint.parameters),
      get clientName() {
        return clientNameOf(raw.query.get('client'), undefined, undefined);
      },
      rawText: (name) => findRawText(raw, name),
      header: () => undefined,
      formFiles: notOfDirectRequests,
      receiveFile: notOfDirectRequests,
    };
    const answer = await endpoint.handle(options.context, request);
    if (typeof answer !== 'object' || endpoint.rawResponses.length > 0)
      throw new TypeError(`${endpoint.name} does not answer JSON`);
    const { shared, own } =
      answer instanceof Preserialized
        ? { shared: answer.shared, own: answer.own.toString() }
        : { shared: '', own: successText(answer as Readonly<Record<string, unknown>>).toString() };
    if (
      options.checkAnswers === true &&
      reportFault(options, endpoint, findAnswerFault(endpoint, shared + own))
    )
      throw internalServerError();
    return { status: 200, headers: successHeaders, shared, own };
  };
  const refuse = (direct: DirectRequest, error: unknown): DirectAnswer => {
    const refusal: ApiError = refusalFor(error, requestLogger(options.log, direct.requestId));
    if (options.checkAnswers === true)
      reportFault(options, endpoint, findRefusalFault(endpoint, refusal));
    return {
      status: refusal.status,
      headers: { ...options.answerHeaders, ...refusal.headers },
      shared: '',
      own: JSON.stringify(refusal.toBody()),
    };
  };
  return async (direct) => {
    const startedAtMs = performance.now();
    options.metrics?.requestsInFlight.inc();
    let status = 200;
    try {
      return await succeed(direct);
    } catch (error) {
      const refused = refuse(direct, error);
      status = refused.status;
      return refused;
    } finally {
      recordRequest(options, {
        startedAtMs,
        endpoint,
        requestId: direct.requestId,
        caller: direct.caller,
        method: 'GET',
        status,
        hungUp: direct.signal.aborted,
        // Long polls have no spans.
        traceId: undefined,
      });
    }
  };
}
