import { declareEndpoint } from '../declare/endpoint.ts';
import { booleanParameter, pathText, textParameter } from '../declare/parameters.ts';
import { object, optional } from '../declare/schema.ts';
import type { Value } from '../declare/schema.ts';
import { presenceSchema, presencesSchema, serverTimestampSchema } from './objects.ts';

const realmPresence = { presences: presencesSchema, server_timestamp: serverTimestampSchema };
const realmPresenceSchema = object(realmPresence);

/** The presence of everybody, in the form of the answer. */
export type RealmPresence = Value<typeof realmPresenceSchema>;

/** POST users/me/presence (reference facts, events 15.2). */
export const reportPresenceEndpoint = declareEndpoint({
  name: 'report-presence',
  method: 'POST',
  path: '/users/me/presence',
  service: 'presence',
  tag: 'People',
  summary: "Report the presence of the caller's client",
  description:
    'Clients report about every minute. A client that was active within the last 70 seconds and reports to be idle stays active. The answer comes before the report is stored permanently.',
  example: { parameters: { status: 'active', new_user_input: true } },
  access: { authentication: 'required', bots: 'refused' },
  afterLoss: 'repeat',
  limits: { turns: 'none' },
  compresses: true,
  parameters: [
    textParameter('status', { required: true, description: '`active` or `idle`' }),
    booleanParameter('ping_only', { default: false, description: 'The answer has no data' }),
    booleanParameter('new_user_input', {
      default: false,
      description: 'Whether the person has done anything since the last report; not used',
    }),
  ],
  success: object(optional(realmPresence)),
  errors: ['BAD_REQUEST'],
});

/** GET users/{email}/presence (contract, Users, presence, emoji, groups; reference facts, events 15.2). */
export const getUserPresenceEndpoint = declareEndpoint({
  name: 'get-user-presence',
  method: 'GET',
  path: '/users/{email}/presence',
  service: 'presence',
  tag: 'People',
  summary: 'Get the presence of one person',
  example: { parameters: { email: 'rahul@harbour.example' } },
  access: { authentication: 'required' },
  parameters: [pathText('email', { description: 'The email address', nul: 'handled' })],
  success: object({ presence: presenceSchema }),
});

/** GET realm/presence (reference facts, events 15.2). */
export const getRealmPresenceEndpoint = declareEndpoint({
  name: 'get-realm-presence',
  method: 'GET',
  path: '/realm/presence',
  service: 'presence',
  tag: 'People',
  summary: 'Get the presence of everybody',
  access: { authentication: 'required' },
  parameters: [],
  success: realmPresenceSchema,
  compresses: true,
});
