import { access, constants, readdir } from 'node:fs/promises';
import { delimiter, join } from 'node:path';

// Debian puts the programs of each release of Postgres into a separate folder, and servers where only root's path finds them.
const debianPostgres = '/usr/lib/postgresql';
const foldersOfServers = ['/usr/sbin', '/usr/local/sbin'];

async function canRun(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}

/** @returns the path of a program that a control needs; undefined if it is not installed */
export async function findProgram(name: string): Promise<string | undefined> {
  const releases = await readdir(debianPostgres).catch(() => []);
  const folders = [
    ...(process.env['PATH'] ?? '').split(delimiter),
    ...foldersOfServers,
    ...releases
      .toSorted((a, b) => Number(b) - Number(a))
      .map((release) => join(debianPostgres, release, 'bin')),
  ];
  for (const folder of folders) {
    const path = join(folder, name);
    if (await canRun(path)) return path;
  }
  return undefined;
}
