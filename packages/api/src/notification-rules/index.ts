export * from './notifications.ts';
export * from './push-payload.ts';
export * from './words.ts';
