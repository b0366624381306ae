export * from './any-event.ts';
export * from './event-schema.ts';
export * from './queues.ts';
export * from './read-events.ts';
export * from './stream-text.ts';
export type { FetchType, FetchedState, RegisterState } from './register-state.ts';
