/**
 * Authentication by HTTP Basic, by the table of the reference facts, people 4, with its refusals and their order; and by the cookie of a
 * session, which those facts do not know (decision 0048).
 */
import {
  basicAuthenticationRequired,
  foldName,
  botTypes,
  invalidApiKey,
  keyOrSessionRequired,
  notAuthenticated,
} from '@parley/api';
import type { ApiError, Caller, EndpointAccess } from '@parley/api';
import type { KeyAccount, SessionAccount } from '@parley/store';

import type { Query } from './query.ts';

/** The declared access of an endpoint that requires authentication. */
export type AuthenticatedAccess = Extract<EndpointAccess, { readonly authentication: 'required' }>;

export type Credentials = {
  /** In the form that `foldName` returns. */
  readonly emailFolded: string;
  readonly apiKey: string;
  /** The key's hash in the cache, once it was computed. */
  keyHash?: string;
};

/** A key alone, as in a query. */
export type KeyWithoutEmail = {
  readonly emailFolded: undefined;
  readonly apiKey: string;
  keyHash?: string;
};

/** A browser's session. */
export type SessionCredentials = { readonly sessionToken: string };

const apiKeyPattern = /^[A-Za-z0-9]{32}$/;
const base64Pattern = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const utf8 = new TextDecoder('utf-8', { fatal: true });

function decodeBasic(encoded: string): string | undefined {
  if (!base64Pattern.test(encoded)) return undefined;
  try {
    return utf8.decode(Buffer.from(encoded, 'base64'));
  } catch {
    return undefined;
  }
}

/** Whether a text has the form of a key. Others are wrong without a look-up. */
export function hasKeyForm(apiKey: string): boolean {
  return apiKeyPattern.test(apiKey);
}

/**
 * Takes email and key out of an Authorization header.
 *
 * @throws ApiError 401 or 400 by the table
 */
export function parseAuthorization(header: string | undefined): Credentials {
  if (header === undefined || header.trim() === '') throw notAuthenticated();
  const words = header.trim().split(/\s+/);
  const [scheme, encoded] = words;
  if (words.length !== 2 || scheme === undefined || encoded === undefined) {
    throw notAuthenticated('Invalid authorization header for basic auth');
  }
  if (scheme.toLowerCase() !== 'basic') throw basicAuthenticationRequired();
  const parts = decodeBasic(encoded)?.split(':') ?? [];
  const [email, apiKey] = parts;
  if (parts.length !== 2 || email === undefined || apiKey === undefined) {
    throw notAuthenticated('Invalid authorization header for basic auth');
  }
  return { emailFolded: foldName(email.trim()), apiKey: apiKey.trim() };
}

/**
 * Takes the key from a query, for paths that accept it there. It comes without an email, and refusals have codes.
 *
 * @throws ApiError 401 if there is none
 */
export function parseKeyInQuery(query: Pick<Query, 'get'>): KeyWithoutEmail {
  const apiKey = query.get('api_key')?.trim();
  if (apiKey === undefined) throw keyOrSessionRequired();
  return { emailFolded: undefined, apiKey };
}

/**
 * Finds the key that a webhook's sender gives as a parameter (reference facts, people 16.1), in the query or in a form.
 *
 * @param findInForm the field `api_key` of a form; the body is read for it only if the query has none
 * @returns undefined if there is no such parameter
 */
export async function findKeyParameter(
  query: Pick<Query, 'get'>,
  findInForm: () => Promise<string | undefined>,
): Promise<KeyWithoutEmail | undefined> {
  const inQuery = query.get('api_key');
  const apiKey = (inQuery ?? (await findInForm()))?.trim();
  return apiKey === undefined ? undefined : { emailFolded: undefined, apiKey };
}

/**
 * Checks that a key is right. A login fails if and only if this refuses it.
 *
 * @param account the account of the key; undefined if there is none or the key has the wrong form
 * @throws ApiError 401 by the table if the key has the wrong form, is unknown, or belongs to another email
 */
export function checkKey(
  credentials: Credentials | KeyWithoutEmail,
  account: KeyAccount | undefined,
): KeyAccount {
  const { emailFolded, apiKey } = credentials;
  if (account !== undefined && (emailFolded ?? account.emailFolded) === account.emailFolded)
    return account;
  const isMalformed = !hasKeyForm(apiKey);
  if (emailFolded === undefined) throw invalidApiKey(isMalformed ? 'malformed' : 'unknown');
  throw notAuthenticated(isMalformed ? 'Malformed API key' : 'Invalid API key');
}

/**
 * Checks whether the account of a right key or session may call an endpoint.
 *
 * @param refusalOf makes the refusal from a text: 401 if the key came with Basic, 400 if it came in the query
 * @throws ApiError by the table
 */
export function checkAccount(
  account: KeyAccount & Partial<Pick<SessionAccount, 'sessionId'>>,
  access: AuthenticatedAccess,
  refusalOf: (text: string) => ApiError = notAuthenticated,
): Caller {
  if (account.isRealmDeactivated) throw refusalOf('This organization has been deactivated');
  if (!account.isActive) throw refusalOf('Account is deactivated');
  if (account.botType === botTypes.incomingWebhook && access.incomingWebhookBots !== 'allowed')
    throw refusalOf('This API is not available to incoming webhook bots.');
  const { userId, email, role, botType, botOwnerId } = account;
  const caller = { userId, email, role, botType, botOwnerId };
  return account.sessionId === undefined ? caller : { ...caller, sessionId: account.sessionId };
}
