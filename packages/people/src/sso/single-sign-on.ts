/** Signing in by an OpenID provider: what the browser begins, and what it comes back with (decision 0051). */
import { ApiError, withoutCode } from '@parley/api';
import type { Caller } from '@parley/api';
import { attemptLifetimeSecs } from '@parley/auth/identity';
import type { SignInAttempt, OpenIdProvider, ProvidedIdentity } from '@parley/auth/openid';
import {
  deriveToken,
  makeSessionToken,
  openUnder,
  sessionTokenPattern,
} from '@parley/auth/secrets';
import { findRealm, findSessionProvider, insertAttempt, takeAttempt } from '@parley/store';

import { accountDisabled } from '../accounts/sign-in-refusals.ts';
import { findLinkInvitation } from '../account-links/join.ts';
import type { PeopleContext } from '../people-context.ts';
import { openSession } from '../sessions/change-sessions.ts';
import { findAccount } from './find-account.ts';
import { linkIdentity } from './identities.ts';
import { applyGroups } from './provided-role.ts';
import { askProvider, checkSingleSignOnIsUsed, getProvider, redirectUriOf } from './providers.ts';

/** All that has to be secret follows from what the browser keeps. */
function attemptOf(context: PeopleContext, providerId: string, token: string): SignInAttempt {
  return {
    redirectUri: redirectUriOf(context, providerId),
    state: deriveToken(token, 'state'),
    nonce: deriveToken(token, 'nonce'),
    codeVerifier: deriveToken(token, 'code verifier'),
  };
}

/** A sign-in that has begun: the address where it goes on, and the secret that the browser keeps meanwhile. */
export type BegunSignIn = { readonly url: string; readonly token: string };

export type SignInPurpose = {
  /** Whose account gets the identity; by default nobody's, but somebody signs in. */
  readonly linksTo?: Caller;
  /** The secret of the link to join by which the browser came, if it did. */
  readonly joinToken?: string | undefined;
};

/**
 * Begins a sign-in by a provider.
 *
 * @throws ApiError if there is no such provider, it does not answer, or the link is not good any more
 */
export async function beginSingleSignOn(
  context: PeopleContext,
  providerId: string,
  { linksTo, joinToken }: SignInPurpose,
): Promise<BegunSignIn> {
  checkSingleSignOnIsUsed(await findRealm(context.pool), context);
  const provider = getProvider(context, providerId);
  const invitationId =
    joinToken === undefined ? undefined : await findLinkInvitation(context.pool, joinToken);
  const token = makeSessionToken();
  const attempt = attemptOf(context, providerId, token);
  const url = await askProvider(context, provider, () => provider.addressFor(attempt));
  await insertAttempt(
    context.pool,
    token,
    {
      provider: providerId,
      userId: linksTo?.userId ?? null,
      invitationId: invitationId ?? null,
    },
    attemptLifetimeSecs,
  );
  return { url, token };
}

export type ReturnedSignIn = {
  readonly providerId: string;
  /** The query with which the browser came back. */
  readonly answer: string;
  /** What the browser kept, if it did. */
  readonly token: string | undefined;
  readonly device: string;
  /** By the session that the browser has. */
  readonly replaced: Caller | undefined;
};

export type FinishedSignIn = {
  readonly userId: number;
  /** Undefined if an identity was linked, and the session of the browser stays. */
  readonly session: { readonly id: number; readonly token: string } | undefined;
};

function notThisBrowser(): ApiError {
  return withoutCode('This sign-in is over, or began in another browser. Begin it again here.');
}

async function signIn(
  context: PeopleContext,
  { config }: OpenIdProvider,
  identity: ProvidedIdentity,
  invitationId: number | undefined,
  { device, replaced }: ReturnedSignIn,
): Promise<FinishedSignIn> {
  const { account, isMade } = await findAccount(context, config, identity, invitationId);
  if (!account.isActive) throw accountDisabled();
  const isAsGroupsSay =
    config.groupsClaim === undefined ||
    (await applyGroups(context, config, account.id, identity.groups));
  const session = await openSession(context, account, device, replaced, {
    provider: config.id,
    idToken: identity.idToken,
  });
  context.noteSignOn(
    config.id,
    isMade ? 'made' : 'signed in',
    isAsGroupsSay ? undefined : 'the only administrator stays one, whatever the groups say',
  );
  return { userId: account.id, session };
}

/**
 * Finishes a sign-in in the browser that began it: signs the person in, or links the identity to the account that began it.
 *
 * @throws ApiError if the answer is not for this browser, the provider did not sign the person in or does not answer, or nobody may come in
 *   with this identity
 */
export async function finishSingleSignOn(
  context: PeopleContext,
  returned: ReturnedSignIn,
): Promise<FinishedSignIn> {
  const { providerId, answer, token, replaced } = returned;
  checkSingleSignOnIsUsed(await findRealm(context.pool), context);
  const provider = getProvider(context, providerId);
  if (token === undefined || !sessionTokenPattern.test(token)) throw notThisBrowser();
  const attempt = attemptOf(context, providerId, token);
  // A page of somebody else may have sent the browser here; the sign-in that it began can still come back.
  if (new URLSearchParams(answer).get('state') !== attempt.state) throw notThisBrowser();
  const begun = await takeAttempt(context.pool, token, providerId);
  if (begun === undefined) throw notThisBrowser();
  const sessionId = replaced?.userId === begun.userId ? replaced?.sessionId : undefined;
  if (begun.userId !== null && sessionId === undefined) throw notThisBrowser();
  const identity = await askProvider(context, provider, () =>
    provider.identify({ ...attempt, query: answer }),
  );
  try {
    if (begun.userId === null || sessionId === undefined)
      return await signIn(context, provider, identity, begun.invitationId ?? undefined, returned);
    await linkIdentity(context, begun.userId, sessionId, identity);
    context.noteSignOn(providerId, 'linked', undefined);
    return { userId: begun.userId, session: undefined };
  } catch (error) {
    if (error instanceof ApiError) context.noteSignOn(providerId, 'refused', error.message);
    throw error;
  }
}

/**
 * Reads by which provider a session began, before it ends.
 *
 * @param sessionToken the secret of the session, which opens what is stored with it
 * @returns what finds the address where the browser signs out there too; undefined if there is none, or the provider does not answer
 */
export async function prepareSignOut(
  context: PeopleContext,
  caller: Caller,
  sessionToken: string | undefined,
): Promise<(() => Promise<string | undefined>) | undefined> {
  if (caller.sessionId === undefined || sessionToken === undefined) return undefined;
  const began = await findSessionProvider(context.pool, caller.userId, caller.sessionId);
  const provider = began && context.identityProviders.get(began.provider);
  const idToken = began && openUnder(sessionToken, began.idTokenSealed);
  if (provider === undefined || idToken === undefined) return undefined;
  return async () => {
    try {
      return await askProvider(context, provider, () =>
        provider.addressForSignOut(idToken, `${context.publicUrl}/`),
      );
    } catch (error) {
      if (error instanceof ApiError) return undefined;
      throw error;
    }
  };
}
