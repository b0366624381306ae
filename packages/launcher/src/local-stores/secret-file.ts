import { randomBytes } from 'node:crypto';
import { link, readFile, rm, writeFile } from 'node:fs/promises';

/** Whether a file-system call failed with this code (`ENOENT`, `EEXIST`, ...). */
export function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}

/**
 * Reads the secret kept in a file, or makes one of 256 bits and keeps it there, readable only by this user. The first writer wins, so two
 * concurrent processes get the same secret.
 *
 * @param path the file
 * @returns 64 hexadecimal digits if it is made here
 */
export async function readOrMakeSecret(path: string): Promise<string> {
  const kept = await findSecret(path);
  if (kept !== undefined) return kept;
  const secret = randomBytes(32).toString('hex');
  const draft = `${path}.${process.pid}-${randomBytes(4).toString('hex')}`;
  await writeFile(draft, `${secret}\n`, { mode: 0o600, flag: 'wx', flush: true });
  try {
    // A link fails if the file exists, and never shows an incomplete file.
    await link(draft, path);
    return secret;
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error;
    return await readOrMakeSecret(path);
  } finally {
    await rm(draft, { force: true });
  }
}

async function findSecret(path: string): Promise<string | undefined> {
  try {
    const text = (await readFile(path, 'utf8')).trim();
    return text === '' ? undefined : text;
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}
