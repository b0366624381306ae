import { presenceSchema, presencesSchema, serverTimestampSchema } from '@parley/api-schemas';
import { badRequest, foldName, withoutCode } from '@parley/contracts';
import type { Caller } from '@parley/contracts';
import { defineEndpoint, jsonBoolean, pathText, preserialized, text } from '@parley/http';
import type { Preserialized } from '@parley/http';
import { presenceJson, reportingClient, serverTimestamp } from '@parley/presence-state';
import { findSignInAccount, findUserByEmail } from '@parley/store';
import type { User } from '@parley/store';

import type { RunningPresenceContext } from '../context.ts';

const end = Buffer.from('}');

/** @param presences the object in pieces of JSON */
function realmAnswer(presences: readonly Buffer[]): Preserialized {
  const seconds = serverTimestamp(Date.now()).toFixed(3);
  const start = `{"result":"success","msg":"","server_timestamp":${seconds},"presences":`;
  return preserialized([Buffer.from(start), ...presences, end]);
}

/** POST users/me/presence (reference facts, events 15.2). */
export const reportPresenceEndpoint = defineEndpoint({
  name: 'report-presence',
  method: 'POST',
  path: '/users/me/presence',
  summary: "Report the presence of the caller's client",
  description:
    'Clients report about every minute. A client that was active within the last 70 seconds and reports to be idle stays active. Answered before it is stored for good.',
  example: { parameters: { status: 'active', new_user_input: true } },
  access: { authentication: 'required', bots: 'refused' },
  parameters: [
    text('status', { required: true, description: '`active` or `idle`' }),
    jsonBoolean('ping_only', { default: false, description: 'The answer holds no data' }),
    jsonBoolean('new_user_input', {
      default: false,
      description: 'Whether the person has done anything since the last report; not used',
    }),
  ],
  response: {
    type: 'object',
    properties: { presences: presencesSchema, server_timestamp: serverTimestampSchema },
  },
  errors: ['BAD_REQUEST'],
  handler: async (context: RunningPresenceContext, { caller, parameters, clientName }) => {
    const { status, ping_only: pingOnly } = parameters;
    if (status !== 'active' && status !== 'idle') throw badRequest(`Invalid status: ${status}`);
    const client = reportingClient(clientName);
    await context.presence.report(caller.userId, { client, status, nowMs: Date.now() });
    return pingOnly ? {} : realmAnswer(await context.presence.realmAfterReport());
  },
});

/**
 * Everybody finds a person by the address that is shown; the person and administrators, who know it, also by the real one
 * (reference facts, people 7.7 and 10).
 */
async function findPerson(
  context: RunningPresenceContext,
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

/** GET users/{email}/presence (contract, Users, presence, emoji, groups; reference facts, events 15.2). */
export const getUserPresenceEndpoint = defineEndpoint({
  name: 'get-user-presence',
  method: 'GET',
  path: '/users/:email/presence',
  summary: 'Get the presence of one person',
  example: { parameters: { email: 'rahul@harbour.example' } },
  access: { authentication: 'required' },
  parameters: [pathText('email', { description: 'The email address', nul: 'handled' })],
  response: { type: 'object', properties: { presence: presenceSchema }, required: ['presence'] },
  handler: async (context: RunningPresenceContext, { caller, parameters }) => {
    const person = await findPerson(context, caller, parameters.email);
    if (person?.isActive !== true || person.isSystem) throw withoutCode('No such user');
    if (person.botType !== null) throw withoutCode('Presence is not supported for bot users.');
    const presence = presenceJson((await context.presence.read(person.id)) ?? new Map());
    if (presence === undefined) throw withoutCode(`No presence data for ${person.email}`);
    return { presence };
  },
});

/** GET realm/presence (reference facts, events 15.2). */
export const getRealmPresenceEndpoint = defineEndpoint({
  name: 'get-realm-presence',
  method: 'GET',
  path: '/realm/presence',
  summary: 'Get the presence of everybody',
  access: { authentication: 'required' },
  parameters: [],
  response: {
    type: 'object',
    properties: { presences: presencesSchema, server_timestamp: serverTimestampSchema },
    required: ['presences', 'server_timestamp'],
  },
  handler: async (context: RunningPresenceContext) =>
    realmAnswer(await context.presence.readRealm()),
});
