import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';

import type { AnswerAddresses } from './answer-addresses.ts';
import type { IdentityProviderConfig } from './identity-providers.ts';
import type { MailSender } from './mail-sender.ts';
import type { Setting } from './setting-kinds.ts';
import { settings } from './settings.ts';
import type { AddressRange, AllowedOrigins, RateLimit } from './parse-settings.ts';
import type { LogLevel, SettingKey, SettingValue } from './settings.ts';
import type { Secret } from './secret.ts';

/**
 * Configuration in two steps: `readEnvironment` reads texts from an environment and the files that it names, and `serviceConfigFrom` is a
 * pure function from these texts to a frozen config.
 */

export type Environment = Readonly<Record<string, string | undefined>>;

export const serviceNames = [
  'gateway',
  'messages',
  'subscriptions',
  'people',
  'presence',
  'events',
] as const;
export type ServiceName = (typeof serviceNames)[number];

export type DatabaseConfig = {
  readonly url: Secret;
  readonly poolMax: number;
  /** Also bounds the wait for a free connection of the pool. */
  readonly connectTimeoutMs: number;
  readonly statementTimeoutMs: number;
};

export type RedisConfig = {
  readonly url: Secret;
  readonly prefix: string;
  readonly commandTimeoutMs: number;
  /** Certificates of the authorities for Redis, as PEM; undefined means those that Node knows. */
  readonly ca?: string | undefined;
};

export type ListenConfig = {
  readonly host: string;
  readonly port: number;
  readonly internalPort: number;
  readonly advertisedHost: string;
};

export type QueueConfig = {
  readonly lifetimeSecs: number;
  readonly lifetimeMaxSecs: number;
  readonly perUserMax: number;
  readonly heartbeatMinMs: number;
  readonly heartbeatMaxMs: number;
  readonly outageGraceMs: number;
  readonly stream: {
    readonly lifetimeMs: number;
    readonly unreadMaxBytes: number;
    readonly stallMs: number;
  };
};

/** The place of uploaded files: a folder, or a bucket. */
export type FilesConfig =
  | { readonly kind: 'directory'; readonly path: string }
  | {
      readonly kind: 'bucket';
      readonly bucket: string;
      readonly endpoint: string | undefined;
      readonly region: string;
      /** Undefined if the machine itself has access to the bucket. */
      readonly credentials:
        | { readonly accessKeyId: Secret; readonly secretAccessKey: Secret }
        | undefined;
    };

export type UploadsConfig = {
  /** Only the messages service requires it, and says so. */
  readonly files: FilesConfig | undefined;
  readonly fileMaxBytes: number;
  /** Undefined if there is no bound. */
  readonly quotaBytes: number | undefined;
};

/** Of mails with links (decision 0073). */
export type MailLimits = {
  readonly perAccount: readonly RateLimit[];
  readonly perDomain: readonly RateLimit[];
  readonly inAll: readonly RateLimit[];
};

/** Bounds of the lists that everybody gets at register (decision 0063). */
export type ListBounds = {
  readonly accountsMax: number;
  readonly botsMax: number;
  readonly streamsMax: number;
  readonly subscriptionsMax: number;
  /** Of the texts of each list. */
  readonly textsMaxBytes: number;
  /** Of an owner with all bots, in a day; not for administrators. */
  readonly newStreamsPerDayMax: number;
  readonly newSubscriptionsPerDayMax: number;
  readonly newBotsPerDayMax: number;
};

export type OutgoingWebhooksConfig = {
  /** Networks that may be called although they are not public. */
  readonly allowedNetworks: readonly AddressRange[];
  readonly timeoutMs: number;
};

/** How mails leave: to a server, or in development into a folder. */
export type MailConfig = {
  readonly from: MailSender;
  readonly by:
    | { readonly kind: 'smtp'; readonly url: Secret; readonly ca: string | undefined }
    | { readonly kind: 'folder'; readonly path: string };
};

/** How mails about messages are answered by mail. */
export type MailAnswersConfig = {
  readonly addresses: AnswerAddresses;
  readonly days: number;
  /** Where the service `messages` takes them by LMTP. */
  readonly lmtp: { readonly host: string; readonly port: number };
};

