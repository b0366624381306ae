export * from './bots.ts';
export * from './errors.ts';
export * from './fold.ts';
export * from './identity.ts';
export * from './limits.ts';
export * from './log-entry.ts';
export * from './own-events.ts';
