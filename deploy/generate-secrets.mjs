// The compose file's first step: puts the secrets the containers need into two
// volumes, one that only the services mount and one that only Postgres mounts.
// What is given in the environment is taken; the rest is generated once, at the
// first start, and kept.
//
// Two secrets are bound to what is stored: Postgres remembers its password from
// the first start, and API keys are hashed and encrypted with the key secret. A
// different value given later would lock everybody out, so it is refused.

import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const servicesFolder = process.env.PARLEY_SECRETS_DIR ?? '/run/parley/secrets';
const postgresFolder = process.env.PARLEY_POSTGRES_SECRETS_DIR ?? '/run/parley/postgres';

// 256 bits, the strength of the HMAC-SHA-256 and AES-256 keys made of them.
const secretBytes = 32;

/** A secret's value in the environment; an empty one, as compose passes for an unset variable, counts as none. */
function findGiven(name) {
  const value = process.env[name];
  return value === undefined || value === '' ? undefined : value;
}

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
 * @param {{ mode: number, bound: boolean }} options file mode, and whether stored data depends on the first value
 * @throws {Error} if a bound secret exists and another value is given
 */
function ensureSecret(file, name, { mode, bound }) {
  const given = findGiven(name);
  const stored = existsSync(file) ? readFileSync(file, 'utf8') : undefined;
  if (stored !== undefined && (given === undefined || given === stored)) {
    return stored;
  }
  if (stored !== undefined && bound) {
    throw new Error(
      `${name} differs from the one of the first start, which stored data depends on; ` +
        `unset it, or give the first value`,
    );
  }
  const value = given ?? randomBytes(secretBytes).toString('base64url');
  writeSecret(file, value, mode);
  console.log(`${name}: ${given === undefined ? 'generated' : 'taken from the environment'}`);
  return value;
}

try {
  // Postgres runs under another user id than the services, hence readable by
  // all; its volume is mounted nowhere else.
  const password = ensureSecret(join(postgresFolder, 'password'), 'POSTGRES_PASSWORD', {
    mode: 0o444,
    bound: true,
  });
  ensureSecret(join(servicesFolder, 'internal-secret'), 'PARLEY_INTERNAL_SECRET', {
    mode: 0o400,
    bound: false,
  });
  ensureSecret(join(servicesFolder, 'key-secret'), 'PARLEY_KEY_SECRET', {
    mode: 0o400,
    bound: true,
  });

  // Derived, so written anew at every start: a DATABASE_URL given for a managed
  // Postgres can be taken away again.
  const databaseUrl =
    findGiven('DATABASE_URL') ??
    `postgres://parley:${encodeURIComponent(password)}@postgres:5432/parley`;
  writeSecret(join(servicesFolder, 'database-url'), databaseUrl, 0o400);
  console.log('secrets are in place');
} catch (error) {
  console.error(`generate-secrets: ${error.message}`);
  process.exitCode = 1;
}
