import { createHash } from 'node:crypto';
import { access, constants, rm, statfs } from 'node:fs/promises';
import { join } from 'node:path';

import type { Client } from '@parley/database';

import { CommandFault } from '../faults.ts';

/** Types of file systems in memory, as `statfs` gives them: tmpfs and ramfs. */
const memoryTypes: ReadonlySet<number> = new Set([0x01_02_19_94, 0x85_84_58_f6]);

/** @returns why a folder cannot take files for a while, or undefined */
async function findHindrance(folder: string): Promise<string | undefined> {
  try {
    await access(folder, constants.W_OK);
    const { type } = await statfs(folder);
    return memoryTypes.has(type) ? 'is in memory' : undefined;
  } catch {
    return 'cannot be written';
  }
}

/**
 * Finds a folder on a disk. What is unpacked to a memory disk, as containers have for temporary files, takes the memory of the command, which
 * is then killed without a word.
 *
 * @throws CommandFault if none of the folders is on a disk
 */
export async function findSpoolParent(folders: readonly string[]): Promise<string> {
  const hindrances: string[] = [];
  for (const folder of new Set(folders)) {
    const hindrance = await findHindrance(folder);
    if (hindrance === undefined) return folder;
    hindrances.push(`${folder} ${hindrance}`);
  }
  throw new CommandFault(
    `There is no folder on a disk for what the archive has: ${hindrances.join(', and ')}. Name one with --spool`,
  );
}

/**
 * Removes what a killed import into this installation has left. The folder belongs to the installation, of which one import has the lock at a
 * time: it is not that of an import which lives, here or on another machine that shares the disk.
 *
 * @param client holds the lock of imports
 * @returns the path of the folder, which is not there now
 */
export async function clearSpoolFolder(client: Client, parent: string): Promise<string> {
  const { rows } = await client.query<{ installation: string }>(
    'SELECT system_identifier || current_database() AS installation FROM pg_control_system()',
  );
  const installation = createHash('sha256')
    .update(rows[0]?.installation ?? '')
    .digest('hex');
  const folder = join(parent, `parley-import-${installation.slice(0, 16)}`);
  await rm(folder, { recursive: true, force: true });
  return folder;
}
