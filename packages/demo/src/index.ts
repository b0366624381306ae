export { connectMaker } from './connect-maker.ts';
export type { ConnectedMaker, MakerStores } from './connect-maker.ts';
export { demoAccounts, demoExample, demoStreams, people } from './demo-data.ts';
export { makeMessages } from './message-maker.ts';
export type { NewMessage } from './message-maker.ts';
export { OrganizationMaker } from './organization-maker.ts';
export type { Account, NewAccount, NewOrganizationStream } from './organization-maker.ts';
export { seedDemo } from './seed.ts';
export type { Seeded, SeededAccount } from './seed.ts';
