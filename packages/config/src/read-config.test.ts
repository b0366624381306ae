import { inspect } from 'node:util';

import { describe, expect, it } from 'vitest';

import { configAsMarkdown, describeConfig } from './describe-config.ts';
import {
  ConfigError,
  readDatabaseConfig,
  readEnvironment,
  readServiceConfig,
  serviceConfigFrom,
} from './read-config.ts';
import { settings } from './settings.ts';

const complete = {
  DATABASE_URL: 'postgres://parley:PasswordOfStore@db.example/parley',
  REDIS_URL: 'redis://:PasswordOfRedis@redis.example',
  PARLEY_INTERNAL_SECRET: 'InternalSecret'.repeat(3),
  PARLEY_KEY_SECRET: 'KeySecret'.repeat(4),
};

function faultsOf(read: () => unknown): readonly string[] {
  try {
    read();
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.faults;
    throw error;
  }
}

describe('readServiceConfig', () => {
  it('needs only the stores and two secrets', () => {
    const config = readServiceConfig(complete, 'events');
    expect(config).toMatchObject({
      service: 'events',
      mode: 'production',
      logLevel: 'info',
      publicUrl: 'http://127.0.0.1:9991',
      listen: { host: '127.0.0.1', port: 0, internalPort: 0, advertisedHost: '127.0.0.1' },
      rateLimits: [{ windowSecs: 60, requestsMax: 200 }],
      budgetsPerOwnerMax: 5,
      botsPerOwnerMax: 50,
      newStreamsPerRequestMax: 100,
      participantsMax: 100,
      loginLimits: [{ windowSecs: 60, requestsMax: 10 }],
      passwordsAtOnceMax: 4,
      trustedProxies: [],
      allowedOrigins: 'every',
      queues: {
        lifetimeSecs: 600,
        lifetimeMaxSecs: 604_800,
        perUserMax: 1000,
        heartbeatMinMs: 45_000,
        heartbeatMaxMs: 55_000,
      },
      database: { poolMax: 8 },
      redis: { prefix: 'parley' },
      checkAnswers: false,
      demo: false,
    });
    expect(config.nodeId).toMatch(/^events-[0-9a-f]{10}$/);
    expect(config.database.url.reveal()).toBe(complete.DATABASE_URL);
  });

  it('reports all errors together, without values of secrets', () => {
    const faults = faultsOf(() =>
      readServiceConfig(
        {
          REDIS_URL: 'http://redis.example',
          PARLEY_INTERNAL_SECRET: 'TooShort',
          PARLEY_PORT: '70000',
          PARLEY_MODE: 'test',
          PARLEY_RATE_LIMITS: '60',
          PARLEY_LOGIN_LIMITS: 'ten',
          PARLEY_TRUSTED_PROXIES: '10.0.0.0/33',
          PARLEY_HEARTBEAT_MIN_SECS: '60',
          PARLEY_PUBLIC_URL: 'ftp://x',
        },
        'events',
      ),
    );
    const named = [
      'DATABASE_URL',
      'REDIS_URL',
      'PARLEY_INTERNAL_SECRET',
      'PARLEY_KEY_SECRET',
      'PARLEY_PORT',
      'PARLEY_MODE',
    ];
    const limits = ['PARLEY_RATE_LIMITS', 'PARLEY_LOGIN_LIMITS', 'PARLEY_TRUSTED_PROXIES'];
    const more = ['PARLEY_HEARTBEAT_MIN_SECS', 'PARLEY_PUBLIC_URL'];
    expect(faults.map((fault) => fault.replace(/ .*/s, '')).toSorted()).toEqual(
      [...named, ...limits, ...more].toSorted(),
    );
    expect(faults.join()).not.toContain('TooShort');
  });

  it('reads secrets from files, and refuses both ways at once', () => {
    const { DATABASE_URL, ...rest } = complete;
    const readFile = (path: string) => {
      if (path !== '/run/secrets/database') throw new Error('ENOENT');
      return `${DATABASE_URL}\n`;
    };
    const fromFile = readEnvironment(
      { ...rest, DATABASE_URL_FILE: '/run/secrets/database' },
      readFile,
    );
    expect(serviceConfigFrom(fromFile, 'events').database.url.reveal()).toBe(DATABASE_URL);
    const both = readEnvironment(
      { ...complete, DATABASE_URL_FILE: '/run/secrets/database' },
      readFile,
    );
    expect(faultsOf(() => serviceConfigFrom(both, 'events'))).toEqual([
      'DATABASE_URL and DATABASE_URL_FILE are both set',
    ]);
    const unreadable = readEnvironment({ ...rest, DATABASE_URL_FILE: '/none' }, readFile);
    expect(faultsOf(() => serviceConfigFrom(unreadable, 'events'))).toEqual([
      'DATABASE_URL_FILE cannot be read: ENOENT',
    ]);
  });

  it('reads the certificate authorities of Redis from the named file', () => {
    const pem = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----';
    const readFile = (path: string) => {
      if (path === '/etc/redis/ca.pem') return `${pem}\n`;
      if (path === '/etc/redis/empty') return '';
      throw new Error('ENOENT');
    };
    const redis = (path: string) =>
      serviceConfigFrom(
        readEnvironment({ ...complete, PARLEY_REDIS_CA_FILE: path }, readFile),
        'events',
      ).redis;
    expect(redis('').ca).toBeUndefined();
    expect(redis('/etc/redis/ca.pem').ca).toBe(pem);
    expect(faultsOf(() => redis('/none'))).toEqual(['PARLEY_REDIS_CA_FILE cannot be read: ENOENT']);
    expect(faultsOf(() => redis('/etc/redis/empty'))).toEqual([
      'PARLEY_REDIS_CA_FILE must name a file of certificates in PEM form',
    ]);
  });

  it('accepts one host of Postgres', () => {
    for (const hosts of ['one.example,other.example', 'one.example:5432,other.example:5432']) {
      const env = { ...complete, DATABASE_URL: `postgres://parley:Hidden@${hosts}/parley` };
      const [fault, ...more] = faultsOf(() => readServiceConfig(env, 'events'));
      expect(fault).toMatch(/^DATABASE_URL must be an address of one host/);
      expect(fault).not.toContain('Hidden');
      expect(more).toEqual([]);
    }
  });

  it('accepts one place for uploaded files, and a key to a bucket only as a whole', () => {
    const uploads = (env: Record<string, string>) =>
      readServiceConfig({ ...complete, ...env }, 'messages').uploads;
    expect(uploads({})).toEqual({
      files: undefined,
      fileMaxBytes: 25 * 1024 * 1024,
      quotaBytes: undefined,
    });
    expect(
      uploads({ PARLEY_UPLOADS_DIR: '/srv/files', PARLEY_UPLOAD_QUOTA_MIB: '2' }),
    ).toMatchObject({
      files: { kind: 'directory', path: '/srv/files' },
      quotaBytes: 2 * 1024 * 1024,
    });
    const bucket = {
      PARLEY_S3_BUCKET: 'files',
      PARLEY_S3_ENDPOINT: 'http://store.example:9000',
      PARLEY_S3_ACCESS_KEY_ID: 'name',
      PARLEY_S3_SECRET_ACCESS_KEY: 'very secret',
    };
    const { files } = uploads(bucket);
    expect(files).toMatchObject({
      kind: 'bucket',
      bucket: 'files',
      endpoint: 'http://store.example:9000',
      region: 'us-east-1',
    });
    expect(JSON.stringify(files)).not.toContain('very secret');
    expect(faultsOf(() => uploads({ ...bucket, PARLEY_UPLOADS_DIR: '/srv/files' }))).toEqual([
      'PARLEY_UPLOADS_DIR and PARLEY_S3_BUCKET are both set',
    ]);
    expect(faultsOf(() => uploads({ ...bucket, PARLEY_S3_ACCESS_KEY_ID: '' }))).toEqual([
      'PARLEY_S3_ACCESS_KEY_ID and PARLEY_S3_SECRET_ACCESS_KEY belong together',
    ]);
    expect(faultsOf(() => uploads({ PARLEY_UPLOADS_DIR: 'relative' }))).toEqual([
      'PARLEY_UPLOADS_DIR must be an absolute path',
    ]);
  });

  it('accepts origins of pages that may call', () => {
    const given = (text: string) =>
      readServiceConfig({ ...complete, PARLEY_ALLOWED_ORIGINS: text }, 'gateway').allowedOrigins;
    expect(given('*')).toBe('every');
    expect(given('none')).toEqual([]);
    expect(given('https://chat.example, http://localhost:3000')).toEqual([
      'https://chat.example',
      'http://localhost:3000',
    ]);
    for (const text of ['chat.example', 'https://chat.example/', 'https://Chat.example', 'null'])
      expect(faultsOf(() => given(text))).toHaveLength(1);
  });

  it('accepts proxies as addresses and ranges, and a separate limit of failed logins', () => {
    const given = (env: Record<string, string>) =>
      readServiceConfig({ ...complete, ...env }, 'gateway');
    expect(
      given({ PARLEY_TRUSTED_PROXIES: '10.0.0.7, 192.168.0.0/16,fd00::/8' }).trustedProxies,
    ).toEqual([
      { address: '10.0.0.7', prefixBits: 32 },
      { address: '192.168.0.0', prefixBits: 16 },
      { address: 'fd00::', prefixBits: 8 },
    ]);
    for (const text of ['proxy', '10.0.0.0/', '10.0.0.0/8/8', '10.0.0.0/-1', '::1/129', ',']) {
      expect(faultsOf(() => given({ PARLEY_TRUSTED_PROXIES: text }))).toHaveLength(1);
    }
    expect(given({ PARLEY_LOGIN_LIMITS: 'off' })).toMatchObject({
      rateLimits: [{ windowSecs: 60, requestsMax: 200 }],
      loginLimits: [],
    });
    expect(given({ PARLEY_LOGIN_LIMITS: '60:5,3600:50' }).loginLimits).toHaveLength(2);
  });

  it.each([
    ['PARLEY_PORT', '65535', '65536'],
    ['PARLEY_KEY_SECRET', 'x'.repeat(32), 'x'.repeat(31)],
  ])('accepts %s at its limit, and nothing beyond it', (name, last, beyond) => {
    const faultsWith = (value: string): readonly string[] =>
      faultsOf(() => readServiceConfig({ ...complete, [name]: value }, 'events'));
    expect(faultsWith(last)).toEqual([]);
    expect(faultsWith(beyond)).toHaveLength(1);
  });

  it('treats an empty variable as unset', () => {
    expect(
      readServiceConfig({ ...complete, PARLEY_NODE_ID: '', PARLEY_PORT: '' }, 'events').listen.port,
    ).toBe(0);
  });

  it('derives values that depend on other settings', () => {
    const config = readServiceConfig(
      {
        ...complete,
        PARLEY_MODE: 'development',
        PARLEY_HOST: '0.0.0.0',
        PARLEY_PUBLIC_URL: 'https://chat.example/',
        PARLEY_RATE_LIMITS: 'off',
        PARLEY_HEARTBEAT_MIN_SECS: '0.5',
        PARLEY_INTERNAL_SECRET_PREVIOUS: 'FormerSecret'.repeat(3),
        PARLEY_KEY_SECRET_PREVIOUS: 'FormerKeySecret'.repeat(3),
      },
      'events',
    );
    expect(config).toMatchObject({
      checkAnswers: true,
      demo: true,
      publicUrl: 'https://chat.example',
      rateLimits: [],
      loginLimits: [],
    });
    expect(config.listen.advertisedHost).not.toBe('0.0.0.0');
    expect(config.queues.heartbeatMinMs).toBe(500);
    expect(config.internalSecrets.map((secret) => secret.reveal())).toEqual([
      complete.PARLEY_INTERNAL_SECRET,
      'FormerSecret'.repeat(3),
    ]);
    expect(config.keySecretPrevious?.reveal()).toBe('FormerKeySecret'.repeat(3));
  });

  it('treats an empty second secret, or one equal to the first, as none', () => {
    for (const previous of ['', complete.PARLEY_KEY_SECRET])
      expect(
        readServiceConfig({ ...complete, PARLEY_KEY_SECRET_PREVIOUS: previous }, 'events')
          .keySecretPrevious,
      ).toBeUndefined();
    const again = { PARLEY_INTERNAL_SECRET_PREVIOUS: complete.PARLEY_INTERNAL_SECRET };
    expect(readServiceConfig({ ...complete, ...again }, 'events').internalSecrets).toHaveLength(1);
  });

  it('is frozen, and prints no secrets', () => {
    const config = readServiceConfig(complete, 'events');
    expect(Object.isFrozen(config) && Object.isFrozen(config.queues)).toBe(true);
    const printed = `${inspect(config, { depth: 9 })} ${JSON.stringify(config)} ${String(config.keySecret)}`;
    expect(printed).not.toMatch(/Password|InternalSecret|KeySecret/);
    expect(printed).toContain('[secret]');
  });
});

describe('readDatabaseConfig', () => {
  it('needs only the database', () => {
    expect(readDatabaseConfig({ DATABASE_URL: complete.DATABASE_URL }).poolMax).toBe(8);
    expect(faultsOf(() => readDatabaseConfig({}))).toHaveLength(1);
  });
});

describe('describeConfig', () => {
  it('lists every setting, with a readable default', () => {
    expect(describeConfig()).toHaveLength(Object.keys(settings).length);
    for (const { parse, defaultText } of Object.values(settings)) {
      expect(typeof defaultText === 'string' ? parse(defaultText) : 0).not.toBeUndefined();
    }
    expect(configAsMarkdown()).toContain(
      '| `DATABASE_URL` or `DATABASE_URL_FILE` | **required** |',
    );
  });
});
