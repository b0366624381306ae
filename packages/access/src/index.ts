export * from './stream-access.ts';
export * from './message-access.ts';
