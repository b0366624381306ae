import type { ServerResponse } from 'node:http';

import {
  ApiError,
  badRequest,
  internalServerError,
  notFound,
  serviceUnavailable,
} from '@parley/api';
import type { Logger } from '@parley/telemetry/logging';

import { isStoreFailure, isUnstorableInput } from './store-failures.ts';
import { writeJson } from './write-answer.ts';

/**
 * Turns anything thrown into the refusal that the client sees. Unknown errors become 500 and are logged here, once,
 * with their stack; no internal details reach the client.
 */
export function refusalFor(error: unknown, log: Logger): ApiError {
  if (error instanceof ApiError) return error;
  // The router could not decode a percent escape in the path, so there is no endpoint.
  if (error instanceof URIError) return notFound();
  if (isStoreFailure(error)) {
    log.warn({ err: error }, 'a store is down');
    return serviceUnavailable();
  }
  if (isUnstorableInput(error)) {
    log.warn({ err: error }, 'a value was refused by the database');
    return badRequest('Invalid value');
  }
  log.error({ err: error }, 'request failed unexpectedly');
  return internalServerError();
}

/** Whether work was abandoned because nobody waits for it, which is no fault and needs no answer. */
export function isGivenUp(error: unknown): boolean {
  return error instanceof Error && error.name === 'AbortError';
}

/**
 * Writes a refusal. If the answer has already begun, ends the connection instead, so that the answer does not look complete.
 *
 * @param body by default in the envelope of the interface
 */
export function writeRefusal(
  response: ServerResponse,
  refusal: ApiError,
  headers: Readonly<Record<string, string>> = {},
  body: string = JSON.stringify(refusal.toBody()),
): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  writeJson(response, refusal.status, body, { ...headers, ...refusal.headers });
}
