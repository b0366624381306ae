export * from './building-blocks.ts';
export * from './messages.ts';
export * from './organization.ts';
export * from './people.ts';
export * from './streams.ts';
