/** The checks of every request, in the order of the reference facts, people 2.1: path, OPTIONS, method, authentication, rate limit. */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

import {
  badRequest,
  crossOriginSession,
  devEnvironmentOff,
  methodNotAllowed,
  notAuthenticated,
  notFound,
  requestVariableMissing,
  scimCaller,
  scimTokenRequired,
  withoutChallenge,
  withoutCode,
} from '@parley/api';
import type { ApiError, Caller, Endpoint } from '@parley/api';
import { scimTokenPattern } from '@parley/auth/secrets';
import type { RateLimiter } from '@parley/server';
import type { KeyAccount, SessionAccount } from '@parley/store';
import type { ScimTokenInUse } from '@parley/store/scim';

import type { AnswerHeaders } from './answer-headers.ts';
import {
  checkAccount,
  checkKey,
  findKeyParameter,
  hasKeyForm,
  parseKeyInQuery,
} from './authenticate.ts';
import type {
  AuthenticatedAccess,
  Credentials,
  KeyWithoutEmail,
  SessionCredentials,
} from './authenticate.ts';
import type { BrowserRequest } from './browser-request.ts';
import { readAuthorization } from './connection-credentials.ts';
import type { CredentialCache } from './credential-cache.ts';
import type { LoginLimiter } from './login-limit.ts';
import { Query } from './query.ts';
import { canonicalPath, findEndpoint, findRoute } from './routes.ts';
import type { Route } from './routes.ts';
import type { SessionUses } from './session-uses.ts';

/** A request with its id, and its address in the form that gateway and services use. */
export type GatewayRequest = {
  readonly requestId: string;
  readonly path: string;
  readonly query: Query;
  readonly route: Route | undefined;
  /** The decoded texts of path parameters. */
  readonly pathTexts: Readonly<Record<string, string>>;
  readonly browser: BrowserRequest;
  /** Headers of its answer, whether a service or the gateway answers. */
  readonly answerHeaders: AnswerHeaders;
};

export type AdmittedRequest = GatewayRequest & {
  readonly route: Route;
  readonly endpoint: Endpoint;
  /** Null if the endpoint needs no authentication; for one that opens a session the caller by the session that it replaces, if any. */
  readonly caller: Caller | null;
  /** Held polls are checked again with these; null for a key without an address. */
  readonly credentials: Credentials | SessionCredentials | null;
  /** The folded address of the authenticated account, for which wrong passwords are counted; null without authentication. */
  readonly accountName: string | null;
  readonly rateLimitHeaders: Readonly<Record<string, string>>;
};

const noTexts = {};

/** How the headers of a request are read. */
export type Readings = {
  readonly answerHeadersOf: (request: IncomingMessage, isForBrowser: boolean) => AnswerHeaders;
  readonly browserOf: (headers: IncomingMessage['headers']) => BrowserRequest;
};

/**
 * Gives a request its id, which is also the key of a send. It is random and never taken from the client, because another client could know
 * it.
 */
export function receive(
  request: IncomingMessage,
  { answerHeadersOf, browserOf }: Readings,
): GatewayRequest {
  const url = request.url ?? '/';
  const mark = url.indexOf('?');
  const rawPath = mark < 0 ? url : url.slice(0, mark);
  const path = canonicalPath(rawPath.startsWith('/') ? rawPath : pathOfAbsoluteForm(rawPath));
  const browser = browserOf(request.headers);
  const match = path === undefined ? undefined : findRoute(path);
  const route = match?.route;
  const isForBrowser =
    browser.hasSession || route?.find(request.method ?? '')?.endpoint.opensSession === true;
  return {
    requestId: randomUUID().replaceAll('-', ''),
    path: path ?? rawPath,
    query: new Query(mark < 0 ? '' : url.slice(mark + 1)),
    route,
    pathTexts: match?.path ?? noTexts,
    browser,
    answerHeaders: answerHeadersOf(request, isForBrowser),
  };
}

/** Clients that treat the gateway as a proxy send the whole address. */
function pathOfAbsoluteForm(address: string): string {
  return URL.canParse(address) ? new URL(address).pathname : address;
}

/** The answer to OPTIONS: the methods of the path, in alphabetical order. */
export function checkOptions({ route }: GatewayRequest): { readonly Allow: string } {
  if (route === undefined) throw notFound();
  return { Allow: route.allowedMethods.toSorted().join(', ') };
}

/** The tools for checking requests. */
export type Checks = {
  readonly credentials: CredentialCache;
  readonly sessions: CredentialCache<SessionAccount>;
  readonly sessionUses: SessionUses;
  /** Asks Postgres each time, so that a revoked token is refused at once everywhere. */
  readonly findScimToken: (token: string) => Promise<ScimTokenInUse | undefined>;
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
  { query, browser }: GatewayRequest,
  { keyParameter }: AuthenticatedAccess,
  findInForm: FindInForm,
): Promise<Credentials | KeyWithoutEmail | 'session'> {
  const { authorization } = request.headers;
  const hasHeader = (authorization ?? '').trim() !== '';
  if (keyParameter === 'preferred') {
    // A sender's Authorization header may be meant for something else, so a key in a parameter takes precedence.
    const key = await findKeyParameter(query, () =>
      hasHeader ? Promise.resolve(undefined) : findInForm('api_key'),
    );
    if (key !== undefined) return key;
    if (!hasHeader && !browser.hasSession) throw requestVariableMissing('api_key');
  }
  if (keyParameter === 'accepted' && !hasHeader) {
    if (!browser.hasSession || query.get('api_key') !== undefined) return parseKeyInQuery(query);
  }
  return browser.hasSession ? 'session' : readAuthorization(request);
}

