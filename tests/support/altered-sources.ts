/** Copies of the sources in which something is broken on purpose, to see whether it is noticed. */
import { cp, symlink } from 'node:fs/promises';
import { join } from 'node:path';

import { repositoryFolder } from '@parley/test-kit';

/** An exact replacement of text in the sources, made in a copy only. */
export type Replacement = {
  /** Its path in the repository. */
  readonly file: string;
  readonly find: string;
  readonly put: string;
};

/**
 * @returns the text with the replacement made
 * @throws Error unless the text to be replaced occurs exactly once
 */
export function applyReplacement(text: string, { file, find, put }: Replacement): string {
  const parts = text.split(find);
  if (parts.length !== 2)
    throw new Error(`${file} has ${parts.length - 1} times what is to be replaced:\n${find}`);
  return parts.join(put);
}

/** Installed libraries, which no copy changes. */
const libraries = join('node_modules', '.pnpm');

/** Copies everything that tests need into an empty folder. Packages of the copy find one another there, and libraries in the original. */
export async function copySources(folder: string): Promise<void> {
  const leftOut = new Set(
    ['.git', '.parley', libraries].map((name) => join(repositoryFolder, name)),
  );
  await cp(repositoryFolder, folder, {
    recursive: true,
    // Links are relative, and so lead to the copies.
    verbatimSymlinks: true,
    filter: (source) => !leftOut.has(source),
  });
  await symlink(join(repositoryFolder, libraries), join(folder, libraries));
}
