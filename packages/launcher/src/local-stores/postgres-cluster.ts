import { spawnSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import {
  chmod,
  chown,
  mkdir,
  readFile,
  readdir,
  realpath,
  rename,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

import { canEnter, findAccount } from './account.ts';
import { findPostgresPrograms, sharedPlace } from './postgres-programs.ts';
import { hasCode, readOrMakeSecret } from './secret-file.ts';
import type { Account } from './store-process.ts';
import { StoreFault } from './store-fault.ts';

/** The major version of the embedded Postgres and of its data. */
const postgresMajor = '17';

/** The superuser and the database of a local store. */
export const databaseName = 'parley';

/** A folder of Postgres data, ready to start. */
export type Cluster = {
  folder: string;
  account: Account | undefined;
  /** The folder that holds `bin`. */
  programs: string;
  password: string;
};

/**
 * Finds the place of the data: `cluster` below the data folder, or a folder below `/var/lib/parley` if the system user cannot enter the
 * data folder. The choice is recorded and permanent.
 */
async function findPlace(dataDir: string): Promise<{ folder: string; relocated: boolean }> {
  const note = join(dataDir, 'cluster-location');
  const noted = await readFile(note, 'utf8').catch(() => '');
  if (noted.trim() !== '') return { folder: noted.trim(), relocated: true };
  return { folder: join(dataDir, 'cluster'), relocated: false };
}

async function relocate(
  dataDir: string,
  account: Account,
  log: (line: string) => void,
): Promise<string> {
  const mark = createHash('sha256')
    .update(await realpath(dataDir))
    .digest('hex')
    .slice(0, 12);
  const parent = join(sharedPlace, `data-${mark}`);
  for (const folder of [sharedPlace, parent]) {
    await mkdir(folder, { recursive: true });
    await chmod(folder, 0o711);
  }
  if (!canEnter(parent, account)) {
    throw new StoreFault(
      [
        `Postgres runs as the user ${account.name} when root starts it, and that user can enter neither`,
        `${dataDir} nor ${parent}. Choose a folder with --data that all users may enter, such as one`,
        'below /srv or /var/tmp, start as another user than root, or set DATABASE_URL.',
      ].join('\n'),
    );
  }
  const folder = join(parent, 'cluster');
  log(`The user ${account.name} cannot enter ${dataDir}; the database is kept in ${folder}.`);
  // The data there belongs to an earlier folder of the same path, which is gone.
  await rm(folder, { recursive: true, force: true });
  await writeFile(join(dataDir, 'cluster-location'), `${folder}\n`);
  return folder;
}

async function findVersion(folder: string): Promise<string | undefined> {
  try {
    return (await readFile(join(folder, 'PG_VERSION'), 'utf8')).trim();
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    if (hasCode(error, 'EACCES')) {
      throw new StoreFault(
        `The database in ${folder} belongs to another user (it was probably started by root). Start as that user, or choose another folder with --data.`,
        { cause: error },
      );
    }
    throw error;
  }
}

/** Makes a cluster elsewhere and moves it into place in one step, so that an incomplete cluster never appears. */
async function initialize(cluster: Cluster): Promise<void> {
  const parent = dirname(cluster.folder);
  const prefix = `${basename(cluster.folder)}.new-`;
  for (const name of await readdir(parent)) {
    if (name.startsWith(prefix)) await rm(join(parent, name), { recursive: true, force: true });
  }
  const draft = join(parent, `${prefix}${randomBytes(4).toString('hex')}`);
  const passwordFile = `${draft}.password`;
  const { account } = cluster;
  try {
    await mkdir(draft, { mode: 0o700 });
    await writeFile(passwordFile, `${cluster.password}\n`, { mode: 0o600, flag: 'wx' });
    if (account !== undefined) {
      await chown(draft, account.uid, account.gid);
      await chown(passwordFile, account.uid, account.gid);
    }
    const result = spawnSync(
      join(cluster.programs, 'bin', 'initdb'),
      [
        `--pgdata=${draft}`,
        `--username=${databaseName}`,
        `--pwfile=${passwordFile}`,
        '--auth=scram-sha-256',
        '--encoding=UTF8',
        '--locale-provider=builtin',
        '--builtin-locale=C.UTF-8',
        '--locale=C',
        '--lc-messages=C',
        '--set=timezone=UTC',
        '--set=log_timezone=UTC',
      ],
      {
        cwd: '/',
        env: { LC_ALL: 'C', TZ: 'UTC' },
        encoding: 'utf8',
        ...(account === undefined ? {} : { uid: account.uid, gid: account.gid }),
      },
    );
    if (result.status !== 0) {
      throw new StoreFault(
        `The database could not be made in ${parent}:\n${result.error?.message ?? result.stderr.trim()}`,
      );
    }
    await rename(draft, cluster.folder);
  } finally {
    await rm(passwordFile, { force: true });
    await rm(draft, { recursive: true, force: true });
  }
}

/**
 * Finds the cluster of a data folder, or makes one: encoding UTF-8, locale C.UTF-8 of the builtin provider, whatever the environment says.
 *
 * @param dataDir the folder of this store, made if needed
 * @param log receives a line for slow or unusual steps
 * @throws StoreFault if the data has another version, is incomplete or cannot be reached
 */
export async function prepareCluster(
  dataDir: string,
  log: (line: string) => void,
): Promise<Cluster> {
  await mkdir(dataDir, { recursive: true });
  let { folder, relocated } = await findPlace(dataDir);
  const account = await findAccount(folder);
  if (account !== undefined) {
    // The folder belongs to root here; others may pass through it but not list it.
    await chmod(dataDir, 0o711);
    if (!relocated && !canEnter(dataDir, account)) {
      if ((await findVersion(folder)) !== undefined) {
        throw new StoreFault(
          `The user ${account.name}, who owns the database in ${folder}, can no longer enter ${dataDir}. Give all users the right to pass through the folders above it (chmod o+x).`,
        );
      }
      folder = await relocate(dataDir, account, log);
      relocated = true;
    }
  }
  const programs = await findPostgresPrograms(account, log);
  const isNew = (await stat(folder).catch(() => undefined)) === undefined;
  const password = await readOrMakeSecret(join(dataDir, 'password'));
  const cluster = { folder, account, programs, password };
  if (isNew) {
    if (relocated && !canEnter(dirname(folder), account)) {
      throw new StoreFault(
        `The database of ${dataDir} was kept in ${folder}, which is gone. Start with --fresh to begin anew.`,
      );
    }
    log('Making the database ...');
    await initialize(cluster);
    return cluster;
  }
  const version = await findVersion(folder);
  if (version === undefined) {
    throw new StoreFault(
      `${folder} is not a Postgres database. Start with --fresh to begin anew, or choose another folder with --data.`,
    );
  }
  if (version !== postgresMajor) {
    throw new StoreFault(
      [
        `The database in ${folder} is of Postgres ${version}; this version of Parley brings Postgres ${postgresMajor}.`,
        'Start with --fresh to begin anew, or choose another folder with --data.',
      ].join('\n'),
    );
  }
  return cluster;
}

/**
 * Removes a store's data folder with all its data, including data elsewhere because a system user could not enter the folder. Nothing may
 * run on it.
 *
 * @param dataDir as given to `startPostgres`
 */
export async function removePostgresData(dataDir: string): Promise<void> {
  const { folder, relocated } = await findPlace(dataDir);
  if (relocated && folder.startsWith(`${sharedPlace}/`)) {
    await rm(dirname(folder), { recursive: true, force: true });
  }
  await rm(dataDir, { recursive: true, force: true });
}
