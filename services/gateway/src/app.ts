/**
 * The public side of the gateway. It is one handler without a framework, because the declarations say which endpoint a path belongs to, and
 * the forwarder or the events hop does the rest.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';

import { isLinked, limits, methodNotAllowed, requestIdHeaderName } from '@parley/api';
import type { ServiceName } from '@parley/api';
import { isScimPath, scimContentType, scimRefusalText } from '@parley/api/scim';
import type { HeldBody, RequestHandler } from '@parley/server';
import { refusalFor, senderOf, writeRefusal } from '@parley/server';
import type { LiveNode } from '@parley/placement';
import type { Span } from '@parley/tracing';

import { admit, checkOptions, receive, refusalForBrowser } from './admit.ts';
import type { AdmittedRequest, ReceivedRequest } from './admit.ts';
import type { GatewayContext } from './context.ts';
import type { BodyBound, FindField, RequestBody } from './request-body.ts';
import { forwardLogin } from './password-login.ts';
import type { ServedFile } from './served-file.ts';
import { ClientGone, bodyBound, fileBound, formFinder, readBody } from './request-body.ts';
import { endRequestSpan, findRequestSpan, openRequestSpan } from './request-span.ts';
import { findMeantEndpoint } from './routes.ts';

/** What becomes known of a request while it is handled, for its line in the log. */
type RequestNotes = { callerId: number | undefined; scimTokenId?: number };

/** A request and its answer. */
type Exchange = {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly received: ReceivedRequest;
};

type NotedExchange = Exchange & { readonly notes: RequestNotes };

function findQueryField({ query }: ReceivedRequest, name: string): string | undefined {
  // The name may be percent-encoded.
  return query.includes(name) || query.includes('%')
    ? new URLSearchParams(query).getAll(name).at(-1)
    : undefined;
}

function boundOf({ endpoint }: AdmittedRequest, { fileMaxBytes }: GatewayContext): BodyBound {
  return endpoint.takesFile ? fileBound(fileMaxBytes) : bodyBound(endpoint.bodyMaxBytes);
}

/** A form that is read before its sender is known. */
class FormBeforeAdmission {
  readonly #request: IncomingMessage;
  readonly #held: HeldBody;
  /** The bytes read so far; undefined if no field was needed. */
  body: RequestBody | undefined;

  constructor(request: IncomingMessage, held: HeldBody) {
    this.#request = request;
    this.#held = held;
  }

