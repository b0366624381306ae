/** Everything that changes a state: the operations of the reference facts, events 18, and all others that have events. */
import { messageOperations } from './operations-of-messages.ts';
import { peopleOperations } from './operations-of-people.ts';
import { realmOperations } from './operations-of-the-realm.ts';
import { streamOperations } from './operations-of-streams.ts';
import type { Operations } from './world.ts';

/** Those of the reference facts, events 18, in its order. */
export const tableOfOperations: readonly string[] = [
  'send a message',
  'create a public stream',
  'create a private stream',
  'subscribe to an existing stream',
  'subscribe where one is subscribed',
  'unsubscribe',
  'rename a stream',
  'deactivate a stream',
  'create a person',
  'create a bot',
  'deactivate a bot',
  'edit a message',
  "change a bot's owner",
];

const named = {
  ...messageOperations,
  ...streamOperations,
  ...peopleOperations,
  ...realmOperations,
};

/** By event types that change a state, an operation that makes such an event. */
export const operationsOfEvents: Readonly<Record<string, keyof typeof named>> = {
  message: 'send a message',
  update_message: 'edit a message',
  delete_message: 'delete a message',
  update_message_flags: 'read a message',
  reaction: 'react',
  scheduled_messages: 'schedule a message',
  drafts: 'change drafts',
  pointer: 'move the pointer',
  alert_words: 'change alert words',
  muted_topics: 'mute a topic',
  stream: 'create a public stream',
  subscription: 'subscribe many',
  default_streams: 'change default streams',
  default_stream_groups: 'change groups of default streams',
  realm_user: 'rename a person',
  realm_bot: 'create a bot',
  user_group: 'change groups',
  presence: 'be there',
  user_status: 'say what one does',
  realm: 'name the organization',
  realm_domains: 'change domains',
  realm_emoji: 'change emoji',
  realm_filters: 'change linkifiers',
  custom_profile_fields: 'change profile fields',
  hotspots: 'see a tip',
  update_display_settings: 'change display settings',
  update_global_notifications: 'change notification settings',
};

export type Operation = { readonly name: string; readonly run: Operations[string] };

export const operations: readonly Operation[] = Object.entries(named).map(([name, run]) => ({
  name,
  run,
}));
