export * from './accounts.ts';
export * from './bots.ts';
export { readDefaultStreamGroups, readDefaultStreams } from './default-streams.ts';
export type { ListForMembers } from './default-streams.ts';
export * from './drafts.ts';
export * from './occupancy-events.ts';
export * from './organization.ts';
export * from './scheduled-messages.ts';
export {
  ageFields,
  personalFields,
  streamJson,
  subscriptionJson,
  withoutDescription,
} from './streams.ts';
