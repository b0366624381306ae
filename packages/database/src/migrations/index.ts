import * as peopleAndStreams from './20261101000000-people-and-streams.ts';
import * as messagesAndReadState from './20261101000001-messages-and-read-state.ts';
import * as logAndQueues from './20261101000002-log-and-queues.ts';
import * as messagesComplete from './20261121000000-messages-complete.ts';
import * as alertWordsVersion from './20261121000400-alert-words-version.ts';
import * as editsAndDeletions from './20261121000500-edits-and-deletions.ts';
import * as orderOfReactions from './20261121000600-order-of-reactions.ts';

export type Migration = { readonly name: string; readonly sql: string };

/** All migrations in the order in which they run. The schema's version is their number. */
export const migrations: readonly Migration[] = [
  peopleAndStreams,
  messagesAndReadState,
  logAndQueues,
  messagesComplete,
  alertWordsVersion,
  editsAndDeletions,
  orderOfReactions,
];
