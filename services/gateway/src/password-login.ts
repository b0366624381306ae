/**
 * Requests with a password. The service judges it; the gateway decides when, and counts failures. A login needs a turn in the line of its
 * address (`password-lines.ts`), and its account must have room for one more failure (`login-limit.ts`).
 */
import type { IncomingMessage, ServerResponse } from 'node:http';

import { foldName } from '@parley/api';
import { pauseShortly } from '@parley/clock';

import type { AdmittedRequest } from './admit.ts';
import type { GatewayContext } from './context.ts';
import { findField } from './decode-request.ts';
import type { DecodedRequest } from './decode-request.ts';
import type { LoginAttempt } from './login-limit.ts';
import type { Turn } from './password-lines.ts';
import type { LoginOrigin } from './sign-in-places.ts';

/** Judging a password takes about a tenth of a second, so both conditions are soon met. Clients give up after 15 seconds. */
const waitMaxMs = 5_000;
const firstPauseMs = 50;
const longestPauseMs = 100;

/** The account name of a login. Without one that can exist the service refuses it and judges no password. */
function findAccountName(decoded: DecodedRequest): string | undefined {
  const username = findField(decoded, 'username');
  // No account has a NUL in its name, and Postgres takes none.
  return username === undefined || username.includes('\0') ? undefined : foldName(username.trim());
}

type Given = Pick<DecodedRequest, 'endpoint' | 'form' | 'query'>;

/** Whether a request gives a parameter that its endpoint takes. */
function isGiven(decoded: Given, name: string): boolean {
  const isTaken = decoded.endpoint.parameters.some((each) => each.name === name);
  return isTaken && (findField(decoded, name) ?? '') !== '';
}

/**
 * Whether a change that the caller makes has the caller's password, which the service then judges: with a new password or address (reference
 * facts, people 9), or to confirm something else (decision 0071). A field that the endpoint ignores is no password: the success would say that
 * it was right.
 */
export function hasOwnPassword(decoded: Given): boolean {
  return (
    isGiven(decoded, 'new_password') ||
    isGiven(decoded, 'password') ||
    (isGiven(decoded, 'old_password') && isGiven(decoded, 'email'))
  );
}

/**
 * If the client hangs up before the answer, the service may have judged the password, so the login counts. If the service did not answer,
 * or refused a login before judging, nobody learnt anything. If a change of one's own account is refused for another reason, that refusal
 * may reveal that the password was right, so each refusal of such a change counts.
 */
function hasFailed(response: ServerResponse, isOwn: boolean): boolean {
  return response.headersSent ? response.statusCode === (isOwn ? 400 : 403) : response.destroyed;
}

type PasswordChecks = Pick<
  GatewayContext,
  'clock' | 'loginLimiter' | 'passwordLines' | 'signInPlaces' | 'addressOf'
>;

/** The account's limit is checked while holding a turn. The turn is returned if other logins of the account must be awaited. */
async function beginLogin(
  { clock, loginLimiter, passwordLines, signInPlaces }: PasswordChecks,
  login: LoginOrigin & { readonly account: string; readonly requestId: string },
  response: ServerResponse,
): Promise<{
  readonly turn: Turn;
  readonly attempt: LoginAttempt;
  readonly passwordMark: string | undefined;
}> {
  const { address, account, requestId } = login;
  const giveUpAtMs = clock.elapsedMs() + waitMaxMs;
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
    const leftMs = giveUpAtMs - clock.elapsedMs();
    if (leftMs <= 0) throw passwordLines.refusal();
    const turn = await passwordLines.enter(address, account, leftMs, response);
    let attempt: LoginAttempt | undefined;
    try {
      const { place, passwordMark } = await signInPlaces.find(account, login);
      attempt = await loginLimiter.begin({ kind: 'password', account, place, requestId });
      if (attempt !== undefined) return { turn, attempt, passwordMark };
    } finally {
      if (attempt === undefined) turn.end(false);
    }
    await pauseShortly(clock, pauseMs);
  }
}

/**
 * Forwards a request with a password when it has its turn and there is room for one more failure. A client that has the key but not the
 * password cannot guess it faster than others, because both are counted for the account.
 *
 * @param forward sends the request to the service and returns when it is answered or the client is gone
 * @throws ApiError 429 before anything is judged, and any error of `forward`
 * @throws ClientGone if the client hangs up before its turn
 */
export async function forwardLogin(
  checks: PasswordChecks,
  { request, response }: { readonly request: IncomingMessage; readonly response: ServerResponse },
  admitted: Pick<AdmittedRequest, 'requestId' | 'accountName'> & {
    readonly decoded: DecodedRequest;
    readonly deviceToken: string | undefined;
  },
  forward: () => Promise<void>,
): Promise<void> {
  const { requestId, accountName, decoded, deviceToken } = admitted;
  const own = hasOwnPassword(decoded) ? accountName : undefined;
  const account = accountName === null ? findAccountName(decoded) : (own ?? undefined);
  // No password is judged.
  if (account === undefined) {
    await forward();
    return;
  }
  const login = { address: checks.addressOf(request), deviceToken, account, requestId };
  const { turn, attempt, passwordMark } = await beginLogin(checks, login, response);
  try {
    await forward();
  } finally {
    turn.end(response.destroyed && !response.headersSent);
    if (response.headersSent && response.statusCode === 200)
      checks.signInPlaces.note(
        account,
        login,
        isGiven(decoded, 'new_password') ? undefined : passwordMark,
      );
    await attempt.end(hasFailed(response, accountName !== null) ? 'failed' : 'not-failed');
  }
}
