/** What keeping files promises, whatever keeps them. */
import type { Readable } from 'node:stream';

/** A part of a file, first and last byte included. */
export type ByteRange = { readonly first: number; readonly last: number };

export type StoredFile = {
  /** Size of the whole file. */
  readonly sizeBytes: number;
  /** Destroying it gives the file up; it fails when the store does. */
  readonly content: Readable;
};

/**
 * Keeps files under keys. A file is there as a whole or not at all, never changes, and is the same for every process that uses the
 * same store. Nothing is ever in memory but a few pieces of a file.
 */
export type FileStore = {
  /**
   * Stores a file, which is durable when this returns. Where it throws, the key holds nothing that could be read.
   *
   * @returns its size in bytes
   * @throws the content's own error when that fails, `FileStoreFault` when the store does
   */
  write(key: string, content: Readable): Promise<number>;
  /**
   * Opens a file.
   *
   * @param range ends within the file
   * @returns undefined when there is none
   * @throws FileStoreFault
   */
  read(key: string, range?: ByteRange): Promise<StoredFile | undefined>;
  /**
   * Removes a file, and what a write left that was cut off. One that is not there is removed already.
   *
   * @throws FileStoreFault
   */
  remove(key: string): Promise<void>;
  /** Ends connections. */
  close(): void;
};

/** The store did not do what it was asked to: it is away, full, or not writable. The cause says which. */
export class FileStoreFault extends Error {
  override readonly name = 'FileStoreFault';
}

const keyPattern = /^[A-Za-z0-9_-]{1,100}(?:\/[A-Za-z0-9_-]{1,100}){0,7}$/;

/**
 * Refuses what is no key: up to eight segments of letters, digits, `_` and `-`. A key is made by the caller and never by a client, so
 * this is the last of several reasons why no path leaves the folder.
 *
 * @throws TypeError
 */
export function checkKey(key: string): void {
  if (!keyPattern.test(key)) throw new TypeError(`${JSON.stringify(key)} is no key of a file`);
}
