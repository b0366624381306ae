import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';

import {
  ApiError,
  badImage,
  limits,
  serviceUnavailable,
  uploadTooLarge,
  withoutCode,
} from '@parley/contracts';
import { FileStoreFault } from '@parley/files';
import type { FileStore } from '@parley/files';
import type { FormFile } from '@parley/http';
import { TooManyWaiting, UnusableImage, cropToPngs } from '@parley/images';
import type { Logger } from '@parley/logging';

/** The pictures of people and bots as files: made before the transaction that names them, removed after one that names them no more. */

/** Pixels (reference facts, people 7.8). */
export const avatarSides = { normal: 100, medium: 500 } as const;

const mediumSuffix = '-medium';

/** @returns the key of a picture in one of its sizes */
export function avatarKey(fileKey: string, size: keyof typeof avatarSides): string {
  return size === 'medium' ? fileKey + mediumSuffix : fileKey;
}

export class AvatarFiles {
  readonly #files: FileStore;
  readonly #log: Logger;

  constructor(options: { readonly files: FileStore; readonly log: Logger }) {
    this.#files = options.files;
    this.#log = options.log;
  }

  /**
   * Makes the pictures of an avatar and stores them, then does what names them. Where that refuses, nothing is left; where its outcome
   * is not known the files stay, since they may be in use.
   *
   * @param work gets the new key and returns the former one
   * @throws ApiError for what is too large or no image; 503 when the files cannot be stored
   * @throws whatever `work` throws
   */
  async replace<Result>(
    { content }: FormFile,
    work: (
      fileKey: string,
    ) => Promise<{ readonly result: Result; readonly former: string | undefined }>,
  ): Promise<Result> {
    if (content.length > limits.pictureMaxBytes) throw uploadTooLarge(limits.pictureMaxBytes);
    const fileKey = await this.#store(content);
    try {
      const { result, former } = await work(fileKey);
      await this.remove(former);
      return result;
    } catch (error) {
      if (error instanceof ApiError) await this.remove(fileKey);
      throw error;
    }
  }

  async #store(content: Buffer): Promise<string> {
    const fileKey = `avatars/${randomBytes(16).toString('hex')}`;
    try {
      const [normal, medium] = await cropToPngs(content, [avatarSides.normal, avatarSides.medium]);
      if (normal === undefined || medium === undefined) throw new Error('a picture was not made');
      await this.#files.write(fileKey, Readable.from([normal]));
      await this.#files.write(avatarKey(fileKey, 'medium'), Readable.from([medium]));
      return fileKey;
    } catch (error) {
      throw this.refusalOf(error);
    }
  }

  /** Removes a picture that nobody names any more. What cannot be removed now is left: it costs a few kilobytes. */
  async remove(fileKey: string | undefined): Promise<void> {
    if (fileKey === undefined) return;
    try {
      await this.#files.remove(fileKey);
      await this.#files.remove(avatarKey(fileKey, 'medium'));
    } catch (error) {
      this.#log.warn({ err: error }, 'an avatar that is not used could not be removed');
    }
  }

  /**
   * Opens a stored picture.
   *
   * @returns undefined when it is not there
   * @throws ApiError 503 when the files cannot be read
   */
  async read(
    fileKey: string,
    size: keyof typeof avatarSides,
  ): Promise<{ readonly sizeBytes: number; readonly content: Readable } | undefined> {
    try {
      return await this.#files.read(avatarKey(fileKey, size));
    } catch (error) {
      throw this.refusalOf(error);
    }
  }

  /** A fault of pictures and files as clients hear of it; any other error as it is. */
  refusalOf(error: unknown): unknown {
    if (error instanceof UnusableImage) return badImage(error.fault);
    if (error instanceof TooManyWaiting) return serviceUnavailable();
    if (!(error instanceof FileStoreFault)) return error;
    this.#log.error({ err: error }, 'the store of files failed');
    return serviceUnavailable();
  }
}

/**
 * @returns the one file of a form that may have one
 * @throws ApiError without code when there are more
 */
export async function findOneFile(
  formFiles: () => Promise<FormFile[]>,
): Promise<FormFile | undefined> {
  const files = await formFiles();
  if (files.length > 1) throw withoutCode('You may only upload one file at a time');
  return files[0];
}