export type ServiceConfig = {
  /** One of the services, or the name of a tool that works on the same stores. */
  readonly service: string;
  readonly nodeId: string;
  readonly mode: 'development' | 'production';
  readonly logLevel: LogLevel;
  /** Without a slash at the end. */
  readonly publicUrl: string;
  readonly listen: ListenConfig;
  readonly database: DatabaseConfig;
  readonly redis: RedisConfig;
  /** Signing secrets of identities, the current one first; all are accepted. */
  readonly internalSecrets: readonly [Secret, ...Secret[]];
  readonly keySecret: Secret;
  /** Present only while the key secret is being replaced. */
  readonly keySecretPrevious: Secret | undefined;
  /** Empty if there is no rate limit. */
  readonly rateLimits: readonly RateLimit[];
  /** An owner with all bots may use this many times as much as one user, of requests and event queues. */
  readonly budgetsPerOwnerMax: number;
  readonly botsPerOwnerMax: number;
  /** A browser's session that was not used for longer has ended. */
  readonly sessionIdleSecs: number;
  /** For users who are not administrators. */
  readonly newStreamsPerRequestMax: number;
  /** The most people of a private message or typing notice, its sender among them. */
  readonly participantsMax: number;
  readonly lists: ListBounds;
  readonly mailLimits: MailLimits;
  /** Empty if failed logins are not limited, or there is no rate limit at all. */
  readonly loginLimits: readonly RateLimit[];
  /** For one client address, of requests that strangers may make. Empty if they are not limited, or there is no rate limit at all. */
  readonly strangerLimits: readonly RateLimit[];
  /** For one client address, of sign-ins by single sign-on. Empty if they are not limited, or there is no rate limit at all. */
  readonly singleSignOnLimits: readonly RateLimit[];
  /** The OpenID providers by which people sign in, in the order of their buttons. */
  readonly identityProviders: readonly IdentityProviderConfig[];
  /** For one token of SCIM. Empty if its requests are not limited, or there is no rate limit at all. */
  readonly scimLimits: readonly RateLimit[];
  /** For one client address, at one gateway. */
  readonly passwordsAtOnceMax: number;
  /** The proxies that are believed about a client's address. */
  readonly trustedProxies: readonly AddressRange[];
  readonly allowedOrigins: AllowedOrigins;
  /** Where the web client was built; undefined for the folder of this installation. */
  readonly webFolder: string | undefined;
  readonly queues: QueueConfig;
  readonly uploads: UploadsConfig;
  readonly outgoingWebhooks: OutgoingWebhooksConfig;
  /** Undefined if no mails are sent. */
  readonly mail: MailConfig | undefined;
  /** Undefined if mails cannot be answered. */
  readonly mailAnswers: MailAnswersConfig | undefined;
  readonly searchTimeoutMs: number;
  readonly heldBodiesMaxBytes: number;
  readonly requestTimeoutMs: number;
  readonly upstreamTimeoutMs: number;
  readonly startLimitMs: number;
  readonly drainTimeoutMs: number;
  readonly checkAnswers: boolean;
  readonly demo: boolean;
};

/** All faults of an environment at once. It holds names and rules, never the values of secrets. */
export class ConfigError extends Error {
  readonly faults: readonly string[];

  constructor(faults: readonly string[]) {
    super(
      `The configuration has ${faults.length} fault(s):\n${faults.map((fault) => `- ${fault}`).join('\n')}`,
    );
    this.name = 'ConfigError';
    this.faults = faults;
  }
}

/** The texts of all given settings by variable name, and the faults found while reading them. */
export type RawSettings = {
  readonly texts: ReadonlyMap<string, string>;
  readonly faults: readonly string[];
};

function faultOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/**
 * Reads the variables of the table, the file that `<NAME>_FILE` names for a secret, and the files that settings themselves name. An empty
 * variable counts as unset, because compose files and charts pass such variables.
 */
export function readEnvironment(
  env: Environment,
  readFile: (path: string) => string = (path) => readFileSync(path, 'utf8'),
): RawSettings {
  const texts = new Map<string, string>();
  const faults: string[] = [];
  const readInto = (name: string, variable: string, path: string): void => {
    try {
      texts.set(name, readFile(path).trim());
    } catch (error) {
      faults.push(`${variable} cannot be read: ${faultOf(error)}`);
      // So that the setting is not also reported as missing.
      texts.set(name, '');
    }
  };
  for (const { name, secret, namesFile } of Object.values(settings)) {
    const text = env[name];
    const file = secret ? env[`${name}_FILE`] : undefined;
    const hasText = text !== undefined && text !== '';
    if (file !== undefined && file !== '') {
      if (hasText) faults.push(`${name} and ${name}_FILE are both set`);
      readInto(name, `${name}_FILE`, file);
    } else if (hasText && namesFile) {
      readInto(name, name, text);
    } else if (hasText) {
      texts.set(name, text);
    }
  }
  return { texts, faults };
}

class SettingsReader {
  readonly #raw: RawSettings;
  readonly faults: string[];

  constructor(raw: RawSettings) {
    this.#raw = raw;
    this.faults = [...raw.faults];
  }