/**
 * Finds the account of a browser's session. Wrong ones are not counted: nobody can guess one.
 *
 * @throws ApiError 403 unless a page of this server sent the request; any error of the store while it is down
 */
async function findSession(
  { browser }: GatewayRequest,
  { sessions, sessionUses }: Checks,
): Promise<SessionAccount | undefined> {
  if (!browser.isFromOwnPage) throw crossOriginSession();
  if (browser.sessionToken === undefined) return undefined;
  const account = await sessions.find(browser.sessionToken);
  if (account !== undefined) sessionUses.add(account);
  return account;
}

type Login = Pick<AdmittedRequest, 'caller' | 'credentials' | 'accountName'> & {
  readonly caller: Caller;
};

async function checkSession(
  received: GatewayRequest,
  access: AuthenticatedAccess,
  checks: Checks,
): Promise<Login> {
  const account = await findSession(received, checks);
  const { sessionToken } = received.browser;
  if (account === undefined || sessionToken === undefined) throw notAuthenticated();
  return {
    caller: checkAccount(account, access),
    credentials: { sessionToken },
    accountName: account.emailFolded,
  };
}

async function authenticate(
  request: IncomingMessage,
  received: GatewayRequest,
  access: AuthenticatedAccess,
  checks: Checks,
  findInForm: FindInForm,
): Promise<Login> {
  const given = await readCredentials(request, received, access, findInForm);
  if (given === 'session') return checkSession(received, access, checks);
  const account = await checkLogin(request, received.requestId, given, checks);
  const credentials = given.emailFolded === undefined ? null : given;
  return {
    caller: checkAccount(account, access, credentials === null ? badRequest : notAuthenticated),
    credentials,
    accountName: account.emailFolded,
  };
}

/** The caller by the session that a browser sent with its sign-in; null if there is none that works. */
async function findReplacedCaller(
  received: GatewayRequest,
  checks: Checks,
): Promise<Caller | null> {
  const account = await findSession(received, checks);
  return account === undefined || !account.isActive || account.isRealmDeactivated
    ? null
    : checkAccount(account, { authentication: 'required' });
}

/** A page that is refused asks for a sign-in itself, so the browser must not open a dialog for a password. */
export function refusalForBrowser(
  { browser }: Pick<GatewayRequest, 'browser'>,
  refusal: ApiError,
): ApiError {
  return refusal.status === 401 && (browser.hasSession || browser.isFromOwnPage)
    ? withoutChallenge(refusal)
    : refusal;
}

const bearer = /^bearer +(\S+) *$/i;

/**
 * Finds the token of SCIM that a request has. Wrong ones are not counted: nobody can guess one.
 *
 * @throws ApiError 401, or 403 while the organization is deactivated; any error of the store while it is down
 */
async function checkScimToken(
  { headers: { authorization = '' } }: IncomingMessage,
  { findScimToken }: Checks,
): Promise<ScimTokenInUse> {
  const token = bearer.exec(authorization)?.[1] ?? '';
  const found = scimTokenPattern.test(token) ? await findScimToken(token) : undefined;
  if (found === undefined) throw scimTokenRequired();
  if (found.isRealmDeactivated) throw withoutCode('This organization has been deactivated', 403);
  return found;
}

/** @throws ApiError 429 if the client's network has made too many of these requests */
async function countWithoutCaller(
  request: IncomingMessage,
  { limits: { network } }: Endpoint,
  requestId: string,
  { rateLimiter, addressOf }: Checks,
): Promise<Readonly<Record<string, string>>> {
  if (network === 'sign-ins') return rateLimiter.countSignIn(addressOf(request), requestId);
  return network === 'attempts' ? rateLimiter.countStranger(addressOf(request), requestId) : {};
}

/**
 * Checks a request up to the point where it may be forwarded to a service.
 *
 * @param findInForm for endpoints that take the key from a form
 * @throws ApiError 404, 405, 403, 401, 400 or 429; any error of the store while it is down
 */
export async function admit(
  request: IncomingMessage,
  received: GatewayRequest,
  checks: Checks,
  findInForm: FindInForm,
): Promise<AdmittedRequest> {
  const { route, requestId } = received;
  if (route === undefined) throw notFound();
  const endpoint = findEndpoint(route, request.method ?? '');
  if (endpoint === undefined) throw methodNotAllowed(route.allowedMethods);
  if (endpoint.clients === 'development' && !checks.isDevelopment) throw devEnvironmentOff();
  const { access } = endpoint;
  if (access.authentication === 'none') {
    const caller = endpoint.opensSession ? await findReplacedCaller(received, checks) : null;
    const rateLimitHeaders =
      caller === null
        ? await countWithoutCaller(request, endpoint, requestId, checks)
        : await checks.rateLimiter.count(caller, requestId);
    return {
      ...received,
      route,
      endpoint,
      caller,
      credentials: null,
      accountName: null,
      rateLimitHeaders,
    };
  }
  if (access.authentication === 'scim token') {
    const { id } = await checkScimToken(request, checks);
    const rateLimitHeaders = await checks.rateLimiter.countScim(id, requestId);
    const anonymous = { credentials: null, accountName: null };
    return { ...received, route, endpoint, caller: scimCaller(id), ...anonymous, rateLimitHeaders };
  }
  const login = await authenticate(request, received, access, checks, findInForm);
  const rateLimitHeaders = await checks.rateLimiter.count(login.caller, requestId, {
    kind: endpoint.limits.rate,
    cost: endpoint.limits.cost,
  });
  return { ...received, route, endpoint, ...login, rateLimitHeaders };
}
