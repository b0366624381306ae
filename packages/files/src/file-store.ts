/** The guarantees of a file store, for every kind of store. */
import type { Readable } from 'node:stream';

/** A part of a file, first and last byte included. */
export type ByteRange = { readonly first: number; readonly last: number };

export type StoredFile = {
  /** Size of the whole file. */
  readonly sizeBytes: number;
  /** Destroying it ends the read; it fails if the store does. */
  readonly content: Readable;
};

/**
 * Keeps files under keys. A file exists completely or not at all, never changes, and is the same for every process with the same store.
 * Only a few pieces of a file are in memory at any time.
 */
export type FileStore = {
  /**
   * Stores a file, which is durable when this returns. If it throws, the key holds nothing readable.
   *
   * @returns its size in bytes
   * @throws the content's own error if that fails, `FileStoreFault` if the store does
   */
  write(key: string, content: Readable): Promise<number>;
  /**
   * Opens a file.
   *
   * @param range ends within the file
   * @returns undefined if there is none
   * @throws FileStoreFault
   */
  read(key: string, range?: ByteRange): Promise<StoredFile | undefined>;
  /**
   * Removes a file, and the rest of an interrupted write. A missing file counts as removed.
   *
   * @throws FileStoreFault
   */
  remove(key: string): Promise<void>;
  /** Ends connections. */
  close(): void;
};

/** The store did not do its work: it is down, full, or not writable. The cause says which. */
export class FileStoreFault extends Error {
  override readonly name = 'FileStoreFault';
}

const keyPattern = /^[A-Za-z0-9_-]{1,100}(?:\/[A-Za-z0-9_-]{1,100}){0,7}$/;

/**
 * Refuses texts that are not keys: up to eight segments of letters, digits, `_` and `-`. Callers make keys and clients never do, so this is
 * the last of several reasons why no path leaves the folder.
 *
 * @throws TypeError
 */
export function checkKey(key: string): void {
  if (!keyPattern.test(key)) throw new TypeError(`${JSON.stringify(key)} is no key of a file`);
}
