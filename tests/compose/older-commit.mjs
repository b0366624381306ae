// The sources of the commit before the newest migration, from git's history.

import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { run } from './engine.mjs';

const migrations = 'packages/database/src/migrations/2*.ts';
async function git(...args) {
  try {
    return (await run('git', args)).trim();
  } catch (error) {
    throw new Error('the sources of an older commit are needed, and git does not tell them', {
      cause: error,
    });
  }
}

/**
 * @returns {Promise<string | undefined>} the commit before the one that added the newest migration; none where the history of this
 * clone does not reach back so far
 */
export async function findOlderCommit() {
  const newest = await git(
    'log',
    '--max-count=1',
    '--diff-filter=A',
    '--format=%H %P',
    '--',
    migrations,
  );
  // The oldest commit of a shallow clone seems to add every file and to have no parent.
  return newest.split(' ')[1];
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
