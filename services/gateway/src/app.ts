/**
 * The public side of the gateway. The interface is one handler without a framework, because the declarations say which endpoint a path belongs
 * to, and the forwarders or the events hop do the rest. It is asked first; pages and files are an Express application ({@link AnswerPage}).
 */
import type { IncomingMessage, ServerResponse } from 'node:http';

import { ApiError, headersTakenBy, limits, notFound, requestIdHeaderName } from '@parley/api';
import type { Endpoint } from '@parley/api';
import { isScimPath, scimContentType, scimRefusalText } from '@parley/api/scim';
import { setSessionCookie } from '@parley/auth/identity';
import { makeSessionToken } from '@parley/auth/secrets';
import type { HeldBody, RequestHandler } from '@parley/server';
import { decodeBody, refusalFor, senderOf, writeRefusal } from '@parley/server';
import type { LinkedHeaders } from '@parley/server/links';
import type { Span } from '@parley/telemetry/tracing';

import { admit, checkOptions, receive, refusalForBrowser } from './admit.ts';
import type { AdmittedRequest, GatewayRequest } from './admit.ts';
import type { GatewayContext } from './context.ts';
import { decodeRequest, findField } from './decode-request.ts';
import type { DecodedRequest } from './decode-request.ts';
import { findPageName } from './page-route.ts';
import { forwardLogin } from './password-login.ts';
import { ClientGone, readBody } from './request-body.ts';
import { endRequestSpan, findRequestSpan, openRequestSpan } from './request-span.ts';

/** What becomes known of a request while it is handled, for its line in the log. */
type RequestNotes = { callerId: number | undefined; scimTokenId?: number };

/** A request and its answer. */
type HttpExchange = {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly received: GatewayRequest;
};

type NotedHttpExchange = HttpExchange & { readonly notes: RequestNotes };

/** A form that is read before its sender is known. */
class FormBeforeAdmission {
  readonly #request: IncomingMessage;
  readonly #held: HeldBody;
  /** The body; undefined if no field was needed. */
  body: Buffer | undefined;

  constructor(request: IncomingMessage, held: HeldBody) {
    this.#request = request;
    this.#held = held;
  }

