/** Headers that the gateway sets on every answer, errors included. Services cannot change them. */
import type { IncomingMessage, ServerResponse } from 'node:http';

import type { AllowedOrigins } from '@parley/config';

export type AnswerHeaders = Readonly<Record<string, string>>;

/** How long a browser that came by TLS uses only TLS, in seconds: a year. */
const strictTransportSecs = 31_536_000;

/** @returns the header that keeps browsers at TLS if the address of the server begins with `https` */
function transportHeadersOf(publicUrl: string): AnswerHeaders {
  return publicUrl.startsWith('https:')
    ? { 'Strict-Transport-Security': `max-age=${strictTransportSecs}` }
    : {};
}

/** The permissions of pages of other origins (reference facts, people 2.8). */
const crossOriginPermissions = {
  'Access-Control-Allow-Headers': 'Authorization',
  'Access-Control-Allow-Methods': 'GET, POST, DELETE, PUT, PATCH, HEAD',
};

/** Takes the permissions from the answer to a request that is no part of the interface. */
export function denyOtherOrigins(response: ServerResponse): void {
  for (const name of ['Access-Control-Allow-Origin', ...Object.keys(crossOriginPermissions)])
    response.removeHeader(name);
}

/**
 * @param options.allowedOrigins the origins whose pages may call the interface; `every` is the documented `*`
 * @param options.publicUrl with an `https` address, browsers are told to use only that
 * @returns a function that gives the headers for the answer to a request; without permissions if its origin may not call, or if the answer is
 *   for the browser whose session sent it, or which opens one
 */
export function answerHeadersOf(options: {
  readonly allowedOrigins: AllowedOrigins;
  readonly publicUrl: string;
}): (request: IncomingMessage, isForBrowser: boolean) => AnswerHeaders {
  const { allowedOrigins, publicUrl } = options;
  const fixedHeaders: AnswerHeaders = {
    // Browsers must not guess another type than the declared one, least of all a script.
    'X-Content-Type-Options': 'nosniff',
    ...transportHeadersOf(publicUrl),
  };
  // No page of another origin may read or show it, whoever is permitted to call with a key.
  const forBrowser: AnswerHeaders = {
    ...fixedHeaders,
    'Cross-Origin-Resource-Policy': 'same-origin',
    Vary: 'Accept-Language, Accept-Encoding, Cookie, Origin',
  };
  if (allowedOrigins === 'every') {
    const headers = {
      'Access-Control-Allow-Origin': '*',
      ...crossOriginPermissions,
      ...fixedHeaders,
    };
    return (_request, isForBrowser) => (isForBrowser ? forBrowser : headers);
  }
  const permitted = new Set(allowedOrigins);
  // A cache must not give the answer for one origin to another.
  const originDependentHeaders = {
    ...fixedHeaders,
    Vary: 'Accept-Language, Accept-Encoding, Origin',
  };
  return ({ headers: { origin } }, isForBrowser) => {
    if (isForBrowser) return forBrowser;
    return origin !== undefined && permitted.has(origin)
      ? {
          'Access-Control-Allow-Origin': origin,
          ...crossOriginPermissions,
          ...originDependentHeaders,
        }
      : originDependentHeaders;
  };
}
