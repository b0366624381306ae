import { badRequest, foldName, withoutCode } from '@parley/api';
import type { Caller } from '@parley/api';
import {
  getRealmPresenceEndpoint,
  getUserPresenceEndpoint,
  reportPresenceEndpoint,
} from '@parley/api/presence';
import type { RealmPresence } from '@parley/api/presence';
import { implement, preserialized } from '@parley/server';
import type { Preserialized } from '@parley/server';
import { presenceJson, reportingClient } from '@parley/store/presence-state';
import { findSignInAccount, findUserByEmail } from '@parley/store';
import type { User } from '@parley/store';

import type { PresenceContext } from '../context.ts';
import type { RealmAnswer } from '../presence/realm-presence.ts';

function realmAnswer({ body, isGzip }: RealmAnswer): Preserialized<RealmPresence> {
  return preserialized(body, isGzip ? 'gzip' : 'any');
}

export const reportPresenceHandler = implement(
  reportPresenceEndpoint,
  async (context: PresenceContext, { caller, parameters, clientName, takesGzip }) => {
    const { status, ping_only: pingOnly } = parameters;
    if (status !== 'active' && status !== 'idle') throw badRequest(`Invalid status: ${status}`);
    const client = reportingClient(clientName);
    const nowMs = context.clock.nowMs();
    await context.presence.report(caller.userId, { client, status, nowMs });
    if (pingOnly) return {};
    return realmAnswer(await context.presence.answerReport(caller.userId, takesGzip));
  },
);

/**
 * Everybody can find a person by the shown address; the person and administrators, who know the real address, also by that one
 * (reference facts, people 7.7 and 10).
 */
async function findPerson(
  context: PresenceContext,
  caller: Caller,
  email: string,
): Promise<User | undefined> {
  if (email.includes('\0')) return undefined;
  const shown = await findUserByEmail(context.pool, email);
  if (shown !== undefined) return shown;
  const real = await findSignInAccount(context.pool, email);
  if (real === undefined || foldName(real.deliveryEmail) !== foldName(email)) return undefined;
  const mayKnow =
    real.id === caller.userId || (caller.role === 'administrator' && caller.botType === null);
  return mayKnow ? real : undefined;
}

export const getUserPresenceHandler = implement(
  getUserPresenceEndpoint,
  async (context: PresenceContext, { caller, parameters }) => {
    const person = await findPerson(context, caller, parameters.email);
    if (person?.isActive !== true || person.isSystem) throw withoutCode('No such user');
    if (person.botType !== null) throw withoutCode('Presence is not supported for bot users.');
    const presence = presenceJson((await context.presence.read(person.id)) ?? new Map());
    if (presence === undefined) throw withoutCode(`No presence data for ${person.email}`);
    return { presence };
  },
);

export const getRealmPresenceHandler = implement(
  getRealmPresenceEndpoint,
  async (context: PresenceContext, { takesGzip }) =>
    realmAnswer(await context.presence.answerRealm(takesGzip)),
);
