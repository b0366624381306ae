/**
 * Requests that bring a password: the service judges them, the gateway decides when, and counts the failed ones. There has to be a turn
 * in the line of the address (`password-lines.ts`), and room for one more failure of the account (`login-limit.ts`).
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';

import { bodyTooLarge, foldName } from '@parley/api';
import { decodeBody, decodeForm } from '@parley/server';

import type { AdmittedRequest } from './admit.ts';
import type { GatewayContext } from './context.ts';
import type { Attempt } from './login-limit.ts';
import type { Turn } from './password-lines.ts';
import type { RequestBody } from './request-body.ts';

/** Judging a password takes about a tenth of a second, so both come soon; clients give up after 15 seconds. */
const waitMaxMs = 5_000;
const firstPauseMs = 50;
const longestPauseMs = 400;

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

type PasswordChecks = Pick<GatewayContext, 'loginLimiter' | 'passwordLines' | 'addressOf'>;

/** The account is asked about with a turn, which is given back where others of the account have to be waited for. */
async function beginLogin(
  { loginLimiter, passwordLines }: PasswordChecks,
  login: { readonly address: string; readonly account: string; readonly requestId: string },
  response: ServerResponse,
): Promise<{ readonly turn: Turn; readonly attempt: Attempt }> {
  const { address, account, requestId } = login;
  const giveUpAtMs = performance.now() + waitMaxMs;
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
    const leftMs = giveUpAtMs - performance.now();
    if (leftMs <= 0) throw passwordLines.refusal();
    const turn = await passwordLines.enter(address, account, leftMs, response);
    let attempt: Attempt | undefined;
    try {
      attempt = await loginLimiter.begin({ kind: 'password', account, requestId });
    } finally {
      if (attempt === undefined) turn.end(false);
    }
    if (attempt !== undefined) return { turn, attempt };
    await pause(pauseMs);
  }
}

/**
 * Forwards a request with a password when its turn has come and while there is room for one more failure. Whoever has a key but not the
 * password guesses it no faster than others do: both are counted under the account's address.
 *
 * @param forward sends the request to the service and returns when it is answered or the client gone
 * @throws ApiError 429 before anything is judged, 413 and 400 for bodies, and what `forward` throws
 * @throws ClientGone where the client hangs up before its turn
 */
export async function forwardLogin(
  checks: PasswordChecks,
  request: IncomingMessage,
  response: ServerResponse,
  { requestId, query, credentials }: Pick<AdmittedRequest, 'requestId' | 'query' | 'credentials'>,
  body: RequestBody,
  forward: () => Promise<void>,
): Promise<void> {
  // Their bounds let no body flow, of which the name would be unknown.
  if (body.kind !== 'kept') throw bodyTooLarge();
  const { method = '', headers } = request;
  const contentType = headers['content-type'];
  const account =
    credentials === null
      ? await findAccountName(contentType, body.bytes, query)
      : (await bringsOwnPassword(method, contentType, body.bytes, query))
        ? credentials.emailFolded
        : undefined;
  // No password is judged.
  if (account === undefined) {
    await forward();
    return;
  }
  const login = { address: checks.addressOf(request), account, requestId };
  const { turn, attempt } = await beginLogin(checks, login, response);
  try {
    await forward();
  } finally {
    turn.end(response.destroyed && !response.headersSent);
    await attempt.end(hasFailed(response, credentials !== null) ? 'failed' : 'not-failed');
  }
}
