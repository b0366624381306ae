export * from './describe-config.ts';
export * from './read-config.ts';
export * from './redis-address.ts';
export * from './secret.ts';
export { parseAddressRanges, queueLifetimeBoundSecs } from './settings.ts';
export type { AddressRange, AllowedOrigins, LogLevel, RateLimit } from './settings.ts';
