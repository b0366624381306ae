export * from './connect.ts';
export * from './key-names.ts';
export * from './redis-client.ts';