  async findField(name: string): Promise<string | undefined> {
    const contentType = this.#request.headers['content-type'];
    if (!/^(?:application\/x-www-form-urlencoded|multipart\/form-data)\b/i.test(contentType ?? ''))
      return undefined;
    this.body = await readBody(this.#request, bodyBound(limits.anonymousBodyMaxBytes), this.#held);
    return this.body.kind === 'kept' ? formFinder(contentType, this.body.bytes)(name) : undefined;
  }
}

/** Forwards a request to the service of its endpoint. */
async function forwardAdmitted(
  context: GatewayContext,
  { request, response }: Exchange,
  admitted: AdmittedRequest & { readonly service: ServiceName },
  body: RequestBody,
): Promise<void> {
  const { service, requestId } = admitted;
  const findInForm: FindField =
    body.kind === 'kept'
      ? formFinder(request.headers['content-type'], body.bytes)
      : () => undefined;
  const findField: FindField = (name) => findInForm(name) ?? findQueryField(admitted, name);
  const endpoint = findMeantEndpoint(admitted.route, admitted.endpoint, request.method, findInForm);
  const queueId = endpoint.goesToHolder ? findField('queue_id') : undefined;
  const candidates = (): LiveNode[] =>
    queueId === undefined
      ? context.upstreams.inTurn(service)
      : context.upstreams.holdersOf(queueId);
  const forward = (): Promise<void> =>
    context.forwarder.forward(request, response, {
      service,
      isLinked: isLinked(endpoint),
      compresses: endpoint.compresses,
      takesCookies: endpoint.takesCookies,
      caller: admitted.caller,
      address: admitted.path + admitted.query,
      answerHeaders: admitted.answerHeaders,
      hidesChallenge: admitted.browser.hasSession || admitted.browser.isFromOwnPage,
      afterLoss: endpoint.afterLoss,
      requestId,
      span: findRequestSpan(request),
      body,
      hasOwnSendKey:
        endpoint.afterLoss === 'keyed-send' &&
        (request.headers['idempotency-key'] !== undefined ||
          (findField('local_id') !== undefined && findField('queue_id') !== undefined)),
      candidates,
      signIdentity: () => context.signIdentity(admitted),
      answerTimeoutMs: endpoint.longPoll
        ? context.pollBoundMs
        : context.answerTimeoutMs + endpoint.waitMaxMs,
    });
  if (endpoint.judgesPassword)
    await forwardLogin(context, { request, response }, { ...admitted, body }, forward);
  else await forward();
}

function holdBody(context: GatewayContext, response: ServerResponse, sender: string): HeldBody {
  const held = context.heldBodies.begin(sender);
  response.once('close', () => held.release());
  return held;
}

/** A file of the web client, unless an endpoint has its path. */
function findWebFile(
  { webClient }: GatewayContext,
  { path, route }: ReceivedRequest,
): ServedFile | undefined {
  return route === undefined ? webClient.get(path) : undefined;
}

const methodsOfFiles = ['GET', 'HEAD'];

/**
 * Answers a request for a file of the web client. It is the same for everybody, and for no other origin.
 *
 * @throws ApiError 405
 */
async function answerWebFile(
  file: ServedFile,
  { request, response, received }: Exchange,
): Promise<void> {
  const { method = '' } = request;
  if (method !== 'OPTIONS' && !methodsOfFiles.includes(method))
    throw methodNotAllowed(methodsOfFiles);
  response.setHeader(requestIdHeaderName, received.requestId);
  if (method === 'OPTIONS') response.writeHead(204, { Allow: methodsOfFiles.join(', ') }).end();
  else await file.answer(request, response);
}

async function handle(context: GatewayContext, exchange: NotedExchange): Promise<void> {
  const { request, response, received, notes } = exchange;
  const file = findWebFile(context, received);
  if (file !== undefined) {
    await answerWebFile(file, exchange);
    return;
  }
  if (request.method === 'OPTIONS') {
    setFixedHeaders(response, received);
    response.writeHead(204, checkOptions(received)).end();
    return;
  }
  const address = context.addressOf(request);
  const formBeforeAdmission = new FormBeforeAdmission(
    request,
    holdBody(context, response, address),
  );
  const admitted = await admit(request, received, context, (name) =>
    formBeforeAdmission.findField(name),
  );
  if (admitted.accountName !== null) notes.callerId = admitted.caller?.userId;
  const scimTokenId = admitted.caller?.scimTokenId;
  if (scimTokenId !== undefined) notes.scimTokenId = scimTokenId;
  for (const [name, value] of Object.entries(admitted.rateLimitHeaders))
    response.setHeader(name, value);
  if (response.destroyed) return;
  const { name, service } = admitted.endpoint;
  if (service === 'gateway') {
    setFixedHeaders(response, received);
    await context.answerPage(name, request, response);
  } else {
    const known = { ...admitted, service };
    const sender = known.caller === null ? address : senderOf(known.caller);
    const held = holdBody(context, response, sender);
    const body =
      formBeforeAdmission.body ?? (await readBody(request, boundOf(admitted, context), held));
    await forwardAdmitted(context, exchange, known, body);
  }
}

function fail(context: GatewayContext, { response, received }: Exchange, error: unknown): void {
  if (error instanceof ClientGone || response.destroyed) return;
  const { requestId, answerHeaders } = received;
  const refusal = refusalForBrowser(
    received,
    refusalFor(error, context.log.child({ request_id: requestId })),
  );
  // The limit of logins refuses what the limit of requests accepted, and sets headers of its own.
  if (refusal.status === 429) response.removeHeader('X-RateLimit-Remaining');
  const headers = { ...answerHeaders, [requestIdHeaderName]: requestId };
  if (isScimPath(received.path))
    writeRefusal(
      response,
      refusal,
      { ...headers, 'Content-Type': scimContentType },
      scimRefusalText(refusal),
    );
  else writeRefusal(response, refusal, headers);
}

/** The queue of a poll, if the request is a poll with a queue id; such polls go to the events hop. */
function findPolledQueue(request: IncomingMessage, received: ReceivedRequest): string | undefined {
  if (request.method !== 'GET' && request.method !== 'HEAD') return undefined;
  const endpoint = received.route?.find('GET')?.endpoint;
  if (endpoint === undefined || !endpoint.longPoll || !endpoint.goesToHolder) return undefined;
  const queueId = findQueryField(received, 'queue_id');
  return queueId === '' ? undefined : queueId;
}

async function poll(
  context: GatewayContext,
  exchange: NotedExchange,
  queueId: string,
): Promise<void> {
  const { request, response, received, notes } = exchange;
  try {
    const { changesSeen } = context.credentials;
    const admitted = await admit(request, received, context, () => Promise.resolve(undefined));
    notes.callerId = admitted.caller?.userId;
    context.eventsHop.handle(request, response, admitted, queueId);
    // When held polls were checked for a change that came meanwhile, this poll was not among them yet.
    if (context.credentials.changesSeen !== changesSeen && admitted.caller !== null)
      context.eventsHop.recheck([admitted.caller.userId]);
  } catch (error) {
    fail(context, exchange, error);
  }
}

function setFixedHeaders(
  response: ServerResponse,
  { requestId, answerHeaders }: ReceivedRequest,
): void {
  for (const [name, value] of Object.entries(answerHeaders)) response.setHeader(name, value);
  response.setHeader(requestIdHeaderName, requestId);
}

function observe(
  context: GatewayContext,
  { request, response, received }: Exchange,
  span: Span | undefined,
): RequestNotes {
  const notes: RequestNotes = { callerId: undefined };
  const { metrics, serviceMetrics, log } = context;
  const beganAtMs = performance.now();
  // Read now, because forwarding drops the client's headers of this kind.
  const clientRequestId = request.headers[requestIdHeaderName];
  serviceMetrics.requestsInFlight.inc();
  response.once('close', () => {
    serviceMetrics.requestsInFlight.dec();
    const durationMs = performance.now() - beganAtMs;
    // 499: the client hung up before the answer was complete.
    const status = response.writableFinished ? response.statusCode : 499;
    const webFile = findWebFile(context, received) === undefined ? 'unknown' : 'web client';
    const endpoint = received.route?.pattern ?? webFile;
    const first = received.route?.served[0]?.endpoint;
    metrics.requests.inc({ service: first?.service ?? 'none', status });
    serviceMetrics.requestDuration.observe({ endpoint, status }, durationMs / 1000);
    if (span !== undefined) endRequestSpan(span, response, status);
    const level = first?.longPoll === true ? 'debug' : 'info';
    if (!log.isLevelEnabled(level)) return;
    log[level](
      {
        request_id: received.requestId,
        ...(clientRequestId === undefined
          ? {}
          : { client_request_id: String(clientRequestId).slice(0, 100) }),
        endpoint,
        method: request.method,
        status,
        duration_ms: Math.round(durationMs * 10) / 10,
        user_id: notes.callerId,
        scim_token_id: notes.scimTokenId,
        trace_id: span?.traceId,
      },
      'request',
    );
  });
  return notes;
}

/** Builds the handler of public requests; it does not listen. */
export function createApp(context: GatewayContext): RequestHandler {
  return (request, response) => {
    const received = receive(request, context);
    request.on('error', () => undefined);
    const span = openRequestSpan(request, received, context.isFromTrustedProxy);
    const notes = observe(context, { request, response, received }, span);
    const exchange: NotedExchange = { request, response, received, notes };
    const queueId = findPolledQueue(request, received);
    if (queueId !== undefined) {
      void poll(context, exchange, queueId);
      return;
    }
    const handled =
      span === undefined ? handle(context, exchange) : span.run(() => handle(context, exchange));
    handled.catch((error: unknown) => fail(context, exchange, error));
  };
}
