export * from './errors.ts';
export * from './event-stream.ts';
export * from './operation-types.ts';
export * from './parley-client.ts';
export * from './request-options.ts';
