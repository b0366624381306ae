import { badImage, limits, ownerIdOf, serviceUnavailable, uploadTooLarge } from '@parley/api';
import type { ApiError, Caller, HangUpSignal } from '@parley/api';
import { FairLine } from '@parley/clock';
import type { Clock } from '@parley/clock';
import { takeTurn } from '@parley/server';
import type { FormFile } from '@parley/server';
import { DecoderUnavailable, UnusableImage } from '@parley/files/images';
import type { ImageDecoder, ImageFault, MadeImage, WantedImages } from '@parley/files/images';

/** A file of a request that may be a picture. */
export type UploadedPicture = {
  readonly content: Buffer;
  /** The owner, for taking turns. */
  readonly ownerId: number;
  /** No picture is made for a disconnected client. */
  readonly signal: HangUpSignal;
};

export type PictureRequest = {
  readonly caller: Caller;
  readonly formFiles: () => Promise<FormFile[]>;
  readonly signal: HangUpSignal;
};

/** Reads the files of a request; those of bots count as their owner's. */
export async function readPictures({
  caller,
  formFiles,
  signal,
}: PictureRequest): Promise<UploadedPicture[]> {
  const ownerId = ownerIdOf(caller);
  return (await formFiles()).map(({ content }) => ({ content, ownerId, signal }));
}

/**
 * Waiting pictures are in memory, bounded by the limit on request bodies. One that takes long delays only the next ones of its sender and, together
 * with another, those of everybody.
 */
const lineBounds = { atOnceMax: 2, atOnceOfOwnerMax: 1, waitingMax: 500 };

/** Makes the stored forms of pictures that people send, two at a time, with senders in turn. */
export class PictureMaker {
  readonly #decoders: readonly ImageDecoder[];
  /** Last the one that was used last, which is taken first, so that the other one's process ends when one is enough. */
  readonly #idle: ImageDecoder[];
  readonly #line: FairLine<number>;

  constructor(makeDecoder: () => ImageDecoder, clock: Clock) {
    this.#decoders = Array.from({ length: lineBounds.atOnceMax }, makeDecoder);
    this.#idle = [...this.#decoders];
    this.#line = new FairLine(clock, lineBounds);
  }

  /**
   * @param unusable the refusal of a file that is no image or too large
   * @returns the wanted pictures, in order
   * @throws ApiError for a file that is too large or no image; 503 while too many wait, or if the decoder is unavailable
   */
  async make(
    picture: UploadedPicture,
    wanted: WantedImages,
    unusable: (fault: ImageFault) => ApiError = badImage,
  ): Promise<readonly MadeImage[]> {
    if (picture.content.length > limits.pictureMaxBytes)
      throw uploadTooLarge(limits.pictureMaxBytes);
    try {
      return await takeTurn(
        this.#line,
        picture.ownerId,
        { gone: picture.signal, maxMs: limits.pictureWaitMaxMs },
        () => this.#decode(picture.content, wanted),
      );
    } catch (error) {
      if (error instanceof UnusableImage) throw unusable(error.fault);
      if (error instanceof DecoderUnavailable) throw serviceUnavailable();
      throw error;
    }
  }

  async #decode(content: Buffer, wanted: WantedImages): Promise<readonly MadeImage[]> {
    const decoder = this.#idle.pop();
    if (decoder === undefined) throw new Error('every decoder is busy');
    try {
      return await decoder.make(content, wanted);
    } finally {
      this.#idle.push(decoder);
    }
  }

  /** Ends the decoders. */
  close(): void {
    for (const decoder of this.#decoders) decoder.close();
  }
}
