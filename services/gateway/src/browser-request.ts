/**
 * What the headers of a request say about the browser that sent it (decision 0048): the cookie of its session, and whether a page of this
 * server made the request. A page of anybody can make a browser send requests with its cookies, so only those of this server count.
 */
import type { IncomingHttpHeaders } from 'node:http';
import { isIP } from 'node:net';

import { deviceCookieOf, sessionCookieOf, sessionCookieValues } from '@parley/auth/identity';
import type { SessionCookie } from '@parley/auth/identity';
import { sessionTokenPattern } from '@parley/auth/secrets';

export type BrowserRequest = {
  /** It has a session's cookie and no Authorization header, so its answer is for this browser alone. */
  readonly hasSession: boolean;
  /** The session's secret; undefined if the cookie is malformed, or there are several different ones. */
  readonly sessionToken: string | undefined;
  /** The secret by which the browser is known where it signed somebody in; undefined as that of the session. */
  readonly deviceToken: string | undefined;
  /** A page of this server made it. */
  readonly isFromOwnPage: boolean;
};

type BrowserHeaders = Pick<IncomingHttpHeaders, 'authorization' | 'cookie' | 'origin'> & {
  readonly 'sec-fetch-site'?: string | string[] | undefined;
};

const noBrowser: BrowserRequest = {
  hasSession: false,
  sessionToken: undefined,
  deviceToken: undefined,
  isFromOwnPage: false,
};

/**
 * Whether a host is no name that could be made to mean another machine. A page under such a name has the browser's word that it is of the same
 * origin, although it is a stranger's ("rebinding").
 */
function isFixedHost({ hostname }: URL): boolean {
  return hostname === 'localhost' || isIP(hostname.replaceAll(/[[\]]/g, '')) !== 0;
}

/**
 * Whether a page of this server made a request. An origin that the browser states must be the server's own; with the browser's word that it is
 * the same as that of the request, an IP address is enough, because a server may have several.
 *
 * @param publicOrigin where clients reach the server; the header `Host` is not asked, because it follows from the page's own address
 */
export function isFromOwnPage(
  { origin, 'sec-fetch-site': site }: BrowserHeaders,
  publicOrigin: string,
): boolean {
  if (site !== undefined && site !== 'same-origin') return false;
  if (origin === undefined) return site === 'same-origin';
  if (origin === publicOrigin) return true;
  return site === 'same-origin' && URL.canParse(origin) && isFixedHost(new URL(origin));
}

function findToken(values: readonly string[]): string | undefined {
  const [token] = values;
  // If another host or path set a second one, it is unknown which of them is the server's.
  return token !== undefined &&
    values.every((value) => value === token) &&
    sessionTokenPattern.test(token)
    ? token
    : undefined;
}

type Cookies = { readonly session: SessionCookie; readonly device: SessionCookie };

function readHeaders(
  headers: BrowserHeaders,
  { session, device }: Cookies,
  publicOrigin: string,
): BrowserRequest {
  const isOwn = isFromOwnPage(headers, publicOrigin);
  const values =
    headers.authorization === undefined && headers.cookie !== undefined
      ? sessionCookieValues(session, headers.cookie)
      : [];
  return {
    hasSession: values.length > 0,
    sessionToken: findToken(values),
    deviceToken: findToken(sessionCookieValues(device, headers.cookie ?? '')),
    isFromOwnPage: isOwn,
  };
}

/** @returns a function that reads the headers of a request */
export function browserRequests(publicUrl: string): (headers: BrowserHeaders) => BrowserRequest {
  const cookies = { session: sessionCookieOf(publicUrl), device: deviceCookieOf(publicUrl) };
  const { origin: publicOrigin } = new URL(publicUrl);
  return (headers) =>
    headers.cookie === undefined &&
    headers.origin === undefined &&
    headers['sec-fetch-site'] === undefined
      ? noBrowser
      : readHeaders(headers, cookies, publicOrigin);
}
