export { connectForJobs, connectForRequests, connectForSubscriptions } from './connect.ts';
export { accountsChannel, keyNames, leasesChannel } from './key-names.ts';
export type { CountedRequests } from './key-names.ts';
export { onMayBeBack, onMayHaveLost } from './redis-client.ts';
export type { Redis } from './redis-client.ts';
