/** Requests that bring a password: the service judges them, the gateway counts the failed ones before and after. */
import type { IncomingMessage, ServerResponse } from 'node:http';

import { bodyTooLarge, foldName } from '@parley/contracts';
import { decodeBody, decodeForm } from '@parley/http';

import type { AdmittedRequest } from './admit.ts';
import type { GatewayContext } from './context.ts';
import type { RequestBody } from './request-body.ts';

/**
 * The account name of a login, decoded as the service will decode it: were another name counted than the one that is judged,
 * a form could be written that escapes the limit of an account.
 *
 * @returns undefined when there is none; the service then refuses without a look at the password
 * @throws ApiError 400 for a form that the service would refuse in the same way
 */
export async function findAccountName(
  contentType: string | undefined,
  body: Buffer,
  query: string,
): Promise<string | undefined> {
  const form = await decodeBody('POST', contentType, body);
  const username = form.get('username') ?? decodeForm(query.slice(1)).get('username');
  return username === undefined ? undefined : foldName(username.trim());
}

/**
 * Whether a change of one's own account has its password judged: only a new one asks for the old (reference facts, people 9). Decoded
 * as the service will decode it.
 *
 * @throws ApiError 400 for a form that the service would refuse in the same way
 */
export async function bringsOwnPassword(
  method: string,
  contentType: string | undefined,
  body: Buffer,
  query: string,
): Promise<boolean> {
  const form = await decodeBody(method, contentType, body);
  const wanted = form.get('new_password') ?? decodeForm(query.slice(1)).get('new_password');
  return wanted !== undefined && wanted !== '';
}

/**
 * Who hangs up before the answer may have made the service judge a password, which counts. A service that did not answer, or
 * refused a login before the password, told nobody anything. A change of one's own account that is refused for something else may
 * tell by that very refusal that the password was right, so each of its refusals counts.
 */
function hasFailed(response: ServerResponse, isOwn: boolean): boolean {
  return response.headersSent ? response.statusCode === (isOwn ? 400 : 403) : response.destroyed;
}

/**
 * Forwards a request with a password while there is room for one more failure. Whoever has a key but not the password guesses it no
 * faster than others do: both are counted under the account's address.
 *
 * @param forward sends the request to the service and returns when it is answered or the client gone
 * @throws ApiError 429 before anything is judged, 413 and 400 for bodies, and what `forward` throws
 */
export async function forwardLogin(
  { loginLimiter, addressOf }: Pick<GatewayContext, 'loginLimiter' | 'addressOf'>,
  request: IncomingMessage,
  response: ServerResponse,
  { requestId, query, credentials }: Pick<AdmittedRequest, 'requestId' | 'query' | 'credentials'>,
  body: RequestBody,
  forward: () => Promise<void>,
): Promise<void> {
  // No login is so large, and of what flows the name would be unknown.
  if (body.kind !== 'kept') throw bodyTooLarge();
  const { method = '', headers } = request;
  const contentType = headers['content-type'];
  if (credentials !== null && !(await bringsOwnPassword(method, contentType, body.bytes, query))) {
    await forward();
    return;
  }
  const account =
    credentials === null
      ? await findAccountName(contentType, body.bytes, query)
      : credentials.emailFolded;
  const login = { kind: 'password', address: addressOf(request), account, requestId } as const;
  const attempt = await loginLimiter.begin(login, () => response.destroyed);
  try {
    await forward();
  } finally {
    await attempt.end(hasFailed(response, credentials !== null) ? 'failed' : 'not-failed');
  }
}
