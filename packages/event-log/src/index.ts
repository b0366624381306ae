export type { Append, SendItem, SendOutcome } from './append.ts';
export { EventLog, NotSent } from './append.ts';
export type { ImportedLog } from './epochs.ts';
export { openEpochIfNeeded, openImportedLog, openNewEpoch, planImportedLog } from './epochs.ts';
export type { FollowerOptions } from './follow.ts';
export { LogFollower } from './follow.ts';
export { ensurePartitionsFor, trimLog } from './partitions.ts';
export type { Epoch, LogHead, LogSize } from './read-log.ts';
export {
  readEntriesAfter,
  readEntriesForAudiences,
  readEntriesWithSideEffects,
  readEpochs,
  readHead,
  readSideEffectCursor,
  readLogSize,
} from './read-log.ts';
export { GatheredRuns } from './gathered-runs.ts';
