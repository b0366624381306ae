import { randomUUID } from 'node:crypto';

import {
  identityHeaderName,
  internalServerError,
  methodNotAllowed,
  notFound,
  requestIdHeaderName,
} from '@parley/contracts';
import type { Caller } from '@parley/contracts';
import { verifyIdentity } from '@parley/identity';
import { textOf } from '@parley/links';
import { requestLogger } from '@parley/logging';
import type { Logger } from '@parley/logging';
import { findTracer } from '@parley/tracing';
import type { Span } from '@parley/tracing';
import express from 'express';
import type { Express, NextFunction, Request, Response } from 'express';

import { findAnswerFault, findRawFault, recordRequest, reportFault } from './answer-record.ts';
import { apiPathPrefix } from './api-path.ts';
import { ApiRequest } from './api-request.ts';
import { checkAccess } from './check-access.ts';
import { decodeParameters } from './decode-parameters.ts';
import type { RawParameters } from './decode-parameters.ts';
import { findRefusalFault } from './declared-refusals.ts';
import { LaterAnswer, RawAnswer, noContent } from './endpoint.ts';
import type { Endpoint, EndpointAnswer, Preserialized } from './endpoint.ts';
import { refusalFor, writeRefusal } from './error-handler.ts';
import { decodeForm } from './form-text.ts';
import type { ServiceMetrics } from './metrics.ts';
import { decodeBody, receiveBody } from './request-body.ts';
import { endRequestSpan, openRequestSpan } from './request-span.ts';
import {
  allowedMethods,
  findEndpoint,
  findMeantEndpoint,
  groupRoutes,
  pathMatches,
  takesJson,
} from './route-groups.ts';
import type { RouteGroup } from './route-groups.ts';
import { successText, writeJson, writeRaw } from './write-answer.ts';

export type ApiAppOptions<Context> = {
  readonly endpoints: readonly Endpoint<Context>[];
  readonly context: Context;
  /** Secrets with which the gateway's identities may be signed. */
  readonly identitySecrets: readonly string[];
  readonly log: Logger;
  readonly metrics?: ServiceMetrics;
  /** Compare each answer with its declaration; a difference is logged, and that of a success answered with 500. */
  readonly checkAnswers?: boolean;
  /** Sent with every answer, refusals included. */
  readonly answerHeaders?: Readonly<Record<string, string>>;
  /** UNIX time in milliseconds. */
  readonly now?: () => number;
};

/** What is known of a request from its first byte on. */
type Progress = {
  readonly startedAtMs: number;
  requestId: string;
  endpoint: Endpoint<never> | undefined;
  caller: Caller | undefined;
  span: Span | undefined;
};

const noBody = Buffer.alloc(0);

const plausibleRequestId = /^[\w.:-]{1,80}$/;

/**
 * Builds the express app of a service from its declarations. It does not listen.
 *
 * Checks come in the order of the reference facts, people 2.1: path, OPTIONS, method, identity, access, parameters, logic.
 *
 * @throws TypeError when declarations contradict one another
 */
export function createApiApp<Context>(options: ApiAppOptions<Context>): Express {
  const app = express();
  app.disable('x-powered-by');
  app.set('etag', false);
  app.set('query parser', false);
  const routers = {
    api: express.Router({ caseSensitive: true, strict: true }),
    root: express.Router({ caseSensitive: true, strict: true }),
  };
  for (const group of groupRoutes(options.endpoints)) {
    const router = routers[group.below];
    const serve = (request: Request, response: Response, next: NextFunction): Promise<void> =>
      serveGroup(options, group, request, response, next);
    router.all(group.path, serve);
    if (group.isPrefix) router.all(`${group.path}/{*rest}`, serve);
  }
  app.use((request, response, next) => {
    beginRequest(options, request, response);
    next();
  });
  app.use(apiPathPrefix, routers.api);
  app.use(routers.root);
  app.use(() => {
    throw notFound();
  });
  app.use((error: unknown, _request: Request, response: Response, _next: NextFunction) => {
    const progress = progressOf(response);
    // Whoever hung up gets no answer, and that the work was given up then is no fault.
    if (response.destroyed && error instanceof Error && error.name === 'AbortError') return;
    const log = requestLogger(options.log, progress.requestId);
    const refusal = refusalFor(error, log);
    const { endpoint } = progress;
    if (options.checkAnswers === true && endpoint !== undefined)
      reportFault(options, endpoint, findRefusalFault(endpoint, refusal));
    writeRefusal(response, refusal, { [requestIdHeaderName]: progress.requestId });
  });
  return app;
}

// A property, since what a weak map of requests holds would stay until the next full garbage collection.
const progressKey = Symbol('progress');

function progressOf(response: Response & { readonly [progressKey]?: Progress }): Progress {
  const progress = response[progressKey];
  if (progress === undefined) throw new TypeError('the request was not begun by this app');
  return progress;
}

/** Doubled slashes in the path are merged (reference facts, people 2.6). */
function normalizedAddress(address: string): string {
  if (!address.includes('//')) return address;
  const question = address.indexOf('?');
  const path = question < 0 ? address : address.slice(0, question);
  return path.replaceAll(/\/{2,}/g, '/') + address.slice(path.length);
}

function beginRequest<Context>(
  options: ApiAppOptions<Context>,
  request: Request,
  response: Response,
): void {
  request.url = normalizedAddress(request.url);
  const givenId = request.headers[requestIdHeaderName];
  const progress: Progress = {
    startedAtMs: performance.now(),
    requestId:
      typeof givenId === 'string' && plausibleRequestId.test(givenId) ? givenId : randomUUID(),
    endpoint: undefined,
    caller: undefined,
    span: undefined,
  };
  Object.assign(response, { [progressKey]: progress });
  for (const [name, value] of Object.entries(options.answerHeaders ?? {})) {
    response.setHeader(name, value);
  }
  options.metrics?.requestsInFlight.inc();
  response.once('close', () => endRequest(options, request, response, progress));
}

