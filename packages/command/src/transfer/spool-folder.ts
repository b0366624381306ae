import { createHash } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';

import type { Client } from '@parley/database';

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
