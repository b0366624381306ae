export * from './stream-access.ts';
