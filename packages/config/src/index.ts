export * from './describe-config.ts';
export * from './read-config.ts';
export * from './secret.ts';
export { logLevels, parseAddressRanges, parseRateLimits } from './settings.ts';
export type { AddressRange, LogLevel, RateLimit } from './settings.ts';
