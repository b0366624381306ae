// The first step of the compose file: puts the containers' secrets into three
// volumes, one for the services, one for Postgres and one for Redis. Secrets come
// from the environment, or are generated at the first start and kept.
//
// Stored data depends on two of them: Postgres keeps its password from the first
// start, and API keys are hashed and encrypted with the key secret. Another value
// in the environment would lock everybody out, so it is refused, except while the
// key secret is being replaced (deploy/runbook.md):
//
//   generate-secrets.mjs accept-new key-secret   every process also accepts a new secret
//   generate-secrets.mjs use-new key-secret      every process writes with the new secret
//   generate-secrets.mjs forget-old key-secret   no process accepts the old secret any more
//
// The same steps replace internal-secret. After each, restart every process, one
// at a time.

import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const servicesFolder = process.env.PARLEY_SECRETS_DIR ?? '/run/parley/secrets';
const postgresFolder = process.env.PARLEY_POSTGRES_SECRETS_DIR ?? '/run/parley/postgres';
const redisFolder = process.env.PARLEY_REDIS_SECRETS_DIR ?? '/run/parley/redis';

// 256 bits, the strength of the HMAC-SHA-256 and AES-256 keys derived from them.
const secretBytes = 32;

const generate = () => randomBytes(secretBytes).toString('base64url');

/** A secret's value in the environment; an empty one counts as none, because Compose passes it for an unset variable. */
function findGiven(name) {
  const value = process.env[name];
  return value === undefined || value === '' ? undefined : value;
}

const findStored = (file) => (existsSync(file) ? readFileSync(file, 'utf8') : undefined);

/**
 * Renames the file into place, so that a killed step leaves no partial secret.
 * Its leftover is removed first, because it is read-only and cannot be
 * overwritten.
 */
function writeSecret(file, value, mode) {
  rmSync(`${file}.new`, { force: true });
  writeFileSync(`${file}.new`, value, { mode });
  renameSync(`${file}.new`, file);
}

/**
 * Makes sure that `file` contains a secret, and returns it.
 *
 * @param {string} file the secret's file
 * @param {string} name the environment variable that may set it
 * @param {{ mode: number, mayBecome: (given: string, stored: string) => boolean }} options file mode, and
 *   whether a value from the environment may replace the stored one
 * @throws {Error} if it may not
 */
function ensureSecret(file, name, { mode, mayBecome }) {
  const given = findGiven(name);
  const stored = findStored(file);
  if (stored !== undefined && (given === undefined || given === stored)) {
    return stored;
  }
  if (stored !== undefined && !mayBecome(given, stored)) {
    throw new Error(
      `${name} differs from the one of the first start, which stored data depends on; ` +
        `unset it, or give the first value`,
    );
  }
  const value = given ?? generate();
  writeSecret(file, value, mode);
  console.log(`${name}: ${given === undefined ? 'generated' : 'taken from the environment'}`);
  return value;
}

const mode = 0o400;

/** The two secrets that can be replaced while services run. */
const replaceable = {
  'internal-secret': { name: 'PARLEY_INTERNAL_SECRET', mayBecome: () => true },
  'key-secret': {
    name: 'PARLEY_KEY_SECRET',
    // Only a secret that every process accepts already, and only while all still accept the old one.
    mayBecome: (given, stored) =>
      given === findStored(previousFile('key-secret')) &&
      findGiven('PARLEY_KEY_SECRET_PREVIOUS') === stored,
  },
};

const currentFile = (secret) => join(servicesFolder, secret);
/** The second secret that services accept. While no secret is being replaced, it is the current one, which counts as none. */
const previousFile = (secret) => join(servicesFolder, `${secret}-previous`);
/** Exists only from accept-new to use-new. */
const nextFile = (secret) => join(servicesFolder, `${secret}-next`);

function ensureReplaceable(secret) {
  const { name, mayBecome } = replaceable[secret];
  const isGiven = findGiven(name) !== undefined;
  const current = ensureSecret(currentFile(secret), name, { mode, mayBecome });
  // With secrets in the environment, a replacement ends when the environment sets no second secret.
  const kept = isGiven ? undefined : findStored(previousFile(secret));
  const previous = findGiven(`${name}_PREVIOUS`) ?? kept ?? current;
  if (previous !== findStored(previousFile(secret))) {
    writeSecret(previousFile(secret), previous, mode);
  }
}

