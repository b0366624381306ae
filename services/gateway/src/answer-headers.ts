/** Headers that the gateway says on every answer, errors included, whatever a service says. */
import type { IncomingMessage } from 'node:http';

import type { AllowedOrigins } from '@parley/config';

export type AnswerHeaders = Readonly<Record<string, string>>;

/** So long a browser that once came by TLS comes by nothing else, in seconds: a year. */
const strictTransportSecs = 31_536_000;

/** What pages of other origins may do (reference facts, people 2.8). */
const crossOriginPermissions: AnswerHeaders = {
  'Access-Control-Allow-Headers': 'Authorization',
  'Access-Control-Allow-Methods': 'GET, POST, DELETE, PUT, PATCH, HEAD',
};

/**
 * @param options.allowedOrigins whose pages may call the interface; `every` is the documented `*`
 * @param options.publicUrl an `https` address asks browsers to keep to it
 * @returns the headers of an answer by its request; of origins that may not call, those without a permission
 */
export function answerHeadersOf(options: {
  readonly allowedOrigins: AllowedOrigins;
  readonly publicUrl: string;
}): (request: IncomingMessage) => AnswerHeaders {
  const { allowedOrigins, publicUrl } = options;
  const ofEvery: AnswerHeaders = {
    // No answer is anything but what its type says, least of all a script.
    'X-Content-Type-Options': 'nosniff',
    ...(publicUrl.startsWith('https:') && {
      'Strict-Transport-Security': `max-age=${strictTransportSecs}`,
    }),
  };
  if (allowedOrigins === 'every') {
    const headers = { 'Access-Control-Allow-Origin': '*', ...crossOriginPermissions, ...ofEvery };
    return () => headers;
  }
  const permitted = new Set(allowedOrigins);
  // A cache must not give the answer for one origin to another.
  const ofAny = { ...ofEvery, Vary: 'Accept-Language, Accept-Encoding, Origin' };
  return ({ headers: { origin } }) =>
    origin !== undefined && permitted.has(origin)
      ? { 'Access-Control-Allow-Origin': origin, ...crossOriginPermissions, ...ofAny }
      : ofAny;
}
