/** What `stats.txt` says of an export: how many rows each table of each file has (import facts, Zulip 14). */
import { text as wholeText } from 'node:stream/consumers';

import type { SpooledArchive } from '../../archive/spooled-archive.ts';

const path = 'stats.txt';
const statsMaxBytes = 16 * 1024 * 1024;
const rowsLine = /^ *(\d{1,15}) (\S+)$/;

export type ZulipStats = ReadonlyMap<string, ReadonlyMap<string, number>>;

/** @returns the rows by file and table; nothing if the archive has no such list */
export async function readZulipStats(archive: SpooledArchive): Promise<ZulipStats> {
  const stats = new Map<string, Map<string, number>>();
  if (!archive.has(path) || archive.bytesOf(path) > statsMaxBytes) return stats;
  let tables = new Map<string, number>();
  for (const line of (await wholeText(archive.open(path))).split('\n')) {
    const [, rows, table = ''] = rowsLine.exec(line) ?? [];
    if (rows !== undefined) tables.set(table, Number(rows));
    else if (line.trim() !== '') {
      tables = new Map();
      stats.set(line.trim(), tables);
    }
  }
  return stats;
}

/** @returns the tables of a file that do not have as many rows as `stats.txt` says */
export function otherThanStats(
  stats: ZulipStats,
  file: string,
  counted: ReadonlyMap<string, number>,
): string[] {
  const said = stats.get(file) ?? new Map<string, number>();
  return [...said].flatMap(([table, rows]) => ((counted.get(table) ?? 0) === rows ? [] : table));
}
