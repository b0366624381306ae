export { presenceEvents } from './events.ts';
export {
  clientPresenceSchema,
  presenceSchema,
  presencesSchema,
  serverTimestampSchema,
} from './objects.ts';
export type { AggregatedPresence, ClientPresence, Presence } from './objects.ts';
export {
  getRealmPresenceEndpoint,
  getUserPresenceEndpoint,
  reportPresenceEndpoint,
} from './presence.ts';
export type { RealmPresence } from './presence.ts';
export { changeOwnStatusEndpoint } from './status.ts';
export { sendTypingEndpoint } from './typing.ts';
export { noTypingRecipients, parseTypingRecipients } from './typing-recipients-parameter.ts';
export type { TypingRecipients } from './typing-recipients-parameter.ts';
