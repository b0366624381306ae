/** Requests during faults: distinguishes failures that may be retried from those that no fault excuses. */
import { setTimeout as pause } from 'node:timers/promises';

import type { ApiClient, JsonObject, Method, Parameters } from '@parley/test-kit';

import type { Journal } from './journal.ts';

export type Outcome =
  /** The server answered; `code` is undefined for a success. */
  | { readonly kind: 'answered'; readonly body: JsonObject; readonly code: string | undefined }
  /** 503: nothing happened, or a repeat is harmless. */
  | { readonly kind: 'unavailable' }
  /** No answer, or 504: what happened is unknown. */
  | { readonly kind: 'lost' };

export type AttemptOptions = {
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
  readonly deadlineMs?: number;
};

const attemptDeadlineMs = 15_000;
const pauseMs = 150;

/** Makes a request once. Violations of the rules for all answers are reported as findings. */
export async function attempt(
  journal: Journal,
  client: ApiClient,
  request: { readonly method: Method; readonly path: string; readonly parameters: Parameters },
  options: AttemptOptions = {},
): Promise<Outcome> {
  const { method, path, parameters } = request;
  let answer;
  try {
    answer = await client.request(method, path, parameters, {
      deadlineMs: attemptDeadlineMs,
      ...options,
    });
  } catch (error) {
    const { message } = error as Error;
    if (message.startsWith('bad answer') || message.startsWith('content type'))
      journal.findings.add('answer', message);
    // Paths with ids would otherwise count as different kinds of requests.
    if (options.signal?.aborted !== true)
      journal.countFailure(
        `${method} ${path.replace(/\d+/, 'ID')}`,
        (error as NodeJS.ErrnoException).code ?? message,
      );
    return { kind: 'lost' };
  }
  const { status, body, headers } = answer;
  const code = body['code'] as string | undefined;
  if (status === 503) {
    journal.countFailure(`${method} ${path.replace(/\d+/, 'ID')}`, '503');
    if (code !== 'SERVICE_UNAVAILABLE' || headers['retry-after'] === undefined)
      journal.findings.add('answer', `${method} ${path}: a 503 without code or Retry-After`);
    return { kind: 'unavailable' };
  }
  if (status === 504 && code === 'OUTCOME_UNKNOWN') {
    journal.countFailure(`${method} ${path.replace(/\d+/, 'ID')}`, '504');
    return { kind: 'lost' };
  }
  if (status >= 500) {
    journal.findings.add('answer', `${method} ${path}: ${status} ${JSON.stringify(body)}`);
    return { kind: 'lost' };
  }
  return { kind: 'answered', body, code: status === 200 ? undefined : (code ?? 'BAD_REQUEST') };
}

/**
 * Repeats a request until it is answered.
 *
 * @param onUnclear called for each attempt of unknown outcome
 * @returns undefined when `until` was reached first
 */
export async function attemptUntilAnswered(
  journal: Journal,
  client: ApiClient,
  request: { readonly method: Method; readonly path: string; readonly parameters: Parameters },
  options: AttemptOptions & { readonly until: AbortSignal; readonly onUnclear?: () => void },
): Promise<Extract<Outcome, { kind: 'answered' }> | undefined> {
  const { until, onUnclear, ...rest } = options;
  while (!until.aborted) {
    const outcome = await attempt(journal, client, request, rest);
    if (outcome.kind === 'answered') return outcome;
    onUnclear?.();
    await pause(pauseMs);
  }
  return undefined;
}
