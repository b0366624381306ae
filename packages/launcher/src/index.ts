export * from './node-options.ts';
