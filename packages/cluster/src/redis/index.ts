export { connectForJobs, connectForRequests, connectForSubscriptions } from './connect.ts';
export { accountsChannel, keyNames, leasesChannel } from './key-names.ts';
export type { CountedRequests } from './key-names.ts';
export * from './redis-client.ts';
