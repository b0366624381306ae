import { spawnSync } from 'node:child_process';
import { readFile, stat } from 'node:fs/promises';

import type { Account } from './store-process.ts';
import { StoreFault } from './store-fault.ts';

/** The system users that Postgres may run as when root starts it, the preferred one first. */
const preferredNames = ['postgres', 'nobody'];

type PasswordEntry = Account;

async function readAccounts(): Promise<PasswordEntry[]> {
  const text = await readFile('/etc/passwd', 'utf8').catch(() => '');
  return text.split('\n').flatMap((line) => {
    const [name, , uid, gid] = line.split(':');
    return name === undefined || uid === undefined || gid === undefined
      ? []
      : [{ name, uid: Number(uid), gid: Number(gid) }];
  });
}

/**
 * Finds the system user that Postgres runs as: none if this process is not root; the owner of the data if there is some; otherwise
 * `postgres` or `nobody`.
 *
 * @param clusterFolder the folder of the data, which need not exist
 * @throws StoreFault if root has no such user
 */
export async function findAccount(clusterFolder: string): Promise<Account | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const accounts = await readAccounts();
  const owner = await stat(clusterFolder).catch(() => undefined);
  if (owner !== undefined && owner.uid !== 0) {
    const known = accounts.find((account) => account.uid === owner.uid);
    return known ?? { name: `number ${owner.uid}`, uid: owner.uid, gid: owner.gid };
  }
  for (const name of preferredNames) {
    const account = accounts.find((candidate) => candidate.name === name);
    if (account !== undefined && account.uid !== 0) return account;
  }
  throw new StoreFault(
    [
      'Postgres does not run as root, and this machine has neither a user `postgres` nor `nobody`.',
      'Make one (`useradd --system postgres`), start as another user, or set DATABASE_URL.',
    ].join('\n'),
  );
}

/**
 * Whether the user may enter the folder. The test really enters it as that user, because modes alone do not show access lists and mounts.
 */
export function canEnter(folder: string, account: Account | undefined): boolean {
  const result = spawnSync('/bin/sh', ['-c', 'cd -- "$0"', folder], {
    cwd: '/',
    env: {},
    stdio: 'ignore',
    ...(account === undefined ? {} : { uid: account.uid, gid: account.gid }),
  });
  return result.status === 0;
}
