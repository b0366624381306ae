/**
 * HTTP Basic authentication by the table of the reference facts, people 4: which refusal, in which order.
 */
import {
  badRequest,
  basicAuthenticationRequired,
  foldName,
  incomingWebhookBotType,
  invalidApiKey,
  keyOrSessionRequired,
  notAuthenticated,
  notForIncomingWebhookBots,
} from '@parley/contracts';
import type { Caller } from '@parley/contracts';
import type { KeyAccount } from '@parley/store';

import type { Endpoint } from './route-table.ts';

export type Credentials = { readonly email: string; readonly apiKey: string };

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

/**
 * Takes email and key out of an Authorization header.
 *
 * @throws ApiError 401 or 400 by the table; a key of the wrong form is refused here, before any look-up
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
  const credentials = { email: email.trim(), apiKey: apiKey.trim() };
  if (!apiKeyPattern.test(credentials.apiKey)) throw notAuthenticated('Malformed API key');
  return credentials;
}

function callerOf({ userId, email, role, botType, botOwnerId }: KeyAccount): Caller {
  return { userId, email, role, botType, botOwnerId };
}

/**
 * Checks the account that a key belongs to.
 *
 * @param account what the look-up by key found
 * @throws ApiError 401 by the table
 */
export function checkAccount(
  credentials: Credentials,
  account: KeyAccount | undefined,
  endpoint: Pick<Endpoint, 'incomingWebhookBots'>,
): Caller {
  if (account === undefined || account.emailFolded !== foldName(credentials.email)) {
    throw notAuthenticated('Invalid API key');
  }
  if (account.isRealmDeactivated) throw notAuthenticated('This organization has been deactivated');
  if (!account.isActive) throw notAuthenticated('Account is deactivated');
  if (account.botType === incomingWebhookBotType && endpoint.incomingWebhookBots === 'refused') {
    throw notForIncomingWebhookBots();
  }
  return callerOf(account);
}

/**
 * Takes the key out of a query, for paths that take it there: no email belongs to it, and refusals have codes.
 *
 * @param query with the question mark, or empty
 * @throws ApiError 401 when there is none, or it has the wrong form
 */
export function parseKeyInQuery(query: string): string {
  const apiKey = new URLSearchParams(query).getAll('api_key').at(-1)?.trim();
  if (apiKey === undefined) throw keyOrSessionRequired();
  if (!apiKeyPattern.test(apiKey)) throw invalidApiKey('malformed');
  return apiKey;
}

/**
 * Checks the account of a key that came in a query.
 *
 * @throws ApiError 401 for an unknown key, 400 for an account that may not come here
 */
export function checkAccountOfKey(
  account: KeyAccount | undefined,
  endpoint: Pick<Endpoint, 'incomingWebhookBots'>,
): Caller {
  if (account === undefined) throw invalidApiKey('unknown');
  if (account.isRealmDeactivated) throw badRequest('This organization has been deactivated');
  if (!account.isActive) throw badRequest('Account is deactivated');
  if (account.botType === incomingWebhookBotType && endpoint.incomingWebhookBots === 'refused')
    throw badRequest('This API is not available to incoming webhook bots.');
  return callerOf(account);
}
