/** The release of the reference server that an export is of; those from 9 on say it. */
import { text as wholeText } from 'node:stream/consumers';

import type { SpooledArchive } from '../../archive/spooled-archive.ts';
import { ImportFault } from '../../import-fault.ts';
import { isRecord } from '../../reading/row.ts';

const path = 'migration_status.json';
const statusMaxBytes = 16 * 1024 * 1024;
/** The newest release whose tables are known. */
const newestMajor = 12;

function versionIn(text: string): string | undefined {
  try {
    const status: unknown = JSON.parse(text);
    const version = isRecord(status) ? status['zulip_version'] : undefined;
    return typeof version === 'string' ? version : undefined;
  } catch {
    return undefined;
  }
}

/** @throws ImportFault if the export is of a release whose tables nobody has looked at */
export async function checkZulipVersion(archive: SpooledArchive): Promise<void> {
  if (!archive.has(path) || archive.bytesOf(path) > statusMaxBytes) return;
  const version = versionIn(await wholeText(archive.open(path)));
  const major = Number(/^\d{1,4}/.exec(version ?? '')?.[0] ?? 0);
  if (version !== undefined && major > newestMajor)
    throw new ImportFault(
      `The archive is of release ${version.slice(0, 40)} of the reference server, and those from 2.0 to ${newestMajor} can be imported`,
    );
}
