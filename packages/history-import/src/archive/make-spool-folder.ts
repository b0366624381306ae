import { mkdir } from 'node:fs/promises';

import { ImportFault } from '../import-fault.ts';

/** @throws ImportFault if the folder cannot be made, or is there */
export async function makeSpoolFolder(folder: string): Promise<void> {
  await mkdir(folder, { mode: 0o700 }).catch((error: unknown) => {
    throw new ImportFault(`No folder can be made to unpack to: ${(error as Error).message}`);
  });
}
