import {
  beginLinkingEndpoint,
  beginSingleSignOnEndpoint,
  finishSingleSignOnEndpoint,
  listIdentitiesEndpoint,
  unlinkIdentityEndpoint,
} from '@parley/api/people';
import { sessionCookieValues, setSessionCookie } from '@parley/auth/identity';
import {
  beginSingleSignOn,
  finishSingleSignOn,
  prepareProof,
  unlinkIdentity,
} from '@parley/people';
import type { PeopleContext } from '@parley/people';
import { implement } from '@parley/server';
import { listIdentities } from '@parley/store';

import { deviceOf } from './sessions.ts';

/** POST sso/start. */
export const beginSingleSignOnHandler = implement(
  beginSingleSignOnEndpoint,
  async (context: PeopleContext, { parameters, addHeaders }) => {
    const { url, token } = await beginSingleSignOn(context, parameters.provider, {
      joinToken: parameters.token,
    });
    addHeaders({ 'Set-Cookie': setSessionCookie(context.attemptCookie, token) });
    return { url };
  },
);

/** POST sso/link. */
export const beginLinkingHandler = implement(
  beginLinkingEndpoint,
  async (context: PeopleContext, { caller, parameters, addHeaders }) => {
    const prove = await prepareProof(context, caller, parameters.password);
    await prove(context.pool);
    const { url, token } = await beginSingleSignOn(context, parameters.provider, {
      linksTo: caller,
    });
    addHeaders({ 'Set-Cookie': setSessionCookie(context.attemptCookie, token) });
    return { url };
  },
);

/** POST sso/finish. */
export const finishSingleSignOnHandler = implement(
  finishSingleSignOnEndpoint,
  async (context: PeopleContext, { parameters, header, replacedCaller, addHeaders }) => {
    const [token] = sessionCookieValues(context.attemptCookie, header('cookie') ?? '');
    const finished = await finishSingleSignOn(context, {
      providerId: parameters.provider,
      answer: parameters.answer,
      token,
      device: deviceOf(header('user-agent')),
      replaced: replacedCaller,
    });
    if (finished.session !== undefined)
      addHeaders({ 'Set-Cookie': setSessionCookie(context.sessionCookie, finished.session.token) });
    return { linked: finished.session === undefined, user_id: finished.userId };
  },
);

/** GET sso/identities. */
export const listIdentitiesHandler = implement(
  listIdentitiesEndpoint,
  async (context: PeopleContext, { caller }) => {
    const providers = Array.from(context.identityProviders.values(), ({ config }) => config);
    const identities = await listIdentities(context.pool, caller.userId);
    return {
      identities: identities.map(({ id, issuer, createdAtSecs }) => {
        const provider = providers.find((each) => each.issuer === issuer);
        return {
          identity_id: id,
          provider: provider?.id ?? null,
          display_name: provider?.name ?? issuer,
          created_at: createdAtSecs,
        };
      }),
    };
  },
);

/** DELETE sso/identities/{identity_id}. */
export const unlinkIdentityHandler = implement(
  unlinkIdentityEndpoint,
  async (context: PeopleContext, { caller, parameters }) => {
    await unlinkIdentity(context, caller, parameters.identity_id);
    return {};
  },
);
