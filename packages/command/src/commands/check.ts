import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';

import { systemClock } from '@parley/clock';
import {
  ConfigError,
  readDatabaseConfig,
  readFilesConfig,
  readIdentityProviders,
  readMailAnswersConfig,
  readMailConfig,
  readRedisConfig,
} from '@parley/config';
import type { Environment, IdentityProviderConfig } from '@parley/config';
import { checkSchemaVersion, codeSchemaVersion, readSchemaVersion } from '@parley/database';
import type { Pool } from '@parley/database';
import { openFileStore } from '@parley/files';
import { openMailTransport } from '@parley/outgoing/mail';
import { OpenIdProvider } from '@parley/auth/openid';
import { connectForRequests } from '@parley/cluster/redis';
import { deriveKeySecrets } from '@parley/auth/secrets';
import { countSearchBacklog, countStoredSecrets, sumStoredSecrets } from '@parley/store';

import type { Command } from '../command.ts';
import { commandLogger, openPool, readConfig } from '../connections.ts';
import { CommandFault, describeCause } from '../faults.ts';

type Finding = {
  readonly what: string;
  readonly faults: readonly string[];
  /** The finding if nothing is wrong. */
  readonly found: string;
};

/** Runs one check; an error becomes its finding. */
async function look(what: string, work: () => Promise<string>): Promise<Finding> {
  try {
    return { what, faults: [], found: await work() };
  } catch (error) {
    const faults = error instanceof ConfigError ? error.faults : [faultOf(error)];
    return { what, faults, found: '' };
  }
}

function faultOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  const text = describeCause(error);
  return cause === undefined || error instanceof CommandFault
    ? text
    : `${text}: ${describeCause(cause)}`;
}

/** The oldest tested release of Postgres. */
const postgresMin = 170_000;

async function lookAtPostgres(pool: Pool): Promise<string> {
  const { rows } = await pool.query<{ version: string; number: number; encoding: string }>(
    `SELECT current_setting('server_version') AS version, current_setting('server_version_num')::integer AS number,
       current_setting('server_encoding') AS encoding`,
  );
  const server = rows[0];
  if (server === undefined) throw new Error('Postgres reported no settings');
  if (server.encoding !== 'UTF8')
    throw new CommandFault(
      `the database is encoded in ${server.encoding}: make it again with ENCODING 'UTF8'`,
    );
  if (server.number < postgresMin)
    throw new CommandFault(`Postgres ${server.version} is too old: 17 or newer is needed`);
  return `Postgres ${server.version}`;
}

async function lookAtSchema(pool: Pool): Promise<string> {
  await checkSchemaVersion(pool);
  const version = await readSchemaVersion(pool);
  const newer = version === codeSchemaVersion ? '' : `, this release brings ${codeSchemaVersion}`;
  return `version ${version ?? 0}${newer}`;
}

/** A key that cannot be decrypted was stored under another secret; its account cannot sign in. */
async function lookAtKeySecret(pool: Pool, env: Environment): Promise<string> {
  const { keySecret, keySecretPrevious } = readConfig(env);
  const secrets = deriveKeySecrets(keySecret.reveal(), keySecretPrevious?.reveal());
  const { current, previous, unreadable } = sumStoredSecrets(
    await countStoredSecrets(pool, secrets),
  );
  if (unreadable > 0 && current + previous === 0)
    throw new CommandFault(
      'PARLEY_KEY_SECRET is not the one under which the secrets in the database were stored',
    );
  if (unreadable > 0)
    throw new CommandFault(
      `${unreadable} of ${current + previous + unreadable} stored secrets are under a PARLEY_KEY_SECRET that is not set here: give it as PARLEY_KEY_SECRET_PREVIOUS, and run parley key reencrypt`,
    );
  if (previous > 0)
    return `opens what is stored; ${previous} of ${current + previous} are under PARLEY_KEY_SECRET_PREVIOUS (parley key reencrypt)`;
  return current === 0 ? 'nothing is stored under it yet' : 'opens the stored keys';
}

async function lookAtSearch(pool: Pool): Promise<string> {
  const left = await countSearchBacklog(pool);
  return left === 0
    ? 'finds all messages by all their words'
    : `the words of ${left} messages at most are still to be made, by the service messages`;
}

async function lookAtRedis(env: Environment): Promise<string> {
  const config = readRedisConfig(env);
  const redis = connectForRequests(config, commandLogger(), systemClock);
  const { promise, resolve, reject } = Promise.withResolvers<undefined>();
  redis.once('ready', () => resolve(undefined));
  redis.once('error', (error: Error) =>
    reject(
      'lastNodeError' in error ? new Error(error.message, { cause: error.lastNodeError }) : error,
    ),
  );
  try {
    await promise;
    const info = await redis.info();
    if (!redis.isCluster && /^cluster_enabled:1\r?$/m.test(info))
      throw new CommandFault(
        'the server is a node of a cluster: begin REDIS_URL with redis+cluster:// or rediss+cluster://',
      );
    return `Redis ${/^redis_version:(.+?)\r?$/m.exec(info)?.[1] ?? ''}`.trim();
  } finally {
    redis.disconnect();
  }
}

