import type { ServerResponse } from 'node:http';

import {
  ApiError,
  badRequest,
  internalServerError,
  notFound,
  serviceUnavailable,
} from '@parley/api';
import type { Logger } from '@parley/logging';

import { isStoreFailure, isUnstorableInput } from './store-failures.ts';
import { writeJson } from './write-answer.ts';

/**
 * Turns anything thrown into the refusal that the client sees. Unknown errors become 500 and are logged here, once,
 * with their stack; nothing of the inside reaches the client.
 */
export function refusalFor(error: unknown, log: Logger): ApiError {
  if (error instanceof ApiError) return error;
  // The router could not decode a percent escape in the path, so no endpoint is there.
  if (error instanceof URIError) return notFound();
  if (isStoreFailure(error)) {
    log.warn({ err: error }, 'a store is away');
    return serviceUnavailable();
  }
  if (isUnstorableInput(error)) {
    log.warn({ err: error }, 'a value was refused by the database');
    return badRequest('Invalid value');
  }
  log.error({ err: error }, 'request failed unexpectedly');
  return internalServerError();
}

/** Tells whether work was given up because nobody waits for it any more, which is no fault and needs no answer. */
export function isGivenUp(error: unknown): boolean {
  return error instanceof Error && error.name === 'AbortError';
}

/** Writes a refusal, unless the answer has begun: then the connection ends, so that nobody takes it for complete. */
export function writeRefusal(
  response: ServerResponse,
  refusal: ApiError,
  headers: Readonly<Record<string, string>> = {},
): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  writeJson(response, refusal.status, JSON.stringify(refusal.toBody()), {
    ...headers,
    ...refusal.headers,
  });
}
