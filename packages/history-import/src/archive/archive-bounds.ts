/** What an archive may ask of this machine. Anything beyond is refused before a record is imported. */
import { ImportFault } from '../import-fault.ts';

export const archiveBounds = {
  entriesMax: 2_000_000,
  /** What is known of each is in memory, a kibibyte. */
  zipEntriesMax: 500_000,
  pathMaxLength: 1_000,
  /** All files together, unpacked. */
  unpackedMaxBytes: 1024 ** 4,
  /** Archives that unpack to more than this must not be packed more tightly than text ever is. */
  unsuspectedBytes: 1024 ** 3,
  ratioMax: 200,
} as const;

/** @returns the path of an entry with its parts, none of which leads elsewhere; in NFC, as programs that pack archives again may change it */
export function checkEntryPath(path: string): string {
  const shown = JSON.stringify(path.slice(0, 200));
  if (path.length > archiveBounds.pathMaxLength || path.includes('\0') || path.includes('\\'))
    throw new ImportFault(`The archive has an entry with the unusable name ${shown}`);
  const parts = path.split('/').filter((part) => part !== '' && part !== '.');
  if (path.startsWith('/') || /^[a-z]:/i.test(path) || parts.includes('..'))
    throw new ImportFault(`The archive has an entry outside of itself, ${shown}`);
  return parts.join('/').normalize('NFC');
}

/** Counts what comes out of an archive. */
export class UnpackedBytes {
  #bytes = 0;
  readonly #packedBytes: number;

  constructor(packedBytes: number) {
    this.#packedBytes = packedBytes;
  }

  /** @throws ImportFault at a bound */
  add(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes > archiveBounds.unpackedMaxBytes)
      throw new ImportFault('The archive unpacks to more than a tebibyte');
    if (
      this.#bytes > archiveBounds.unsuspectedBytes &&
      this.#bytes > archiveBounds.ratioMax * this.#packedBytes
    )
      throw new ImportFault(
        `The archive unpacks to more than ${archiveBounds.ratioMax} times its size, as no export does`,
      );
  }
}
