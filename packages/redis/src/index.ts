export * from './connect.ts';
export * from './key-names.ts';