function endRequest<Context>(
  options: ApiAppOptions<Context>,
  request: Request,
  response: Response,
  progress: Progress,
): void {
  // Before headers were sent the status is only Node's default.
  if (progress.span !== undefined)
    endRequestSpan(progress.span, response.headersSent ? response.statusCode : undefined);
  recordRequest(options, {
    ...progress,
    method: request.method,
    status: response.statusCode,
    hungUp: !response.writableFinished,
    traceId: progress.span?.traceId,
  });
}

function queryOf(address: string): string {
  const question = address.indexOf('?');
  return question < 0 ? '' : address.slice(question + 1);
}

/** A parameter that takes several segments comes as their list. */
function pathTextsOf(
  parameters: Readonly<Record<string, string | string[]>>,
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(parameters).map(([name, value]) => [
      name,
      typeof value === 'string' ? value : value.join('/'),
    ]),
  );
}

async function serveGroup<Context>(
  options: ApiAppOptions<Context>,
  group: RouteGroup<Context>,
  request: Request,
  response: Response,
  next: NextFunction,
): Promise<void> {
  const path = pathTextsOf(request.params);
  const candidates = group.endpoints.filter((endpoint) => pathMatches(endpoint, path));
  if (candidates.length === 0) {
    next('route');
    return;
  }
  const progress = progressOf(response);
  if (request.method === 'OPTIONS') {
    const allow = allowedMethods(candidates).toSorted().join(', ');
    response.writeHead(204, { Allow: allow, [requestIdHeaderName]: progress.requestId }).end();
    return;
  }
  const fileEndpoint = findEndpoint(candidates, request.method);
  if (fileEndpoint?.takesFile === true) {
    progress.endpoint = fileEndpoint;
    const raw = { query: decodeForm(queryOf(request.url)), form: new Map(), path, body: noBody };
    await serveEndpoint(options, fileEndpoint, raw, request, response, progress);
    return;
  }
  // A POST may name another method in its form, so only its body tells which endpoint is meant.
  if (request.method !== 'POST' && findEndpoint(candidates, request.method) === undefined) {
    throw methodNotAllowed(allowedMethods(candidates));
  }
  const hasBody = request.method !== 'GET' && request.method !== 'HEAD';
  const body = hasBody ? await receiveBody(request) : noBody;
  const form = takesJson(candidates)
    ? new Map<string, string>()
    : await decodeBody(request.method, request.headers['content-type'], body);
  const endpoint = findMeantEndpoint(candidates, request.method, form);
  progress.endpoint = endpoint;
  const raw: RawParameters = { query: decodeForm(queryOf(request.url)), form, path, body };
  await serveEndpoint(options, endpoint, raw, request, response, progress);
}

async function serveEndpoint<Context>(
  options: ApiAppOptions<Context>,
  endpoint: Endpoint<Context>,
  raw: RawParameters,
  request: Request,
  response: Response,
  progress: Progress,
): Promise<void> {
  const header = request.headers[identityHeaderName];
  const identity = verifyIdentity(
    options.identitySecrets,
    typeof header === 'string' ? header : undefined,
    options.now?.() ?? Date.now(),
  );
  if (identity !== undefined) progress.requestId = identity.requestId;
  // Whoever has no valid identity came around the gateway.
  progress.caller = identity?.caller ?? undefined;
  if (findTracer() !== undefined)
    progress.span = openRequestSpan(
      endpoint,
      request.method,
      identity === undefined ? undefined : request.headers['traceparent'],
      progress.requestId,
    );
  const { caller, requestId } = progress;
  checkAccess(endpoint.access, caller);
  if (caller !== undefined) await endpoint.admit?.(options.context, caller);
  const parameters = decodeParameters(raw, endpoint.parameters);
  const apiRequest = new ApiRequest({ raw, parameters, caller, requestId, request, response });
  const given = await (progress.span === undefined
    ? endpoint.handle(options.context, apiRequest)
    : progress.span.run(() => endpoint.handle(options.context, apiRequest)));
  const answer = given instanceof LaterAnswer ? await settled(given) : given;
  if (answer instanceof RawAnswer) {
    if (options.checkAnswers === true)
      reportFault(options, endpoint, findRawFault(endpoint, answer.status));
    await writeRaw(request, response, answer, requestId);
  } else writeSuccess(options, endpoint, answer, response, requestId);
}

function settled(later: LaterAnswer): Promise<Preserialized> {
  return new Promise((resolve, reject) => later.begin({ answer: resolve, fail: reject }));
}

function writeSuccess<Context>(
  options: ApiAppOptions<Context>,
  endpoint: Endpoint<Context>,
  answer: Exclude<EndpointAnswer, RawAnswer | LaterAnswer>,
  response: Response,
  requestId: string,
): void {
  const headers = { [requestIdHeaderName]: requestId };
  if (answer === noContent) {
    if (options.checkAnswers === true) reportFault(options, endpoint, findRawFault(endpoint, 204));
    response.writeHead(204, headers).end();
    return;
  }
  const text = successText(answer);
  if (options.checkAnswers === true) {
    if (reportFault(options, endpoint, findAnswerFault(endpoint, textOf(text))))
      throw internalServerError();
  }
  writeJson(response, 200, text, headers);
}
