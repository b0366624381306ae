import { chmod, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Makes a folder for stores that live as long as one run of tests: one that the system user, as
 * whom Postgres runs when root starts it, can pass through.
 *
 * @returns its path; whoever asked for it removes it
 */
export async function makeTemporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-stores-'));
  await chmod(folder, 0o711);
  return folder;
}