  async findField(name: string): Promise<string | undefined> {
    const { method = '', headers } = this.#request;
    const contentType = headers['content-type'];
    if (!/^(?:application\/x-www-form-urlencoded|multipart\/form-data)\b/i.test(contentType ?? ''))
      return undefined;
    this.body = await readBody(this.#request, limits.anonymousBodyMaxBytes, this.#held);
    try {
      return (await decodeBody(method, contentType, this.body)).get(name);
    } catch (error) {
      // It is refused once its sender is known.
      if (error instanceof ApiError) return undefined;
      throw error;
    }
  }
}

function linkedHeadersOf({ headers }: IncomingMessage, endpoint: Endpoint): LinkedHeaders {
  const linked: Record<string, string> = {};
  for (const name of headersTakenBy(endpoint)) {
    const value = headers[name];
    if (typeof value === 'string') linked[name] = value;
  }
  return linked;
}

/** A send with its own key may be repeated by its client. */
function hasOwnSendKey(request: IncomingMessage, decoded: DecodedRequest): boolean {
  return (
    request.headers['idempotency-key'] !== undefined ||
    (findField(decoded, 'local_id') !== undefined && findField(decoded, 'queue_id') !== undefined)
  );
}

/** A refusal must not make the browser open its dialog for a password. */
function hidesChallenge({ browser }: AdmittedRequest): boolean {
  return browser.hasSession || browser.isFromOwnPage;
}

/** Forwards a request to the service of its endpoint. */
async function forwardAdmitted(
  context: GatewayContext,
  { request, response }: HttpExchange,
  admitted: AdmittedRequest,
  body: Buffer,
): Promise<void> {
  const { method, headers } = request;
  const contentType = headers['content-type'];
  const decoded = await decodeRequest(admitted, { method, contentType, body });
  const { endpoint } = decoded;
  const queueId = endpoint.eventQueue !== 'none' ? findField(decoded, 'queue_id') : undefined;
  if (endpoint.eventQueue === 'held' && queueId !== undefined && queueId !== '') {
    const fields = new Map([...decoded.query, ...decoded.form]);
    context.openRequests.hold(response);
    context.eventsHop.handle(request, response, { ...admitted, endpoint }, { queueId, fields });
    // The account may have changed while the form arrived.
    if (admitted.caller !== null) context.eventsHop.recheck([admitted.caller.userId]);
    return;
  }
  // A browser becomes known with its sign-in.
  const newDeviceToken =
    endpoint.judgesPassword && endpoint.opensSession && admitted.browser.deviceToken === undefined
      ? makeSessionToken()
      : undefined;
  let answerBytes = 0;
  const forward = (): Promise<void> =>
    context.forwarder.forward({
      request,
      response,
      decoded,
      caller: admitted.caller,
      headers: linkedHeadersOf(request, endpoint),
      answerHeaders: admitted.answerHeaders,
      ownCookie: newDeviceToken && setSessionCookie(context.deviceCookie, newDeviceToken),
      hidesChallenge: hidesChallenge(admitted),
      requestId: admitted.requestId,
      span: findRequestSpan(request),
      hasOwnSendKey: endpoint.afterLoss === 'keyed-send' && hasOwnSendKey(request, decoded),
      candidates: () =>
        queueId === undefined
          ? context.upstreams.inTurn(endpoint.service)
          : context.upstreams.holdersOf(queueId),
      answerTimeoutMs:
        endpoint.eventQueue === 'held'
          ? context.pollBoundMs
          : context.answerTimeoutMs + endpoint.limits.waitMaxMs,
      onAnswer: (bytes) => {
        answerBytes += bytes;
      },
    });
  if (endpoint.judgesPassword)
    await forwardLogin(
      context,
      { request, response },
      { ...admitted, decoded, deviceToken: newDeviceToken ?? admitted.browser.deviceToken },
      forward,
    );
  else await forward();
  const { caller } = admitted;
  const isCounted = caller?.scimTokenId === undefined && endpoint.limits.rate === 'requests';
  if (caller !== null && isCounted)
    await context.rateLimiter.countAnswer(caller, admitted.requestId, answerBytes);
}

/** Passes an upload on to its service. */
async function forwardUpload(
  context: GatewayContext,
  { request, response }: HttpExchange,
  admitted: AdmittedRequest,
  { name, service }: Endpoint,
): Promise<void> {
  await context.uploadForwarder.forward({
    request,
    response,
    endpoint: name,
    requestId: admitted.requestId,
    identity: context.signIdentity(admitted),
    traceparent: findRequestSpan(request)?.traceparent,
    answerHeaders: admitted.answerHeaders,
    hidesChallenge: hidesChallenge(admitted),
    candidates: () => context.upstreams.inTurn(service),
  });
}

function holdBody(context: GatewayContext, response: ServerResponse, sender: string): HeldBody {
  const held = context.heldBodies.begin(sender);
  response.once('close', () => held.release());
  return held;
}

/**
 * Waits until the answers to what a client sent before on its connection have ended. Express does not: each of many requests that are sent at
 * once would have a file open, and keep it if the connection ends before its turn.
 *
 * @returns whether the connection is still there
 */
async function awaitTurn(response: ServerResponse): Promise<boolean> {
  if (response.socket === null)
    await new Promise<void>((resolve) => {
      response.once('socket', () => resolve()).once('close', resolve);
    });
  return response.socket !== null;
}

/**
 * Answers a request for what is no endpoint.
 *
 * @throws ApiError 404, or 405; any error of a page
 */
async function answerPage(
  context: GatewayContext,
  { request, response, received }: HttpExchange,
): Promise<void> {
  const { url = '' } = request;
  const mark = url.indexOf('?');
  request.url = received.path + (mark < 0 ? '' : url.slice(mark));
  setFixedHeaders(response, received);
  if (!(await awaitTurn(response))) return;
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  response.once('close', resolve);
  context.answerPage(request, response, (error) => reject(error ?? notFound()));
  await promise;
}

async function handle(context: GatewayContext, exchange: NotedHttpExchange): Promise<void> {
  const { request, response, received, notes } = exchange;
  if (received.route === undefined) {
    await answerPage(context, exchange);
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
  const { endpoint } = admitted;
  if (endpoint.file === 'streamed') await forwardUpload(context, exchange, admitted, endpoint);
  else {
    const sender = admitted.caller === null ? address : senderOf(admitted.caller);
    const held = holdBody(context, response, sender);
    const body =
      formBeforeAdmission.body ?? (await readBody(request, endpoint.limits.bodyMaxBytes, held));
    await forwardAdmitted(context, exchange, admitted, body);
  }
}

function fail(context: GatewayContext, { response, received }: HttpExchange, error: unknown): void {
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
function findPolledQueue(request: IncomingMessage, received: GatewayRequest): string | undefined {
  if (request.method !== 'GET' && request.method !== 'HEAD') return undefined;
  const endpoint = received.route?.find('GET')?.endpoint;
  if (endpoint?.eventQueue !== 'held') return undefined;
  const queueId = received.query.get('queue_id');
  return queueId === '' ? undefined : queueId;
}

async function poll(
  context: GatewayContext,
  exchange: NotedHttpExchange,
  queueId: string,
): Promise<void> {
  const { request, response, received, notes } = exchange;
  try {
    const { changesSeen } = context.credentials;
    const admitted = await admit(request, received, context, () => Promise.resolve(undefined));
    notes.callerId = admitted.caller?.userId;
    // Too many fields are refused here: later, a timer sends the poll, and nobody would catch it.
    const { fields } = received.query;
    context.eventsHop.handle(request, response, admitted, { queueId, fields });
    // When held polls were checked for a change that came meanwhile, this poll was not among them yet.
    if (context.credentials.changesSeen !== changesSeen && admitted.caller !== null)
      context.eventsHop.recheck([admitted.caller.userId]);
  } catch (error) {
    fail(context, exchange, error);
  }
}

function setFixedHeaders(
  response: ServerResponse,
  { requestId, answerHeaders }: GatewayRequest,
): void {
  for (const [name, value] of Object.entries(answerHeaders)) response.setHeader(name, value);
  response.setHeader(requestIdHeaderName, requestId);
}

function observe(
  context: GatewayContext,
  { request, response, received }: HttpExchange,
  span: Span | undefined,
): RequestNotes {
  const notes: RequestNotes = { callerId: undefined };
  const { clock, metrics, serviceMetrics, log } = context;
  const beganAtMs = clock.elapsedMs();
  // Read now, because forwarding drops the client's headers of this kind.
  const clientRequestId = request.headers[requestIdHeaderName];
  serviceMetrics.requestsInFlight.inc();
  response.once('close', () => {
    serviceMetrics.requestsInFlight.dec();
    const durationMs = clock.elapsedMs() - beganAtMs;
    // 499: the client hung up before the answer was complete.
    const status = response.writableFinished ? response.statusCode : 499;
    const pageName = findPageName(response);
    const endpoint = received.route?.pattern ?? pageName ?? 'unknown';
    const first = received.route?.served[0]?.endpoint;
    const ofGateway = pageName === undefined ? 'none' : 'gateway';
    metrics.requests.inc({ service: first?.service ?? ofGateway, status });
    serviceMetrics.requestDuration.observe({ endpoint, status }, durationMs / 1000);
    if (span !== undefined) endRequestSpan(span, response, status);
    const level = first?.eventQueue === 'held' ? 'debug' : 'info';
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
    const exchange: NotedHttpExchange = { request, response, received, notes };
    const queueId = findPolledQueue(request, received);
    if (queueId !== undefined) {
      context.openRequests.addPoll(poll(context, exchange, queueId));
      return;
    }
    const handled =
      span === undefined ? handle(context, exchange) : span.run(() => handle(context, exchange));
    context.openRequests.add(
      handled.catch((error: unknown) => fail(context, exchange, error)),
      response,
    );
  };
}
