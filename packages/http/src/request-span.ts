import type { IncomingMessage, ServerResponse } from 'node:http';

import { findTracer } from '@parley/tracing';
import type { Span } from '@parley/tracing';

import type { Endpoint } from './endpoint.ts';

/**
 * Opens the span of a request at a service. Polls get none: what they do is wait.
 *
 * @param isSigned whether the gateway signed it: who else calls chooses neither a trace nor that it is recorded
 */
export function openRequestSpan(
  endpoint: Pick<Endpoint<never>, 'name' | 'path' | 'longPoll'>,
  request: IncomingMessage,
  requestId: string,
  isSigned: boolean,
): Span | undefined {
  if (endpoint.longPoll) return undefined;
  const { traceparent } = request.headers;
  return findTracer()?.openServerSpan(`${request.method} ${endpoint.path}`, {
    traceparent: isSigned && typeof traceparent === 'string' ? traceparent : undefined,
    attributes: {
      'http.request.method': request.method ?? '',
      'http.route': endpoint.path,
      'parley.endpoint': endpoint.name,
      'parley.request_id': requestId,
    },
  });
}

/** Ends it with what was answered. A client that hung up is no fault. */
export function endRequestSpan(span: Span, response: ServerResponse): void {
  const { statusCode } = response;
  // Before headers were sent the status is only Node's default.
  if (response.headersSent) span.set({ 'http.response.status_code': statusCode });
  span.end(response.headersSent && statusCode >= 500 ? String(statusCode) : undefined);
}