const steps = {
  'accept-new': (secret) => {
    if (findStored(previousFile(secret)) !== findStored(currentFile(secret))) {
      throw new Error(`${secret} is already being replaced: use-new or forget-old comes next`);
    }
    const next = generate();
    // In this order, so that every process that starts accepts the secret before use-new can select it.
    writeSecret(previousFile(secret), next, mode);
    writeSecret(nextFile(secret), next, mode);
  },
  // The old secret is saved before it is overwritten, so a killed step can be run again.
  'use-new': (secret) => {
    const next = findStored(nextFile(secret));
    if (next === undefined) {
      throw new Error(`there is no new ${secret}: accept-new comes first`);
    }
    const current = findStored(currentFile(secret));
    if (current !== next) {
      writeSecret(previousFile(secret), current, mode);
      writeSecret(currentFile(secret), next, mode);
    }
    rmSync(nextFile(secret));
  },
  'forget-old': (secret) => {
    if (existsSync(nextFile(secret))) {
      throw new Error(`the old ${secret} is still in use: use-new comes first`);
    }
    writeSecret(previousFile(secret), findStored(currentFile(secret)), mode);
  },
};

function takeStep(step, secret) {
  if (!Object.hasOwn(steps, step) || !Object.hasOwn(replaceable, secret)) {
    throw new Error(
      `usage: generate-secrets.mjs [${Object.keys(steps).join('|')} ${Object.keys(replaceable).join('|')}]`,
    );
  }
  const { name } = replaceable[secret];
  for (const variable of [name, `${name}_PREVIOUS`]) {
    if (findGiven(variable) !== undefined) {
      throw new Error(`${variable} is set in the environment: replace it there`);
    }
  }
  if (!existsSync(previousFile(secret))) {
    throw new Error('there are no secrets yet, or they come from an older release: run this without a step');
  }
  steps[step](secret);
  console.log(`${secret}: ${step} is done; restart every process, one after the other`);
}

/** Readable by all, because Postgres and Redis have other user ids than the services; no other container mounts their volumes. */
const storeMode = 0o444;

/** Quotes any text for the configuration of Redis. */
const quoteForRedis = (text) =>
  `"${[...Buffer.from(text)].map((byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join('')}"`;

/**
 * Redis reads its password from its configuration, and the health check reads it from the file, because a command line shows in
 * `docker inspect`. No stored data depends on it, so it may change.
 */
function ensureRedisPassword() {
  const password = ensureSecret(join(redisFolder, 'password'), 'REDIS_PASSWORD', {
    mode: storeMode,
    mayBecome: () => true,
  });
  writeSecret(
    join(redisFolder, 'redis.conf'),
    `requirepass ${quoteForRedis(password)}\n`,
    storeMode,
  );
  return password;
}

function ensureAll() {
  const password = ensureSecret(join(postgresFolder, 'password'), 'POSTGRES_PASSWORD', {
    mode: storeMode,
    mayBecome: () => false,
  });
  const redisPassword = ensureRedisPassword();
  for (const secret of Object.keys(replaceable)) ensureReplaceable(secret);

  // Written at every start, because they are derived: removing the address of a
  // managed store from the environment must take effect.
  const databaseUrl =
    findGiven('DATABASE_URL') ??
    `postgres://parley:${encodeURIComponent(password)}@postgres:5432/parley`;
  writeSecret(join(servicesFolder, 'database-url'), databaseUrl, mode);
  const redisUrl =
    findGiven('REDIS_URL') ?? `redis://:${encodeURIComponent(redisPassword)}@redis:6379`;
  writeSecret(join(servicesFolder, 'redis-url'), redisUrl, mode);
  console.log('secrets are in place');
}

try {
  const [step, secret] = process.argv.slice(2);
  if (step === undefined) ensureAll();
  else takeStep(step, secret);
} catch (error) {
  console.error(`generate-secrets: ${error.message}`);
  process.exitCode = 1;
}
