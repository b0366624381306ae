/** Logs and metrics of every answer, and the comparison of answers with their declarations. */
import { rawResponsesOf } from '@parley/api';
import type { Caller, Endpoint } from '@parley/api';
import { answerCheckOf } from '@parley/api/openapi';
import type { Clock } from '@parley/clock';
import type { Logger } from '@parley/telemetry/logging';

import type { ServiceMetrics } from './metrics.ts';

/**
 * Counts and logs a finished request, at debug level unless this service failed: the gateway logs every request with what an operator looks
 * for, and a second line costs a send a twentieth of this service's time.
 */
export function recordRequest(
  options: { readonly clock: Clock; readonly log: Logger; readonly metrics?: ServiceMetrics },
  over: {
    readonly startedAtMs: number;
    readonly endpoint: Pick<Endpoint, 'name'> | undefined;
    readonly requestId: string;
    readonly caller: Caller | undefined;
    readonly method: string;
    readonly status: number;
    readonly hungUp: boolean;
    /** For a traced request. */
    readonly traceId: string | undefined;
  },
): void {
  const durationMs = options.clock.elapsedMs() - over.startedAtMs;
  const endpoint = over.endpoint?.name ?? 'none';
  options.metrics?.requestsInFlight.dec();
  options.metrics?.requestDuration.observe(
    { endpoint, status: String(over.status) },
    durationMs / 1000,
  );
  const level = over.status < 500 ? 'debug' : 'info';
  if (!options.log.isLevelEnabled(level)) return;
  options.log[level](
    {
      request_id: over.requestId,
      endpoint,
      method: over.method,
      status: over.status,
      duration_ms: Math.round(durationMs * 10) / 10,
      user_id: over.caller?.userId,
      trace_id: over.traceId,
      hung_up: over.hungUp ? true : undefined,
    },
    'request',
  );
}

/** The text by which tests find a wrong declaration in a log. */
export const undeclaredAnswer = 'an answer differs from its declaration';

/** @returns whether there is a fault, which is logged */
export function reportFault(
  { log }: { readonly log: Logger },
  endpoint: { readonly name: string },
  fault: string | undefined,
): boolean {
  if (fault === undefined) return false;
  log.error({ endpoint: endpoint.name, fault }, undeclaredAnswer);
  return true;
}

/** Compares the text that would be sent, without the envelope, with the declared schema. */
export function findAnswerFault(endpoint: Endpoint, text: string): string | undefined {
  const { result, msg, ...data } = JSON.parse(text) as Record<string, unknown>;
  if (result !== 'success' || msg !== '') return 'the envelope is not that of a success';
  return answerCheckOf(endpoint)(data);
}

/** Compares the status of an answer that is no JSON with those that are declared. */
export function findRawFault(endpoint: Endpoint, status: number): string | undefined {
  const isDeclared =
    rawResponsesOf(endpoint).some((raw) => (raw.status ?? 200) === status) ||
    endpoint.refusals.some(
      (refusal) => refusal.status === status && refusal.contentType !== undefined,
    );
  return isDeclared ? undefined : `status ${status} is not declared`;
}
