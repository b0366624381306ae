import * as peopleAndStreams from './20261101000000-people-and-streams.ts';
import * as messagesAndReadState from './20261101000001-messages-and-read-state.ts';
import * as logAndQueues from './20261101000002-log-and-queues.ts';
import * as messagesComplete from './20261121000000-messages-complete.ts';
import * as uploads from './20261121000100-uploads.ts';
import * as searchPhrases from './20261121000200-search-phrases.ts';
import * as narrowIndexes from './20261121000300-narrow-indexes.ts';
import * as alertWordsVersion from './20261121000400-alert-words-version.ts';
import * as editsAndDeletions from './20261121000500-edits-and-deletions.ts';
import * as orderOfReactions from './20261121000600-order-of-reactions.ts';
import * as sideEffects from './20261121000700-side-effects.ts';
import * as peopleComplete from './20261121001000-people-complete.ts';
import * as avatars from './20261121001001-avatars.ts';
import * as thumbnails from './20261121001100-thumbnails.ts';
import * as organization from './20261121002000-organization.ts';
import * as presenceWrites from './20261121003000-presence-writes.ts';
import * as defaultStreamsOwner from './20261121004000-default-streams-owner.ts';
import * as foldLetters from './20261121009000-fold-letters.ts';
import * as outgoingWebhooks from './20261122001000-outgoing-webhooks.ts';
import * as cheaperSends from './20261123000100-cheaper-sends.ts';
import * as knownDefaultStreams from './20261123000200-known-default-streams.ts';
import * as foldedNamesInNfc from './20261123000300-folded-names-in-nfc.ts';
import * as deferredMessages from './20261123000400-deferred-messages.ts';

export type Migration = { readonly name: string; readonly sql: string };

/** All migrations in the order in which they run. The schema's version is their number. */
export const migrations: readonly Migration[] = [
  peopleAndStreams,
  messagesAndReadState,
  logAndQueues,
  messagesComplete,
  uploads,
  searchPhrases,
  narrowIndexes,
  alertWordsVersion,
  editsAndDeletions,
  orderOfReactions,
  sideEffects,
  peopleComplete,
  avatars,
  thumbnails,
  organization,
  presenceWrites,
  defaultStreamsOwner,
  foldLetters,
  outgoingWebhooks,
  cheaperSends,
  knownDefaultStreams,
  foldedNamesInNfc,
  deferredMessages,
];
