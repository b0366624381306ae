export * from './stream-access.ts';
export * from './message-access.ts';
export * from './message-changes.ts';
export * from './people-access.ts';
export * from './organization-access.ts';
export * from './file-access.ts';
