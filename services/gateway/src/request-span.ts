/**
 * The span of a request at the gateway, the parent of its service's spans.
 *
 * The gateway accepts a `traceparent` only from a trusted proxy (PARLEY_TRUSTED_PROXIES), like `X-Forwarded-For`. Its sender decides what
 * is recorded, at the operator's cost, and could write into traces of others, so such a proxy must set or drop the header. It always stops
 * here; services get the gateway's own.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';

import { findTracer } from '@parley/telemetry/tracing';
import type { Span } from '@parley/telemetry/tracing';

import type { GatewayRequest } from './admit.ts';
import { findEndpoint } from './routes.ts';

const spans = new WeakMap<IncomingMessage, Span>();

/** The open span of a traced request. */
export function findRequestSpan(request: IncomingMessage): Span | undefined {
  return findTracer() === undefined ? undefined : spans.get(request);
}

/**
 * Opens the span of a request. Polls and streams get none, because there are thousands, and most of their time is waiting.
 *
 * @returns undefined also if nothing is traced
 */
export function openRequestSpan(
  request: IncomingMessage,
  { route, requestId }: GatewayRequest,
  isFromTrustedProxy: (request: IncomingMessage) => boolean,
): Span | undefined {
  const tracer = findTracer();
  if (tracer === undefined || isPoll(request, route)) return undefined;
  const { traceparent } = request.headers;
  const pattern = route?.pattern;
  const method = request.method ?? '';
  const span = tracer.openServerSpan(pattern === undefined ? method : `${method} ${pattern}`, {
    traceparent:
      typeof traceparent === 'string' && isFromTrustedProxy(request) ? traceparent : undefined,
    attributes: {
      'http.request.method': method,
      ...(pattern === undefined ? {} : { 'http.route': pattern }),
      'parley.request_id': requestId,
    },
  });
  spans.set(request, span);
  return span;
}

function isPoll({ method }: IncomingMessage, route: GatewayRequest['route']): boolean {
  return route !== undefined && findEndpoint(route, method ?? '')?.eventQueue === 'held';
}

/** Ends the span with the status that the log shows too. */
export function endRequestSpan(span: Span, response: ServerResponse, status: number): void {
  span.set({ 'http.response.status_code': status });
  span.end(status >= 500 && response.headersSent ? String(status) : undefined);
}
