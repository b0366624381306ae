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
import { presenceJson, reportingClient, serverTimestamp } from '@parley/presence-state';
import { findSignInAccount, findUserByEmail } from '@parley/store';
import type { User } from '@parley/store';

import type { PresenceContext } from '../context.ts';

const end = Buffer.from('}');

/** @param presences the object in pieces of JSON */
function realmAnswer(presences: readonly Buffer[]): Preserialized<RealmPresence> {
  const seconds = serverTimestamp(Date.now()).toFixed(3);
  const start = `{"result":"success","msg":"","server_timestamp":${seconds},"presences":`;
  return preserialized([Buffer.from(start), ...presences, end]);
}

export const reportPresenceHandler = implement(
  reportPresenceEndpoint,
  async (context: PresenceContext, { caller, parameters, clientName }) => {
    const { status, ping_only: pingOnly } = parameters;
    if (status !== 'active' && status !== 'idle') throw badRequest(`Invalid status: ${status}`);
    const client = reportingClient(clientName);
    await context.presence.report(caller.userId, { client, status, nowMs: Date.now() });
    return pingOnly ? {} : realmAnswer(await context.presence.realmAfterReport());
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
  async (context: PresenceContext) => realmAnswer(await context.presence.readRealm()),
);
