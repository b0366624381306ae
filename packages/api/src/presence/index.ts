export * from './events.ts';
export * from './objects.ts';
export * from './presence.ts';
export * from './status.ts';
export * from './typing.ts';
export * from './typing-recipients-parameter.ts';
