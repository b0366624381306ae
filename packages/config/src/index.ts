export * from './describe-config.ts';
export * from './read-config.ts';
export * from './secret.ts';
export { logLevels, parseRateLimits } from './settings.ts';
export type { LogLevel, RateLimit } from './settings.ts';