  /** The value, or undefined if the setting is unset or faulty; the fault is recorded. */
  read<Key extends SettingKey>(key: Key): SettingValue<Key> | undefined {
    const setting = settings[key] as Setting<SettingValue<Key>>;
    const text = this.#raw.texts.get(setting.name) ?? setting.defaultText;
    if (text === undefined) {
      const file = setting.secret ? ` (or ${setting.name}_FILE)` : '';
      this.faults.push(`${setting.name}${file} is required: ${setting.meaning}`);
    }
    const fromUnreadableFile = text === '' && this.#raw.faults.length > 0;
    if (text === undefined || text === null || fromUnreadableFile) return undefined;
    try {
      return setting.parse(text);
    } catch (error) {
      this.faults.push(`${setting.name} ${faultOf(error)}`);
      return undefined;
    }
  }

  /** For settings with a default, or required ones. The type excludes undefined, which is true once `faults` is empty. */
  must<Key extends SettingKey>(key: Key): SettingValue<Key> {
    return this.read(key) as SettingValue<Key>;
  }

  finish(): void {
    if (this.faults.length > 0) throw new ConfigError(this.faults);
  }
}

function readDatabase(reader: SettingsReader): DatabaseConfig {
  return {
    url: reader.must('databaseUrl'),
    poolMax: reader.must('databasePoolMax'),
    connectTimeoutMs: reader.must('databaseConnectTimeoutMs'),
    statementTimeoutMs: reader.must('databaseStatementTimeoutMs'),
  };
}

function readRedis(reader: SettingsReader): RedisConfig {
  return {
    url: reader.must('redisUrl'),
    prefix: reader.must('redisPrefix'),
    commandTimeoutMs: reader.must('redisCommandTimeoutMs'),
    ca: reader.read('redisCa'),
  };
}

const everyAddress = new Set(['0.0.0.0', '::', '[::]']);

function readListen(reader: SettingsReader): ListenConfig {
  const host = reader.must('host');
  return {
    host,
    port: reader.must('port'),
    internalPort: reader.must('internalPort'),
    advertisedHost: reader.read('advertisedHost') ?? (everyAddress.has(host) ? hostname() : host),
  };
}

function readNodeId(reader: SettingsReader, service: string, isAlone: boolean): string {
  const given = reader.read('nodeId');
  if (given === undefined) return `${service}-${randomBytes(5).toString('hex')}`;
  return isAlone ? given : `${given}-${service}`;
}

function readQueues(reader: SettingsReader): QueueConfig {
  const queues = {
    lifetimeSecs: reader.must('queueLifetimeSecs'),
    lifetimeMaxSecs: reader.must('queueLifetimeMaxSecs'),
    perUserMax: reader.must('queuesPerUserMax'),
    heartbeatMinMs: reader.must('heartbeatMinMs'),
    heartbeatMaxMs: reader.must('heartbeatMaxMs'),
    outageGraceMs: reader.must('queueOutageGraceMs'),
    stream: {
      lifetimeMs: reader.must('eventStreamLifetimeMs'),
      unreadMaxBytes: reader.must('eventStreamUnreadMaxBytes'),
      stallMs: reader.must('eventStreamStallMs'),
    },
  };
  if (queues.heartbeatMinMs > queues.heartbeatMaxMs) {
    reader.faults.push(`${settings.heartbeatMinMs.name} is above ${settings.heartbeatMaxMs.name}`);
  }
  if (queues.lifetimeSecs > queues.lifetimeMaxSecs) {
    reader.faults.push(
      `${settings.queueLifetimeSecs.name} is above ${settings.queueLifetimeMaxSecs.name}`,
    );
  }
  return queues;
}

function readFiles(reader: SettingsReader): FilesConfig | undefined {
  const path = reader.read('uploadsDir');
  const bucket = reader.read('s3Bucket');
  const accessKeyId = reader.read('s3AccessKeyId');
  const secretAccessKey = reader.read('s3SecretAccessKey');
  if ((accessKeyId === undefined) !== (secretAccessKey === undefined)) {
    reader.faults.push(
      `${settings.s3AccessKeyId.name} and ${settings.s3SecretAccessKey.name} belong together`,
    );
  }
  if (path !== undefined && bucket !== undefined) {
    reader.faults.push(`${settings.uploadsDir.name} and ${settings.s3Bucket.name} are both set`);
  }
  if (path !== undefined) return { kind: 'directory', path };
  if (bucket === undefined) return undefined;
  return {
    kind: 'bucket',
    bucket,
    endpoint: reader.read('s3Endpoint'),
    region: reader.must('s3Region'),
    credentials:
      accessKeyId === undefined || secretAccessKey === undefined
        ? undefined
        : { accessKeyId, secretAccessKey },
  };
}

