// The compose file's first step: puts the secrets the containers need into three
// volumes, one that only the services mount, one that only Postgres mounts and
// one that only Redis mounts.
// What is given in the environment is taken; the rest is generated once, at the
// first start, and kept.
//
// Two secrets are bound to what is stored: Postgres remembers its password from
// the first start, and API keys are hashed and encrypted with the key secret. A
// different value given later would lock everybody out, so it is refused, but
// for a key secret that is being replaced (deploy/runbook.md):
//
//   generate-secrets.mjs accept-new key-secret   every process reads with a new one too
//   generate-secrets.mjs use-new key-secret      the new one becomes the first
//   generate-secrets.mjs forget-old key-secret   the old one is not read with any more
//
// The same with internal-secret. Each is followed by a rolling restart.

import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const servicesFolder = process.env.PARLEY_SECRETS_DIR ?? '/run/parley/secrets';
const postgresFolder = process.env.PARLEY_POSTGRES_SECRETS_DIR ?? '/run/parley/postgres';
const redisFolder = process.env.PARLEY_REDIS_SECRETS_DIR ?? '/run/parley/redis';

// 256 bits, the strength of the HMAC-SHA-256 and AES-256 keys made of them.
const secretBytes = 32;

const generate = () => randomBytes(secretBytes).toString('base64url');

/** A secret's value in the environment; an empty one, as compose passes for an unset variable, counts as none. */
function findGiven(name) {
  const value = process.env[name];
  return value === undefined || value === '' ? undefined : value;
}

const findStored = (file) => (existsSync(file) ? readFileSync(file, 'utf8') : undefined);

/**
 * Renamed into place, so that a step killed half-way leaves no half a secret.
 * What such a step left is removed first, since a read-only file cannot be
 * written again.
 */
function writeSecret(file, value, mode) {
  rmSync(`${file}.new`, { force: true });
  writeFileSync(`${file}.new`, value, { mode });
  renameSync(`${file}.new`, file);
}

/**
 * Makes sure that `file` holds a secret and returns it.
 *
 * @param {string} file the secret's file
 * @param {string} name the environment variable that may give it
 * @param {{ mode: number, mayBecome: (given: string, stored: string) => boolean }} options file mode, and
 *   whether a value that is stored may become another one that is given
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
    // Only for one that every process reads with already, and while all go on reading with the old one.
    mayBecome: (given, stored) =>
      given === findStored(previousFile('key-secret')) &&
      findGiven('PARLEY_KEY_SECRET_PREVIOUS') === stored,
  },
};

const currentFile = (secret) => join(servicesFolder, secret);
/** What services read with as well. The current one again where none is being replaced, which counts as none. */
const previousFile = (secret) => join(servicesFolder, `${secret}-previous`);
/** Only there from accept-new to use-new. */
const nextFile = (secret) => join(servicesFolder, `${secret}-next`);

function ensureReplaceable(secret) {
  const { name, mayBecome } = replaceable[secret];
  const isGiven = findGiven(name) !== undefined;
  const current = ensureSecret(currentFile(secret), name, { mode, mayBecome });
  // Who gives the secrets in the environment ends a replacement there, by giving no second one.
  const kept = isGiven ? undefined : findStored(previousFile(secret));
  const previous = findGiven(`${name}_PREVIOUS`) ?? kept ?? current;
  if (previous !== findStored(previousFile(secret))) {
    writeSecret(previousFile(secret), previous, mode);
  }
}

const steps = {
  'accept-new': (secret) => {
    if (findStored(previousFile(secret)) !== findStored(currentFile(secret))) {
      throw new Error(`${secret} is being replaced already: use-new or forget-old comes next`);
    }
    const next = generate();
    // In this order: what can be used is read by every process that starts.
    writeSecret(previousFile(secret), next, mode);
    writeSecret(nextFile(secret), next, mode);
  },
  // The old one is written before it is overwritten: killed half-way, this can be run again.
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
      throw new Error(`the old ${secret} is still the first: use-new comes before`);
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
    throw new Error('there are no secrets yet, or they are of an older release: run this without a step');
  }
  steps[step](secret);
  console.log(`${secret}: ${step} is done; restart every process, one after the other`);
}

/** Postgres and Redis run under other user ids than the services; each one's volume is mounted nowhere else. */
const storeMode = 0o444;

/** A text as Redis reads it in its configuration, whatever is in it. */
const quoteForRedis = (text) =>
  `"${[...Buffer.from(text)].map((byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join('')}"`;

/**
 * Redis takes its password from its configuration, and its health check from the file: a command line shows in `docker inspect`.
 * Nothing that is stored depends on it, so another one may be given.
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

  // Derived, so written anew at every start: an address given for a managed
  // store can be taken away again.
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
