/** The checks of every request, in the order of the reference facts, people 2.1: path, OPTIONS, method, authentication, rate limit. */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

import {
  badRequest,
  devEnvironmentOff,
  methodNotAllowed,
  notAuthenticated,
  notFound,
  requestVariableMissing,
} from '@parley/api';
import type { Caller, Endpoint } from '@parley/api';
import type { KeyAccount } from '@parley/store';

import type { AnswerHeaders } from './answer-headers.ts';
import {
  checkAccount,
  checkKey,
  findKeyParameter,
  hasKeyForm,
  parseKeyInQuery,
} from './authenticate.ts';
import type { AuthenticatedAccess, KeyWithoutEmail, Credentials } from './authenticate.ts';
import { readAuthorization } from './connection-credentials.ts';
import type { CredentialCache } from './credential-cache.ts';
import type { LoginLimiter } from './login-limit.ts';
import type { RateLimiter } from './rate-limit.ts';
import { canonicalPath, findEndpoint, findRoute } from './routes.ts';
import type { Route } from './routes.ts';

/** A request with its id, and its address in the form that gateway and services use. */
export type ReceivedRequest = {
  readonly requestId: string;
  readonly path: string;
  /** With the question mark; empty without a query. */
  readonly query: string;
  readonly route: Route | undefined;
  /** Headers of its answer, whether a service or the gateway answers. */
  readonly answerHeaders: AnswerHeaders;
};

export type AdmittedRequest = ReceivedRequest & {
  readonly route: Route;
  readonly endpoint: Endpoint;
  /** Null if the endpoint needs no authentication. */
  readonly caller: Caller | null;
  /** Held polls are checked again with these; null for a key without an address. */
  readonly credentials: Credentials | null;
  readonly rateLimitHeaders: Readonly<Record<string, string>>;
};

/**
 * Gives a request its id, which is also the key of a send. It is random and never taken from the client, because another client could know
 * it.
 */
export function receive(
  request: IncomingMessage,
  headersOf: (request: IncomingMessage) => AnswerHeaders,
): ReceivedRequest {
  const url = request.url ?? '/';
  const mark = url.indexOf('?');
  const rawPath = mark < 0 ? url : url.slice(0, mark);
  const path = canonicalPath(rawPath.startsWith('/') ? rawPath : pathOfAbsoluteForm(rawPath));
  return {
    requestId: randomUUID().replaceAll('-', ''),
    path: path ?? rawPath,
    query: mark < 0 ? '' : url.slice(mark),
    route: path === undefined ? undefined : findRoute(path),
    answerHeaders: headersOf(request),
  };
}

/** Clients that treat the gateway as a proxy send the whole address. */
function pathOfAbsoluteForm(address: string): string {
  return URL.canParse(address) ? new URL(address).pathname : address;
}

/** The answer to OPTIONS: the methods of the path, in alphabetical order. */
export function checkOptions({ route }: ReceivedRequest): { readonly Allow: string } {
  if (route === undefined) throw notFound();
  return { Allow: route.allowedMethods.toSorted().join(', ') };
}

/** The tools for checking requests. */
export type Checks = {
  readonly credentials: CredentialCache;
  readonly rateLimiter: RateLimiter;
  readonly loginLimiter: LoginLimiter;
  readonly addressOf: (request: IncomingMessage) => string;
  readonly isDevelopment: boolean;
};

/**
 * Finds the account of a key, or counts a failed login. A right key passes, however many wrong ones came from the same address or with the
 * same email. While the email is over its limit, a wrong key gets only the refusal of the limit.
 */
async function checkLogin(
  request: IncomingMessage,
  requestId: string,
  given: Credentials | KeyWithoutEmail,
  { credentials, loginLimiter, addressOf }: Checks,
): Promise<KeyAccount> {
  const { apiKey } = given;
  const found = hasKeyForm(apiKey)
    ? await credentials.find(apiKey, (given.keyHash ??= credentials.hashOf(apiKey)))
    : undefined;
  try {
    return checkKey(given, found);
  } catch (refusal) {
    await loginLimiter.countFailure({
      kind: 'key',
      address: addressOf(request),
      account: given.emailFolded,
      requestId,
    });
    throw refusal;
  }
}

/** Reads a field of the request's form. */
export type FindInForm = (name: string) => Promise<string | undefined>;

/**
 * Reads the credentials of a request.
 *
 * @throws ApiError if there are none, or they cannot be read
 */
async function readCredentials(
  request: IncomingMessage,
  { query }: ReceivedRequest,
  { keyParameter }: AuthenticatedAccess,
  findInForm: FindInForm,
): Promise<Credentials | KeyWithoutEmail> {
  const { authorization } = request.headers;
  const hasHeader = (authorization ?? '').trim() !== '';
  if (keyParameter === 'preferred') {
    // A sender's Authorization header may be meant for something else, so a key in a parameter takes precedence.
    const key = await findKeyParameter(query, () =>
      hasHeader ? Promise.resolve(undefined) : findInForm('api_key'),
    );
    if (key !== undefined) return key;
    if (!hasHeader) throw requestVariableMissing('api_key');
  }
  return keyParameter === 'accepted' && !hasHeader
    ? parseKeyInQuery(query)
    : readAuthorization(request);
}

/**
 * Checks a request up to the point where it may be forwarded to a service.
 *
 * @param findInForm for endpoints that take the key from a form
 * @throws ApiError 404, 405, 401, 400 or 429; any error of the store while it is down
 */
export async function admit(
  request: IncomingMessage,
  received: ReceivedRequest,
  checks: Checks,
  findInForm: FindInForm,
): Promise<AdmittedRequest> {
  const { route, requestId } = received;
  if (route === undefined) throw notFound();
  const endpoint = findEndpoint(route, request.method ?? '');
  if (endpoint === undefined) throw methodNotAllowed(route.allowedMethods);
  if (endpoint.forDevelopment && !checks.isDevelopment) throw devEnvironmentOff();
  const { access } = endpoint;
  if (access.authentication === 'none') {
    return { ...received, route, endpoint, caller: null, credentials: null, rateLimitHeaders: {} };
  }
  const given = await readCredentials(request, received, access, findInForm);
  const account = await checkLogin(request, requestId, given, checks);
  const credentials = given.emailFolded === undefined ? null : given;
  const caller = checkAccount(
    account,
    access,
    credentials === null ? badRequest : notAuthenticated,
  );
  const rateLimitHeaders = endpoint.uncounted
    ? {}
    : await checks.rateLimiter.count(caller, requestId);
  return {
    ...received,
    route,
    endpoint,
    caller,
    credentials,
    rateLimitHeaders,
  };
}
