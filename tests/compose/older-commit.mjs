// The sources of an older commit that upgrades to this one, from git's history.

import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { run } from './engine.mjs';

const migrationsFolder = 'packages/database/migrations';

async function git(...args) {
  try {
    return (await run('git', args)).trim();
  } catch (error) {
    throw new Error('the sources of an older commit are needed, and git does not tell them', {
      cause: error,
    });
  }
}

async function readLines(...args) {
  return (await git(...args)).split('\n').filter((line) => line !== '');
}

const isAncestor = (older, newer) =>
  git('merge-base', '--is-ancestor', older, newer).then(
    () => true,
    () => false,
  );

/** The newest commit that added one of these files. */
async function findAddition(...files) {
  const [commit] = await readLines(
    'log',
    '--max-count=1',
    '--diff-filter=A',
    '--format=%H',
    '--',
    ...files,
  );
  return commit;
}

/** The newest commit that changed the name of the protocol between gateways and nodes; one that moved its file did not. */
async function findProtocolChange() {
  const [commit] = await readLines(
    'log',
    '--max-count=1',
    '--format=%H',
    '--find-renames',
    '-G^export const linkProtocol = ',
    '--',
    'packages/links/src/protocol.ts',
    'packages/server/src/links/protocol.ts',
  );
  return commit;
}

const listMigrations = (commit) =>
  readLines('ls-tree', '--name-only', commit, '--', `${migrationsFolder}/`);

/** The newest commit with fewer migrations than now; a commit that renames one has as many. */
async function findOlderSchema() {
  const { length } = await listMigrations('HEAD');
  for (const line of await readLines('log', '--format=%H %P', '--', migrationsFolder)) {
    // The oldest commit of a shallow clone seems to have no parent.
    const [, parent] = line.split(' ');
    if (parent === undefined) return undefined;
    if ((await listMigrations(parent)).length < length) return parent;
  }
  return undefined;
}

/**
 * The commit before the one that added the newest migration. While there is only the first schema, to which nothing upgrades, it is
 * the commit that added that. A commit with other services is too old: a gateway uses every process with a lease of a service, so
 * all must agree on which service has which endpoints. So is one with another protocol between them, until there is a release
 * (decision 0075). Then it is the commit that added the newest service, or that changed the protocol.
 *
 * @returns {Promise<{ commit: string, migrates: boolean } | undefined>} undefined if the history of this clone is too short
 */
export async function findOlderCommit() {
  const service = await findAddition('services/*/src/main.ts');
  const protocol = await findProtocolChange();
  const hasMigration = (await listMigrations('HEAD')).length > 1;
  const older = hasMigration
    ? await findOlderSchema()
    : await findAddition(`${migrationsFolder}/*.sql`);
  if (older === undefined || service === undefined || protocol === undefined) return undefined;
  const oldest = (await isAncestor(service, protocol)) ? protocol : service;
  const isNewEnough = await isAncestor(oldest, older);
  const commit = isNewEnough ? older : oldest;
  if (commit === (await git('rev-parse', 'HEAD'))) return undefined;
  return { commit, migrates: hasMigration && isNewEnough };
}

/** Writes the files of a commit into a folder below `folder`, and returns it. */
export async function exportCommit(commit, folder) {
  const archive = join(folder, 'older.tar');
  const sources = join(folder, 'older');
  await git('archive', '--format=tar', `--output=${archive}`, commit);
  await mkdir(sources);
  await run('tar', ['-xf', archive, '-C', sources]);
  return sources;
}
