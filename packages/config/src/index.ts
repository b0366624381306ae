export { answerTokenLength, parseAnswerAddresses } from './answer-addresses.ts';
export type { AnswerAddresses } from './answer-addresses.ts';
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
export { parseRedisAddress } from './redis-address.ts';
export type { RedisAddress, RedisHost } from './redis-address.ts';
export { Secret } from './secret.ts';
export { parseSmtpAddress } from './smtp-address.ts';
export type { SmtpAddress } from './smtp-address.ts';
export { parseAddressRanges } from './parse-settings.ts';
export type { AddressRange, AllowedOrigins, RateLimit } from './parse-settings.ts';
export { queueLifetimeBoundSecs } from './settings.ts';
export type { LogLevel } from './settings.ts';
