export type { Append, SendItem, SendOutcome } from './append.ts';
export { EventLog, NotSent } from './append.ts';
export type { ImportedLog } from './epochs.ts';
export { openEpochIfNeeded, openImportedLog, openNewEpoch, planImportedLog } from './epochs.ts';
export type { FollowerOptions } from './follow.ts';
export { LogFollower } from './follow.ts';
export { ensurePartitionsFor, trimLog } from './partitions.ts';
export type { Epoch, LogHead, LogSize } from './read-log.ts';
export {
  findSideEffectWork,
  readEntriesAfter,
  readEntriesForAudiences,
  readEntriesWithSideEffects,
  readEpochs,
  readHead,
  readSideEffectCursor,
  readLogSize,
  readNewestAccountChange,
} from './read-log.ts';
export {
  audienceKey,
  callsOf,
  changeEntry,
  entryLength,
  eventPartLength,
  logEntryVersion,
  sideEffectsOf,
  streamOfAudience,
} from './log-entry.ts';
export type {
  Audience,
  ChangeContent,
  ChangeEntry,
  DisplayRecipient,
  EventPart,
  HeldMessage,
  LogEffect,
  LogEntry,
  LogEntryVersion,
  LoggedMessage,
  LoggedSubmessage,
  LoggedSubscription,
  MessageSentEntry,
  PositionedEntry,
  SideEffect,
  SideEffects,
  TickEntry,
  UpdateWithoutFlags,
} from './log-entry.ts';
export { ownEventsEntry, readOnLeaving } from './own-events.ts';
