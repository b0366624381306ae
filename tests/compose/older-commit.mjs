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

/** The newest commit that added one of these files, and its parent. */
async function findAddition(...files) {
  const [line] = await readLines(
    'log',
    '--max-count=1',
    '--diff-filter=A',
    '--format=%H %P',
    '--',
    ...files,
  );
  // The oldest commit of a shallow clone seems to add every file and to have no parent.
  const [commit, parent] = line?.split(' ') ?? [];
  return { commit, parent };
}

/**
 * The commit before the one that added the newest migration. While there is only the first schema, to which nothing upgrades, it is
 * the commit that added that. A commit with other services is too old: a gateway uses every process with a lease of a service, so
 * all must agree on which service has which endpoints. Then it is the commit that added the newest service.
 *
 * @returns {Promise<{ commit: string, migrates: boolean } | undefined>} undefined if the history of this clone is too short
 */
export async function findOlderCommit() {
  const names = await readLines('ls-files', '--', `${migrationsFolder}/*.sql`);
  const migration = await findAddition(names.at(-1));
  const service = await findAddition('services/*/src/main.ts');
  const hasMigration = names.length > 1;
  const older = hasMigration ? migration.parent : migration.commit;
  if (older === undefined || service.commit === undefined) return undefined;
  const hasSameServices = await isAncestor(service.commit, older);
  const commit = hasSameServices ? older : service.commit;
  if (commit === (await git('rev-parse', 'HEAD'))) return undefined;
  return { commit, migrates: hasMigration && hasSameServices };
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
