export * from './building-blocks.ts';
export { anyEventSchema } from './events/index.ts';
export * from './messages.ts';
export * from './organization.ts';
export * from './people.ts';
export { registerStateMembers } from './register-state.ts';
export * from './streams.ts';
