import {
  boolean,
  described,
  integer,
  listOf,
  mapOf,
  object,
  optional,
  text,
} from '../declare/schema.ts';
import { event, eventByOp, sameForOps } from '../events/event-schema.ts';
import { clientPresenceSchema, serverTimestampSchema } from './objects.ts';

/** Events about presence, status and typing (reference facts, events 11 and 13). */

const somebody = { user_id: integer, email: text };

export const presenceEvents = [
  eventByOp(
    'TypingEvent',
    'typing',
    sameForOps(['start', 'stop'], {
      sender: object(somebody),
      recipients: described(listOf(object(somebody)), 'The sender among them'),
    }),
  ),
  event('PresenceEvent', 'presence', {
    email: text,
    user_id: integer,
    server_timestamp: serverTimestampSchema,
    presence: mapOf(clientPresenceSchema, 'The entry of the client that reported, by its name'),
  }),
  event('UserStatusEvent', 'user_status', {
    user_id: integer,
    ...optional({
      away: boolean,
      status_text: described(text, 'Empty: it was cleared'),
    }),
  }),
] as const;
