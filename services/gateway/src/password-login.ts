/** Logins by password: the service judges them, the gateway counts the failed ones before and after. */
import type { IncomingMessage, ServerResponse } from 'node:http';

import { bodyTooLarge, foldName } from '@parley/contracts';
import { decodeBody, decodeForm } from '@parley/http';

import type { ReceivedRequest } from './admit.ts';
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
 * Who hangs up before the answer may have made the service judge a password, which counts. A service that did not answer, or
 * refused the request before the password, told nobody anything.
 */
function hasFailed(response: ServerResponse): boolean {
  return response.headersSent ? response.statusCode === 403 : response.destroyed;
}

/**
 * Forwards a login while there is room for one more failure.
 *
 * @param forward sends the request to the service and returns when it is answered or the client gone
 * @throws ApiError 429 before anything is judged, 413 and 400 for bodies, and what `forward` throws
 */
export async function forwardLogin(
  { loginLimiter, addressOf }: Pick<GatewayContext, 'loginLimiter' | 'addressOf'>,
  request: IncomingMessage,
  response: ServerResponse,
  { requestId, query }: Pick<ReceivedRequest, 'requestId' | 'query'>,
  body: RequestBody,
  forward: () => Promise<void>,
): Promise<void> {
  // No login is so large, and of what flows the name would be unknown.
  if (body.kind !== 'kept') throw bodyTooLarge();
  const account = await findAccountName(request.headers['content-type'], body.bytes, query);
  const login = { kind: 'password', address: addressOf(request), account, requestId } as const;
  const attempt = await loginLimiter.begin(login, () => response.destroyed);
  try {
    await forward();
  } finally {
    await attempt.end(hasFailed(response) ? 'failed' : 'not-failed');
  }
}
