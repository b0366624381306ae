export { configAsMarkdown, describeConfig } from './describe-config.ts';
export {
  ConfigError,
  readDatabaseConfig,
  readFilesConfig,
  readRedisConfig,
  readServiceConfig,
  serviceConfigFrom,
  serviceNames,
} from './read-config.ts';
export type {
  DatabaseConfig,
  Environment,
  FilesConfig,
  QueueConfig,
  RedisConfig,
  ServiceConfig,
  ServiceName,
} from './read-config.ts';
export { parseRedisAddress } from './redis-address.ts';
export type { RedisAddress, RedisHost } from './redis-address.ts';
export { Secret } from './secret.ts';
export { parseAddressRanges, queueLifetimeBoundSecs } from './settings.ts';
export type { AddressRange, AllowedOrigins, LogLevel, RateLimit } from './settings.ts';
