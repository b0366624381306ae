export * from './answer-addresses.ts';
export { configAsMarkdown, describeConfig } from './describe-config.ts';
export {
  ConfigError,
  readDatabaseConfig,
  readFilesConfig,
  readIdentityProviders,
  readMailAnswersConfig,
  readMailConfig,
  readRedisConfig,
  readServiceConfig,
  serviceConfigFrom,
  serviceNames,
} from './read-config.ts';
export type {
  DatabaseConfig,
  Environment,
  FilesConfig,
  ListBounds,
  MailAnswersConfig,
  MailConfig,
  MailLimits,
  QueueConfig,
  RedisConfig,
  ServiceConfig,
  ServiceName,
} from './read-config.ts';
export type { IdentityProviderConfig, ProvidedRole } from './identity-providers.ts';
export type { MailSender } from './mail-sender.ts';
export * from './redis-address.ts';
export * from './secret.ts';
export * from './smtp-address.ts';
export { parseAddressRanges } from './parse-settings.ts';
export type { AddressRange, AllowedOrigins, RateLimit } from './parse-settings.ts';
export { queueLifetimeBoundSecs } from './settings.ts';
export type { LogLevel } from './settings.ts';