/** A file is written, read and removed: only this shows that uploads work. */
async function lookAtFiles(env: Environment): Promise<string> {
  const config = readFilesConfig(env);
  if (config === undefined)
    throw new CommandFault(
      'PARLEY_UPLOADS_DIR or PARLEY_S3_BUCKET is required: where uploaded files are',
    );
  const files = await openFileStore(config, systemClock);
  try {
    const key = `checks/${randomBytes(12).toString('hex')}`;
    const content = randomBytes(64);
    await files.write(key, Readable.from([content]));
    try {
      const stored = await files.read(key);
      const isSame = stored !== undefined && content.equals(await buffer(stored.content));
      if (!isSame) throw new CommandFault('a file that was written could not be read again');
    } finally {
      await files.remove(key);
    }
    return config.kind === 'directory' ? `folder ${config.path}` : `bucket ${config.bucket}`;
  } finally {
    files.close();
  }
}

/** The server must accept a connection with TLS as configured, and the login; nothing is sent. */
async function lookAtMail(env: Environment): Promise<string> {
  const config = readMailConfig(env);
  return config === undefined
    ? 'none is sent: PARLEY_SMTP_URL is not set'
    : openMailTransport(config, systemClock).verify();
}

/** Whether the relay hands answers over shows only when one comes. */
function lookAtMailAnswers(env: Environment): string {
  const config = readMailAnswersConfig(env);
  if (config === undefined) return 'none are taken: PARLEY_MAIL_REPLY_ADDRESS is not set';
  if (readMailConfig(env) === undefined)
    throw new CommandFault('mails can be answered, but none are sent: PARLEY_SMTP_URL is not set');
  const { addresses, lmtp, days } = config;
  return `to ${addresses.before}%${addresses.after} for ${days} days, taken by LMTP at ${lmtp.host}:${lmtp.port} of messages`;
}

/** Each provider must describe itself as its issuer says; nobody is signed in. */
async function lookAtProviders(env: Environment): Promise<readonly Finding[]> {
  let providers: readonly IdentityProviderConfig[] = [];
  const read = await look('single sign-on', async () => {
    providers = readIdentityProviders(env);
    return providers.length === 0 ? 'none: PARLEY_OIDC_PROVIDERS is not set' : '';
  });
  const described = providers.map(async (config) =>
    look(`provider ${config.id}`, async () => {
      const { canSignOut } = await new OpenIdProvider(config, systemClock).describe();
      const trust = config.isTrusted ? 'trusted with addresses' : 'not trusted with addresses';
      return `${config.issuer}, ${trust}${canSignOut ? '' : ', signs nobody out'}`;
    }),
  );
  return [read, ...(await Promise.all(described))];
}

async function lookAtDatabase(env: Environment): Promise<readonly Finding[]> {
  let pool: Pool | undefined;
  const opened = await look('postgres', async () => {
    pool = openPool(readDatabaseConfig(env));
    return '';
  });
  if (pool === undefined) return [opened];
  return lookInto(pool, env);
}

async function lookInto(pool: Pool, env: Environment): Promise<readonly Finding[]> {
  try {
    const postgres = await look('postgres', () => lookAtPostgres(pool));
    if (postgres.faults.length > 0) return [postgres];
    const schema = await look('schema', () => lookAtSchema(pool));
    if (schema.faults.length > 0) return [postgres, schema];
    return [
      postgres,
      schema,
      await look('key secret', () => lookAtKeySecret(pool, env)),
      await look('search', () => lookAtSearch(pool)),
    ];
  } finally {
    await pool.end();
  }
}

export const checkCommand: Command = {
  name: 'check',
  summary: 'Check the configuration, the stores and the schema, and report all faults together',
  details:
    'It writes a file to the store of files and removes it again, signs in to the server that takes mails, and asks OpenID providers to describe themselves; it changes nothing else.',
  run: async (_call, { env }) => {
    const configuration = await look('configuration', async () => {
      const { mode, publicUrl } = readConfig(env);
      return `${mode} mode, clients reach it at ${publicUrl}`;
    });
    const known = new Set(configuration.faults);
    const found = (
      await Promise.all([
        lookAtDatabase(env),
        look('redis', () => lookAtRedis(env)),
        look('files', () => lookAtFiles(env)),
        look('mail', () => lookAtMail(env)),
        look('answers by mail', async () => lookAtMailAnswers(env)),
        lookAtProviders(env),
      ])
    ).flat();
    // A wrong setting is reported once, and checks that need it are skipped.
    const findings = [
      configuration,
      ...found.map((finding) => ({
        ...finding,
        faults: finding.faults.filter((fault) => !known.has(fault)),
      })),
    ].filter(({ faults, found: text }) => faults.length > 0 || text !== '');
    const isFine = findings.every(({ faults }) => faults.length === 0);
    const width = Math.max(...findings.map(({ what }) => what.length));
    const lines = findings.flatMap(({ what, faults, found: text }) =>
      faults.length === 0
        ? [`ok     ${what.padEnd(width)}  ${text}`]
        : faults.map((fault) => `FAULT  ${what.padEnd(width)}  ${fault}`),
    );
    return {
      text: `${lines.join('\n')}\n`,
      json: {
        ok: isFine,
        checks: findings.map(({ what, faults, found: text }) => ({
          check: what,
          ok: faults.length === 0,
          ...(faults.length === 0 ? { found: text } : { faults }),
        })),
      },
      exitCode: isFine ? 0 : 1,
    };
  },
};
