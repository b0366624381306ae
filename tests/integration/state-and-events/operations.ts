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

export type Operation = { readonly name: string; readonly run: Operations[string] };

export const operations: readonly Operation[] = Object.entries({
  ...messageOperations,
  ...streamOperations,
  ...peopleOperations,
  ...realmOperations,
}).map(([name, run]) => ({ name, run }));
