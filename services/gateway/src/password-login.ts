/**
 * Requests with a password. The service judges it; the gateway decides when, and counts failures. A login needs a turn in the line of its
 * address (`password-lines.ts`), and its account must have room for one more failure (`login-limit.ts`).
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

/** Judging a password takes about a tenth of a second, so both conditions are soon met. Clients give up after 15 seconds. */
const waitMaxMs = 5_000;
const firstPauseMs = 50;
const longestPauseMs = 400;

/**
 * The account name of a login, decoded in the same way as in the service. If the counted name could differ from the judged one, a crafted
 * form would escape the limit of an account.
 *
 * @returns undefined if there is none; the service then refuses without judging the password
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
 * Whether a change of the caller's account requires the old password: only a new password does (reference facts, people 9). The
 * form is decoded in the same way as in the service.
 *
 * @throws ApiError 400 for a form that the service would refuse in the same way
 */
export async function requiresOwnPassword(
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
 * If the client hangs up before the answer, the service may have judged the password, so the login counts. If the service did not answer,
 * or refused a login before judging, nobody learnt anything. If a change of one's own account is refused for another reason, that refusal
 * may reveal that the password was right, so each refusal of such a change counts.
 */
function hasFailed(response: ServerResponse, isOwn: boolean): boolean {
  return response.headersSent ? response.statusCode === (isOwn ? 400 : 403) : response.destroyed;
}

type PasswordChecks = Pick<GatewayContext, 'loginLimiter' | 'passwordLines' | 'addressOf'>;

/** The account's limit is checked while holding a turn. The turn is returned if other logins of the account must be awaited. */
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
 * Forwards a request with a password when it has its turn and there is room for one more failure. A client that has the key but not the
 * password cannot guess it faster than others, because both are counted for the account.
 *
 * @param forward sends the request to the service and returns when it is answered or the client is gone
 * @throws ApiError 429 before anything is judged, 413 and 400 for bodies, and any error of `forward`
 * @throws ClientGone if the client hangs up before its turn
 */
export async function forwardLogin(
  checks: PasswordChecks,
  { request, response }: { readonly request: IncomingMessage; readonly response: ServerResponse },
  admitted: Pick<AdmittedRequest, 'requestId' | 'query' | 'accountName'> & {
    readonly body: RequestBody;
  },
  forward: () => Promise<void>,
): Promise<void> {
  const { requestId, query, accountName, body } = admitted;
  // Their bounds permit no streamed body, whose account name would be unknown.
  if (body.kind !== 'kept') throw bodyTooLarge();
  const { method = '', headers } = request;
  const contentType = headers['content-type'];
  const account =
    accountName === null
      ? await findAccountName(contentType, body.bytes, query)
      : (await requiresOwnPassword(method, contentType, body.bytes, query))
        ? accountName
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
    await attempt.end(hasFailed(response, accountName !== null) ? 'failed' : 'not-failed');
  }
}
