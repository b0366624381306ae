import { findTracer } from '@parley/telemetry/tracing';
import type { Span } from '@parley/telemetry/tracing';

import type { Endpoint } from '@parley/api';

/**
 * Opens the span of a request at a service. Polls get none, because they only wait.
 *
 * @param traceparent the gateway's header; other callers can choose neither a trace nor whether it is recorded
 */
export function openRequestSpan(
  endpoint: Pick<Endpoint, 'name' | 'method' | 'path' | 'eventQueue'>,
  traceparent: string | undefined,
  requestId: string,
): Span | undefined {
  if (endpoint.eventQueue === 'held') return undefined;
  return findTracer()?.openServerSpan(`${endpoint.method} ${endpoint.path}`, {
    traceparent,
    attributes: {
      'http.request.method': endpoint.method,
      'http.route': endpoint.path,
      'parley.endpoint': endpoint.name,
      'parley.request_id': requestId,
    },
  });
}

/**
 * Ends the span with the status of the answer.
 *
 * @param status absent if the client hung up before the answer, which is no fault
 */
export function endRequestSpan(span: Span, status: number | undefined): void {
  if (status !== undefined) span.set({ 'http.response.status_code': status });
  span.end(status !== undefined && status >= 500 ? String(status) : undefined);
}
