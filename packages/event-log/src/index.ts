export * from './append.ts';
export * from './epochs.ts';
export * from './follow.ts';
export * from './partitions.ts';
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
export * from './log-entry.ts';
export * from './own-events.ts';
