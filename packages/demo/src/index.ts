export * from './connect-maker.ts';
export { demoAccounts, demoExample, demoStreams, people } from './demo-data.ts';
export * from './message-maker.ts';
export * from './organization-maker.ts';
export * from './seed.ts';
