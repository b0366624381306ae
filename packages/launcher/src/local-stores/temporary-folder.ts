import { chmod, mkdtemp, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { memoryFolder, testFolderPrefix } from './test-run.ts';

/** More than the stores of one run ever hold; containers have 64 MB there. */
const memoryMinBytes = 4 * 1_073_741_824;

/**
 * Makes a folder for stores that live as long as one run of tests. The system user that Postgres runs as when root starts it can pass
 * through the folder. It is in memory if there is enough, because cloning a database is ten times as fast there.
 *
 * @returns its path; the caller removes it, or the end of the run does
 */
export async function makeTemporaryFolder(): Promise<string> {
  const parent = (await hasMemoryFolder()) ? memoryFolder : tmpdir();
  const folder = await mkdtemp(join(parent, testFolderPrefix()));
  await chmod(folder, 0o711);
  return folder;
}

async function hasMemoryFolder(): Promise<boolean> {
  try {
    const { bavail, bsize } = await statfs(memoryFolder);
    return bavail * bsize >= memoryMinBytes;
  } catch {
    return false;
  }
}
