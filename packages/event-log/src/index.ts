export type { Append, SendItem, SendOutcome } from './append.ts';
export { EventLog, NotSent } from './append.ts';
export { openEpochIfNeeded } from './epochs.ts';
export type { FollowerOptions } from './follow.ts';
export { LogFollower } from './follow.ts';
export { ensurePartitionsFor, trimLog } from './partitions.ts';
export type { Epoch, LogHead } from './read-log.ts';
export {
  readEntriesAfter,
  readEntriesForAudiences,
  readEntriesWithSideEffects,
  readEpochs,
  readHead,
} from './read-log.ts';