const developmentSender: MailSender = { name: 'Parley', address: 'parley@localhost' };

function readMail(reader: SettingsReader, mode: ServiceConfig['mode']): MailConfig | undefined {
  const url = reader.read('smtpUrl');
  const ca = reader.read('smtpCa');
  const from = reader.read('mailFrom');
  const path = reader.read('mailDir');
  if (path !== undefined && url !== undefined)
    reader.faults.push(`${settings.mailDir.name} and ${settings.smtpUrl.name} are both set`);
  if (path !== undefined && mode === 'production')
    reader.faults.push(`${settings.mailDir.name} is for ${settings.mode.name}=development only`);
  if (url !== undefined && from === undefined)
    reader.faults.push(`${settings.mailFrom.name} is required with ${settings.smtpUrl.name}`);
  if (url !== undefined && from !== undefined) return { from, by: { kind: 'smtp', url, ca } };
  if (path !== undefined) return { from: from ?? developmentSender, by: { kind: 'folder', path } };
  return undefined;
}

function readMailAnswers(reader: SettingsReader): MailAnswersConfig | undefined {
  const addresses = reader.read('mailReplyAddress');
  const days = reader.must('mailReplyDays');
  const lmtp = { host: reader.must('lmtpHost'), port: reader.must('lmtpPort') };
  return addresses === undefined ? undefined : { addresses, days, lmtp };
}

const mib = 1024 * 1024;

function readUploads(reader: SettingsReader): UploadsConfig {
  const files = readFiles(reader);
  const quotaMib = reader.read('uploadQuotaMib');
  return {
    files,
    fileMaxBytes: reader.must('uploadMaxMib') * mib,
    quotaBytes: quotaMib === undefined ? undefined : quotaMib * mib,
  };
}

function readLimits(
  reader: SettingsReader,
): Pick<
  ServiceConfig,
  'rateLimits' | 'loginLimits' | 'strangerLimits' | 'singleSignOnLimits' | 'scimLimits'
> {
  const rateLimits = reader.must('rateLimits');
  const loginLimits = reader.must('loginLimits');
  const strangerLimits = reader.must('strangerLimits');
  const singleSignOnLimits = reader.must('singleSignOnLimits');
  const scimLimits = reader.must('scimLimits');
  const areOff = reader.faults.length === 0 && rateLimits.length === 0;
  return {
    rateLimits,
    loginLimits: areOff ? [] : loginLimits,
    strangerLimits: areOff ? [] : strangerLimits,
    singleSignOnLimits: areOff ? [] : singleSignOnLimits,
    scimLimits: areOff ? [] : scimLimits,
  };
}

/** A second secret. If it equals the first it counts as unset, because the compose file always names a file for it. */
function readOther(
  reader: SettingsReader,
  key: 'internalSecretPrevious' | 'keySecretPrevious',
  current: Secret | undefined,
): Secret | undefined {
  const other = reader.read(key);
  return other?.reveal() === current?.reveal() ? undefined : other;
}

function deepFreeze<Value extends object>(value: Value): Value {
  for (const member of Object.values(value)) {
    if (typeof member === 'object' && member !== null) deepFreeze(member as object);
  }
  return Object.freeze(value);
}

/**
 * The pure step from texts to a config.
 *
 * @param isAlone whether the service has its process for itself. Of several in one process, the gateway has the port, and the others any free
 *   one; a name of the process is followed by that of the service
 * @throws ConfigError with every fault
 */
