import { readFile } from 'node:fs/promises';

import { CommandFault } from './faults.ts';

/**
 * Reads a secret from a file, or from standard input for `-`. Secrets are never taken from the command line, which other users of the
 * machine can read.
 *
 * @returns it without the line break at its end
 * @throws CommandFault if the file cannot be read, or is empty
 */
export async function readSecretFile(
  path: string,
  readInput: () => Promise<string>,
): Promise<string> {
  let content: string;
  try {
    content = path === '-' ? await readInput() : await readFile(path, 'utf8');
  } catch (error) {
    throw new CommandFault(`${path} cannot be read: ${(error as Error).message}`, { cause: error });
  }
  const secret = content.replace(/\r?\n$/, '');
  if (secret === '') throw new CommandFault(`${path} is empty`);
  return secret;
}
