import { parseAnswerAddresses } from './answer-addresses.ts';
import { parseMailSender } from './mail-sender.ts';
import {
  parseAddressRanges,
  parseAllowedOrigins,
  parsePublicUrl,
  parseRateLimits,
} from './parse-settings.ts';
import {
  anySecret,
  certificatesFile,
  choice,
  identityProviderList,
  longSecret,
  onOrOff,
  plainText,
  postgresAddress,
  redisAddress,
  secondsAsMs,
  setting,
  smtpAddress,
  wholeNumber,
} from './setting-kinds.ts';

/**
 * The table of all settings, used to read, describe and document them. Names begin with `PARLEY_` (except for the two store addresses) and
 * end with the unit.
 */

const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
export type LogLevel = (typeof logLevels)[number];

/** No queue may be idle for longer, whatever the settings say, because the log is kept for this time (reference facts, events 2). */
export const queueLifetimeBoundSecs = 604_800;

export const settings = {
  mode: choice('PARLEY_MODE', ['development', 'production'], {
    default: 'production',
    meaning:
      'development offers the endpoints for developers and checks every answer; production does neither',
  }),
  databaseUrl: postgresAddress('DATABASE_URL', {
    meaning:
      'the Postgres database, with user and password, and with sslmode=verify-full and sslrootcert=FILE for TLS',
  }),
  databasePoolMax: wholeNumber('PARLEY_DATABASE_POOL_MAX', [1, 1000], {
    default: '8',
    meaning: 'most connections to Postgres that a process opens for requests',
  }),
  databaseConnectTimeoutMs: secondsAsMs('PARLEY_DATABASE_CONNECT_TIMEOUT_SECS', [0.1, 300], {
    default: '3',
    meaning:
      'longest wait for a connection to Postgres, including the wait for a free one in the pool',
  }),
  databaseStatementTimeoutMs: secondsAsMs('PARLEY_DATABASE_STATEMENT_TIMEOUT_SECS', [0.1, 3600], {
    default: '15',
    meaning: 'longest run of one statement of a request',
  }),
  redisUrl: redisAddress('REDIS_URL', {
    meaning:
      'redis://HOST, redis+sentinel://HOST,HOST,HOST/NAME or redis+cluster://HOST,HOST,HOST, with user and password; rediss instead of redis for TLS',
  }),
  redisCa: certificatesFile('PARLEY_REDIS_CA_FILE', {
    default: null,
    meaning:
      'PEM file of the certificate authorities for Redis; unset: those of Node, including NODE_EXTRA_CA_CERTS',
  }),
  redisPrefix: plainText(
    'PARLEY_REDIS_PREFIX',
    /^[\w-]{1,60}$/,
    'must be 1 to 60 letters, digits, _ or -',
    {
      default: 'parley',
      meaning: 'prefix of every key and channel in Redis',
    },
  ),
  redisCommandTimeoutMs: secondsAsMs('PARLEY_REDIS_COMMAND_TIMEOUT_SECS', [0.05, 60], {
    default: '0.5',
    meaning: 'longest wait of a request for Redis',
  }),
  host: plainText('PARLEY_HOST', /^\S{1,255}$/, 'must be a host name or address', {
    default: '127.0.0.1',
    meaning: 'address on which both servers of the process listen',
  }),
  port: wholeNumber('PARLEY_PORT', [0, 65_535], {
    default: '0',
    meaning: 'port of the service; 0 is any free one',
  }),
  internalPort: wholeNumber('PARLEY_INTERNAL_PORT', [0, 65_535], {
    default: '0',
    meaning: 'port of /health/live, /health/ready and /metrics; 0 is any free one',
  }),
  advertisedHost: plainText(
    'PARLEY_ADVERTISED_HOST',
    /^\S{1,255}$/,
    'must be a host name or address',
    {
      default: null,
      meaning:
        'host under which other processes reach this one; unset: PARLEY_HOST, or the machine name where that is every address',
    },
  ),
  internalSecret: longSecret('PARLEY_INTERNAL_SECRET', {
    meaning: 'signs the identity that the gateway sends to services; the same in every process',
  }),
  internalSecretPrevious: longSecret('PARLEY_INTERNAL_SECRET_PREVIOUS', {
    default: null,
    meaning: 'the previous or next PARLEY_INTERNAL_SECRET, accepted too while it is being replaced',
  }),
  keySecret: longSecret('PARLEY_KEY_SECRET', {
    meaning:
      'hashes and encrypts API keys; the same in every process, for as long as the database exists',
  }),
  keySecretPrevious: longSecret('PARLEY_KEY_SECRET_PREVIOUS', {
    default: null,
    meaning:
      'the previous or next PARLEY_KEY_SECRET, accepted for reading too while it is being replaced',
  }),
  publicUrl: setting(
    'PARLEY_PUBLIC_URL',
    {
      default: 'http://127.0.0.1:9991',
      meaning: 'address under which clients reach the gateway',
    },
    parsePublicUrl,
  ),
  logLevel: choice('PARLEY_LOG_LEVEL', logLevels, {
    default: 'info',
    meaning: 'lowest level that is logged',
  }),
  nodeId: plainText(
    'PARLEY_NODE_ID',
    /^[\w.-]{1,60}$/,
    'must be 1 to 60 letters, digits, _, . or -',
    {
      default: null,
      meaning: 'name of this process in logs and leases, unique; unset: a random one',
    },
  ),
  rateLimits: setting(
    'PARLEY_RATE_LIMITS',
    {
      default: '60:200',
      meaning:
        'requests per user, as seconds:requests pairs separated by commas, and five times as many for files; off for no limit, also of failed logins',
    },
    parseRateLimits,
  ),
  budgetsPerOwnerMax: wholeNumber('PARLEY_BUDGETS_PER_OWNER_MAX', [1, 1000], {
    default: '5',
    meaning:
      'requests and event queues that an owner and all the bots may use together, as a multiple of the limit of one user',
  }),
  botsPerOwnerMax: wholeNumber('PARLEY_BOTS_PER_OWNER_MAX', [1, 1_000_000], {
    default: '50',
    meaning:
      'most active bots of one owner, who may create twice as many in a day (UTC); existing bots stay active when it is lowered',
  }),
  sessionIdleDays: wholeNumber('PARLEY_SESSION_IDLE_DAYS', [1, 3650], {
    default: '30',
    meaning: 'days after its last use when the session of a browser ends',
  }),
  participantsMax: wholeNumber('PARLEY_PRIVATE_PARTICIPANTS_MAX', [2, 600], {
    default: '100',
    meaning:
      'most people of a private message or typing notice, its sender among them; larger conversations that exist can be read',
  }),
  newStreamsPerRequestMax: wholeNumber('PARLEY_NEW_STREAMS_PER_REQUEST_MAX', [1, 50_000], {
    default: '100',
    meaning: 'most streams that one request may create, except for administrators',
  }),
  newStreamsPerDayMax: wholeNumber('PARLEY_NEW_STREAMS_PER_DAY_MAX', [1, 1_000_000], {
    default: '200',
    meaning:
      'most streams that an owner and the bots may create in a day (UTC) together, except for administrators',
  }),
  newSubscriptionsPerDayMax: wholeNumber('PARLEY_NEW_SUBSCRIPTIONS_PER_DAY_MAX', [1, 10_000_000], {
    default: '20000',
    meaning:
      'most subscriptions, of others too, that an owner and the bots may make in a day (UTC) together, except for administrators',
  }),
  streamsMax: wholeNumber('PARLEY_STREAMS_MAX', [1, 1_000_000], {
    default: '1500',
    meaning: 'most streams; those that were deleted do not count',
  }),
  subscriptionsMax: wholeNumber('PARLEY_SUBSCRIPTIONS_MAX', [1, 100_000_000], {
    default: '200000',
    meaning: 'most subscriptions of all accounts together',
  }),
  accountsMax: wholeNumber('PARLEY_ACCOUNTS_MAX', [1, 10_000_000], {
    default: '4000',
    meaning: 'most people and bots, active or not',
  }),
  botsMax: wholeNumber('PARLEY_BOTS_MAX', [1, 10_000_000], {
    default: '1000',
    meaning: 'most bots of all owners together, active or not',
  }),
  listTextsMaxKib: wholeNumber('PARLEY_LIST_TEXTS_MAX_KIB', [64, 1_048_576], {
    default: '384',
    meaning:
      'most that the texts of each list that everybody gets may take together, in KiB: the names of all accounts, the texts of all streams, profiles, groups and so on; who is no administrator may add a sixteenth of it in a day (UTC)',
  }),
  loginLimits: setting(
    'PARLEY_LOGIN_LIMITS',
    {
      default: '60:10',
      meaning:
        'failed logins per account name, wrong passwords and wrong keys separately, as seconds:logins pairs separated by commas; off for no limit',
    },
    parseRateLimits,
  ),
  mailLimitsPerAccount: setting(
    'PARLEY_MAIL_LIMITS_PER_ACCOUNT',
    {
      default: '3600:100,86400:300',
      meaning:
        'mails with links that an owner and the bots may cause, such as invitations, as seconds:mails pairs separated by commas, in windows from midnight UTC on; off for no limit; not for administrators',
    },
    parseRateLimits,
  ),
  mailLimitsPerDomain: setting(
    'PARLEY_MAIL_LIMITS_PER_DOMAIN',
    {
      default: '3600:500',
      meaning: 'the same to all addresses of one domain, whoever causes them',
    },
    parseRateLimits,
  ),
  mailLimits: setting(
    'PARLEY_MAIL_LIMITS',
    {
      default: '3600:1000,86400:5000',
      meaning:
        'the same of the whole server; links for new passwords, and those by which strangers join, are counted apart, by domain and in all, so that neither uses up other mails',
    },
    parseRateLimits,
  ),
  strangerLimits: setting(
    'PARLEY_STRANGER_LIMITS',
    {
      default: '600:20',
      meaning:
        'requests without an account from one client address that send a mail or try a secret of one, as seconds:requests pairs separated by commas; off for no limit',
    },
    parseRateLimits,
  ),
  singleSignOnLimits: setting(
    'PARLEY_SSO_LIMITS',
    {
      default: '600:300',
      meaning:
        'sign-ins by single sign-on that one client address may begin, as seconds:requests pairs separated by commas; off for no limit',
    },
    parseRateLimits,
  ),
  identityProviders: identityProviderList('PARLEY_OIDC_PROVIDERS', {
    default: '[]',
    meaning:
      'the OpenID providers by which people sign in, as a JSON list (docs/single-sign-on.md)',
  }),
  scimLimits: setting(
    'PARLEY_SCIM_LIMITS',
    {
      default: '60:1500',
      meaning:
        'requests of one SCIM token, as seconds:requests pairs separated by commas; off for no limit',
    },
    parseRateLimits,
  ),
  passwordsAtOnceMax: wholeNumber('PARLEY_PASSWORDS_AT_ONCE', [1, 10_000], {
    default: '4',
    meaning:
      'passwords of one client address that a gateway checks at a time; others wait for up to five seconds, account names in turn',
  }),
  trustedProxies: setting(
    'PARLEY_TRUSTED_PROXIES',
    {
      default: null,
      meaning:
        'addresses and ranges, separated by commas, of proxies in front of the gateway, whose X-Forwarded-For is trusted for the client address; unset: none, and all clients of a proxy count as one address, whose passwords wait for one another',
    },
    parseAddressRanges,
  ),
  allowedOrigins: setting(
    'PARLEY_ALLOWED_ORIGINS',
    {
      default: '*',
      meaning:
        'origins, separated by commas, whose pages may call the interface from a browser; * for all, none for only its own',
    },
    parseAllowedOrigins,
  ),
  heartbeatMinMs: secondsAsMs('PARLEY_HEARTBEAT_MIN_SECS', [0.05, 3600], {
    default: '45',
    meaning: 'shortest time after which a held poll is answered with a heartbeat',
  }),
  heartbeatMaxMs: secondsAsMs('PARLEY_HEARTBEAT_MAX_SECS', [0.05, 3600], {
    default: '55',
    meaning:
      'longest time after which a held poll is answered; clients give up after 90 s, proxies after 60 s',
  }),
  queueLifetimeSecs: wholeNumber('PARLEY_QUEUE_LIFETIME_SECS', [1, queueLifetimeBoundSecs], {
    default: '600',
    meaning: 'default idle lifetime of an event queue',
  }),
  queueLifetimeMaxSecs: wholeNumber('PARLEY_QUEUE_LIFETIME_MAX_SECS', [1, queueLifetimeBoundSecs], {
    default: String(queueLifetimeBoundSecs),
    meaning: 'longest idle lifetime that a client may request',
  }),
  queuesPerUserMax: wholeNumber('PARLEY_QUEUES_PER_USER_MAX', [1, 1_000_000], {
    default: '1000',
    meaning: 'most event queues of one user',
  }),
  queueOutageGraceMs: secondsAsMs('PARLEY_QUEUE_OUTAGE_GRACE_SECS', [0, 86_400], {
    default: '600',
    meaning: 'time after an outage of Postgres in which no idle event queue ends',
  }),
  eventStreamLifetimeMs: secondsAsMs('PARLEY_EVENT_STREAM_LIFETIME_SECS', [0.1, 86_400], {
    default: '3600',
    meaning: 'time after which a stream of events ends; its client reconnects',
  }),
  eventStreamUnreadMaxBytes: wholeNumber(
    'PARLEY_EVENT_STREAM_UNREAD_MAX_BYTES',
    [65_536, 67_108_864],
    {
      default: '1048576',
      meaning:
        'bytes that the client of a stream of events may leave unread; with more when events come it is disconnected, and reconnects',
    },
  ),
  eventStreamStallMs: secondsAsMs('PARLEY_EVENT_STREAM_STALL_SECS', [0.1, 600], {
    default: '10',
    meaning: 'time after which the client of a stream of events that reads nothing is disconnected',
  }),
  webFolder: plainText('PARLEY_WEB_DIR', /^\/[^\0]*$/, 'must be an absolute path', {
    default: null,
    meaning:
      'folder of the built web client, which gateways serve at /; unset: packages/web/dist of this installation',
  }),
  uploadsDir: plainText('PARLEY_UPLOADS_DIR', /^\/[^\0]*$/, 'must be an absolute path', {
    default: null,
    meaning:
      'folder of uploaded files, the same for every replica of messages and people; one of this and PARLEY_S3_BUCKET is required there',
  }),
  s3Bucket: plainText(
    'PARLEY_S3_BUCKET',
    /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/,
    'must be the name of a bucket',
    {
      default: null,
      meaning: 'bucket of uploaded files, in Amazon S3 or a compatible store',
    },
  ),
  s3Endpoint: setting(
    'PARLEY_S3_ENDPOINT',
    { default: null, meaning: 'address of the bucket store; unset: that of Amazon S3' },
    parsePublicUrl,
  ),
  s3Region: plainText('PARLEY_S3_REGION', /^[\w-]{1,60}$/, 'must be the name of a region', {
    default: 'us-east-1',
    meaning: 'region of the bucket',
  }),
  s3AccessKeyId: anySecret('PARLEY_S3_ACCESS_KEY_ID', {
    default: null,
    meaning: 'name of the key to the bucket',
  }),
  s3SecretAccessKey: anySecret('PARLEY_S3_SECRET_ACCESS_KEY', {
    default: null,
    meaning: 'secret of the key to the bucket',
  }),
  uploadMaxMib: wholeNumber('PARLEY_MAX_UPLOAD_MIB', [1, 4096], {
    default: '25',
    meaning: 'largest file that may be uploaded, in MiB',
  }),
  uploadQuotaMib: wholeNumber('PARLEY_UPLOAD_QUOTA_MIB', [1, 1_000_000_000], {
    default: null,
    meaning: 'most that all uploaded files may take together, in MiB; unset: no limit',
  }),
  searchTimeoutMs: secondsAsMs('PARLEY_SEARCH_TIMEOUT_SECS', [0.001, 3600], {
    // A request can need two statements, and must be answered before the gateway abandons it.
    default: '3',
    meaning:
      'longest time of a statement that searches for words, or has more terms than usual; a request that needs more is refused',
  }),
  outgoingWebhookAllowedNetworks: setting(
    'PARLEY_OUTGOING_WEBHOOK_ALLOWED_NETWORKS',
    {
      default: null,
      meaning:
        'addresses and ranges, separated by commas, that outgoing webhooks may call although they are not public, such as 10.20.0.0/16; unset: none',
    },
    parseAddressRanges,
  ),
  outgoingWebhookTimeoutMs: secondsAsMs('PARLEY_OUTGOING_WEBHOOK_TIMEOUT_SECS', [0.1, 20], {
    default: '10',
    meaning:
      'longest wait for the beginning of the answer to an outgoing webhook; a whole call, including redirects, may take twice that',
  }),
  smtpUrl: smtpAddress('PARLEY_SMTP_URL', {
    default: null,
    meaning:
      'the server that takes mails, with user and password if it wants them: smtps://HOST for TLS from the start, smtp://HOST for TLS by STARTTLS, without which nothing is sent, smtp+plain://HOST for none, which takes a password only on the same machine; unset: no mails are sent',
  }),
  smtpCa: certificatesFile('PARLEY_SMTP_CA_FILE', {
    default: null,
    meaning:
      'PEM file of the certificate authorities for that server; unset: those of Node, including NODE_EXTRA_CA_CERTS',
  }),
  mailFrom: setting(
    'PARLEY_MAIL_FROM',
    {
      default: null,
      meaning:
        'sender of mails, an address or NAME <ADDRESS>; required with PARLEY_SMTP_URL; unset in development: parley@localhost',
    },
    parseMailSender,
  ),
  mailDir: plainText('PARLEY_MAIL_DIR', /^\/[^\0]*$/, 'must be an absolute path', {
    default: null,
    meaning:
      'in development, folder that keeps mails in place of sending them, the same for people and gateway, which shows them at /dev/mails',
  }),
  mailReplyAddress: setting(
    'PARLEY_MAIL_REPLY_ADDRESS',
    {
      default: null,
      meaning:
        'address for answers to mails about messages, with % in the place of a token, such as reply+%@chat.example; what is sent there must come to messages by LMTP (docs/mail.md); unset: these mails cannot be answered',
    },
    parseAnswerAddresses,
  ),
  mailReplyDays: wholeNumber('PARLEY_MAIL_REPLY_DAYS', [1, 365], {
    default: '30',
    meaning: 'days for which a message can be answered by mail',
  }),
  lmtpHost: plainText('PARLEY_LMTP_HOST', /^\S{1,255}$/, 'must be a host name or address', {
    default: '127.0.0.1',
    meaning: 'address on which messages takes these answers by LMTP, without TLS or a login',
  }),
  lmtpPort: wholeNumber('PARLEY_LMTP_PORT', [0, 65_535], {
    default: '9924',
    meaning: 'port for LMTP; 0 is any free one',
  }),
  heldBodiesMaxMib: wholeNumber('PARLEY_HELD_BODIES_MIB', [96, 65_536], {
    // Decoded bodies take several times as much; a container of half a gigabyte can hold this besides its other work.
    default: '96',
    meaning:
      'most memory for the request bodies of a process, in MiB, of which one sender may use a third, and small bodies another third; above it requests are answered with 503',
  }),
  requestTimeoutMs: secondsAsMs('PARLEY_REQUEST_TIMEOUT_SECS', [1, 3600], {
    default: '60',
    meaning: 'longest time for a request with its body to arrive',
  }),
  upstreamTimeoutMs: secondsAsMs('PARLEY_UPSTREAM_TIMEOUT_SECS', [0.1, 3600], {
    // Clients abandon an ordinary call after 15 seconds, and the gateway may ask a second node.
    default: '7',
    meaning:
      'longest wait of the gateway for a service, and twice that for all attempts together; for held polls the heartbeat is added',
  }),
  startLimitMs: secondsAsMs('PARLEY_START_LIMIT_SECS', [0, 86_400], {
    default: '300',
    meaning:
      'longest start of a process that waits for a store which is away or slow; then the process ends',
  }),
  drainTimeoutMs: secondsAsMs('PARLEY_DRAIN_TIMEOUT_SECS', [0.1, 600], {
    default: '8',
    meaning: 'longest time that a stopping process gives its remaining requests',
  }),
  checkAnswers: onOrOff('PARLEY_CHECK_ANSWERS', {
    default: null,
    meaning: 'whether every answer is checked against its declaration; unset: on in development',
  }),
  demo: onOrOff('PARLEY_DEMO', {
    default: null,
    meaning:
      'whether the demo organization is created in an empty database; unset: on in development',
  }),
} as const;

export type SettingKey = keyof typeof settings;

export type SettingValue<Key extends SettingKey> = ReturnType<(typeof settings)[Key]['parse']>;
