/** Bulk writes for an import, in its transaction and into an installation that nothing else uses. */
export {
  addImportedChange,
  insertImportedEmoji,
  insertImportedMutedTopics,
  insertImportedSubscriptions,
  insertImportedUploads,
  setImportedAccounts,
  setImportedStreams,
} from './imported-accounts.ts';
export type { ImportedSubscription, ImportedUpload } from './imported-accounts.ts';
export {
  ensureImportedTopics,
  insertImportedEdits,
  insertImportedFlags,
  insertImportedMessages,
  insertImportedReactions,
  insertImportedWidgets,
  linkImportedFiles,
  noteImportedMessages,
} from './imported-messages.ts';
export type {
  ImportedEdit,
  ImportedFlags,
  ImportedMessage,
  ImportedReaction,
  ImportedWidget,
} from './imported-messages.ts';
export {
  addReceiptRuns,
  addWholeHistories,
  beginReceipts,
  beginWholeHistories,
  markImportRead,
  writeImportedHoldings,
  writeImportedPositions,
  writeImportedReads,
} from './imported-read-state.ts';
export type { ImportedPosition, ReceiptRun } from './imported-read-state.ts';
export * from './message-keys.ts';