export function serviceConfigFrom(
  raw: RawSettings,
  service: string,
  isAlone: boolean = true,
): ServiceConfig {
  const reader = new SettingsReader(raw);
  const mode = reader.must('mode');
  const internalSecret = reader.must('internalSecret');
  const keySecret = reader.must('keySecret');
  const internalSecretPrevious = readOther(reader, 'internalSecretPrevious', internalSecret);
  const config: ServiceConfig = {
    service,
    nodeId: readNodeId(reader, service, isAlone),
    mode,
    logLevel: reader.must('logLevel'),
    publicUrl: reader.must('publicUrl'),
    listen: { ...readListen(reader), ...(!isAlone && service !== 'gateway' && { port: 0 }) },
    database: readDatabase(reader),
    redis: readRedis(reader),
    internalSecrets: [
      internalSecret,
      ...(internalSecretPrevious === undefined ? [] : [internalSecretPrevious]),
    ],
    keySecret,
    keySecretPrevious: readOther(reader, 'keySecretPrevious', keySecret),
    ...readLimits(reader),
    budgetsPerOwnerMax: reader.must('budgetsPerOwnerMax'),
    botsPerOwnerMax: reader.must('botsPerOwnerMax'),
    sessionIdleSecs: reader.must('sessionIdleDays') * 86_400,
    newStreamsPerRequestMax: reader.must('newStreamsPerRequestMax'),
    participantsMax: reader.must('participantsMax'),
    mailLimits: {
      perAccount: reader.must('mailLimitsPerAccount'),
      perDomain: reader.must('mailLimitsPerDomain'),
      inAll: reader.must('mailLimits'),
    },
    lists: {
      accountsMax: reader.must('accountsMax'),
      botsMax: reader.must('botsMax'),
      streamsMax: reader.must('streamsMax'),
      subscriptionsMax: reader.must('subscriptionsMax'),
      textsMaxBytes: reader.must('listTextsMaxKib') * 1024,
      newStreamsPerDayMax: reader.must('newStreamsPerDayMax'),
      newSubscriptionsPerDayMax: reader.must('newSubscriptionsPerDayMax'),
      newBotsPerDayMax: 2 * reader.must('botsPerOwnerMax'),
    },
    identityProviders: reader.must('identityProviders'),
    passwordsAtOnceMax: reader.must('passwordsAtOnceMax'),
    trustedProxies: reader.read('trustedProxies') ?? [],
    allowedOrigins: reader.must('allowedOrigins'),
    webFolder: reader.read('webFolder'),
    queues: readQueues(reader),
    uploads: readUploads(reader),
    outgoingWebhooks: {
      allowedNetworks: reader.read('outgoingWebhookAllowedNetworks') ?? [],
      timeoutMs: reader.must('outgoingWebhookTimeoutMs'),
    },
    mail: readMail(reader, mode),
    mailAnswers: readMailAnswers(reader),
    searchTimeoutMs: reader.must('searchTimeoutMs'),
    heldBodiesMaxBytes: reader.must('heldBodiesMaxMib') * mib,
    requestTimeoutMs: reader.must('requestTimeoutMs'),
    upstreamTimeoutMs: reader.must('upstreamTimeoutMs'),
    startLimitMs: reader.must('startLimitMs'),
    drainTimeoutMs: reader.must('drainTimeoutMs'),
    checkAnswers: reader.read('checkAnswers') ?? mode === 'development',
    demo: reader.read('demo') ?? mode === 'development',
  };
  reader.finish();
  return deepFreeze(config);
}

/**
 * Reads the configuration of a service or tool from an environment.
 *
 * @param isAlone whether it has its process for itself, as for `serviceConfigFrom`
 * @throws ConfigError with every fault
 */
export function readServiceConfig(
  env: Environment,
  service: string,
  isAlone: boolean = true,
): ServiceConfig {
  return serviceConfigFrom(readEnvironment(env), service, isAlone);
}

function readPart<Part extends object | undefined>(
  env: Environment,
  read: (reader: SettingsReader) => Part,
): Part {
  const reader = new SettingsReader(readEnvironment(env));
  const part = read(reader);
  reader.finish();
  return part === undefined ? part : deepFreeze(part);
}

/**
 * Reads only the settings for a tool that uses the database alone, such as the migrations.
 *
 * @throws ConfigError with every fault
 */
export function readDatabaseConfig(env: Environment): DatabaseConfig {
  return readPart(env, readDatabase);
}

/**
 * Reads only the address of Redis, for a check of Redis alone.
 *
 * @throws ConfigError with every fault
 */
export function readRedisConfig(env: Environment): RedisConfig {
  return readPart(env, readRedis);
}

/**
 * Reads only the place of files; undefined if none is set.
 *
 * @throws ConfigError with every fault
 */
export function readFilesConfig(env: Environment): FilesConfig | undefined {
  return readPart(env, readFiles);
}

/**
 * Reads only how mails leave; undefined if none are sent.
 *
 * @throws ConfigError with every fault
 */
export function readMailConfig(env: Environment): MailConfig | undefined {
  return readPart(env, (reader) => readMail(reader, reader.must('mode')));
}

/**
 * Reads only how mails are answered; undefined if they cannot be.
 *
 * @throws ConfigError with every fault
 */
export function readMailAnswersConfig(env: Environment): MailAnswersConfig | undefined {
  return readPart(env, readMailAnswers);
}

/**
 * Reads only the OpenID providers.
 *
 * @throws ConfigError with every fault
 */
export function readIdentityProviders(env: Environment): readonly IdentityProviderConfig[] {
  return readPart(env, (reader) => reader.must('identityProviders'));
}
