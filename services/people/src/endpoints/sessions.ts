import { limits, requestVariableMissing } from '@parley/api';
import {
  endOtherSessionsEndpoint,
  endSessionEndpoint,
  listSessionsEndpoint,
  openSessionEndpoint,
} from '@parley/api/people';
import { clearSessionCookie, sessionCookieValues, setSessionCookie } from '@parley/auth/identity';
import {
  endOtherSessions,
  endSession,
  notRegistered,
  openSession,
  prepareSignOut,
  signInByPassword,
  signInForDevelopment,
} from '@parley/people';
import type { PeopleContext } from '@parley/people';
import { implement } from '@parley/server';
import { listSessions } from '@parley/store';

/** Without control characters, which a list of sessions must not contain. */
export function deviceOf(userAgent: string | undefined): string {
  const device = (userAgent ?? '')
    .replaceAll(/\p{Cc}/gu, ' ')
    .toWellFormed()
    .trim();
  return Array.from(device).slice(0, limits.sessionDeviceMaxCodePoints).join('');
}

/** POST sessions. */
export const openSessionHandler = implement(
  openSessionEndpoint,
  async (context: PeopleContext, { parameters, header, replacedCaller, addHeaders }) => {
    const { username, password } = parameters;
    if (password === undefined && context.mode !== 'development')
      throw requestVariableMissing('password');
    const account =
      password === undefined
        ? await signInForDevelopment(context, username)
        : await signInByPassword(context, username, password);
    // A development server gives keys of bots away, but bots use no browser.
    if (account.botType !== null || account.isSystem) throw notRegistered();
    const { id, token } = await openSession(
      context,
      account,
      deviceOf(header('user-agent')),
      replacedCaller,
    );
    addHeaders({ 'Set-Cookie': setSessionCookie(context.sessionCookie, token) });
    return { session_id: id, user_id: account.id, email: account.deliveryEmail };
  },
);

/** GET sessions. */
export const listSessionsHandler = implement(
  listSessionsEndpoint,
  async (context: PeopleContext, { caller }) => {
    const sessions = await listSessions(context.pool, caller.userId, context.sessionIdleSecs);
    return {
      sessions: sessions.map(({ id, device, createdAtSecs, lastUsedAtSecs }) => ({
        session_id: id,
        device,
        created_at: createdAtSecs,
        last_used_at: lastUsedAtSecs,
        is_current: id === caller.sessionId,
      })),
    };
  },
);

/** DELETE sessions/{session_id}. */
export const endSessionHandler = implement(
  endSessionEndpoint,
  async (context: PeopleContext, { caller, parameters, header, addHeaders }) => {
    const isOwn = parameters.session_id === caller.sessionId;
    const [token] = sessionCookieValues(context.sessionCookie, header('cookie') ?? '');
    const findUrl = isOwn ? await prepareSignOut(context, caller, token) : undefined;
    await endSession(context, caller, parameters.session_id);
    // A provider that is slow keeps nobody signed in here.
    const signOutUrl = await findUrl?.();
    if (isOwn) addHeaders({ 'Set-Cookie': clearSessionCookie(context.sessionCookie) });
    return signOutUrl === undefined ? {} : { sign_out_url: signOutUrl };
  },
);

/** DELETE sessions. */
export const endOtherSessionsHandler = implement(
  endOtherSessionsEndpoint,
  async (context: PeopleContext, { caller }) => {
    await endOtherSessions(context, caller);
    return {};
  },
);
