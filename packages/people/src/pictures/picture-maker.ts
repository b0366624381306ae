import { badImage, limits, ownerIdOf, serviceUnavailable, uploadTooLarge } from '@parley/api';
import type { ApiError, Caller, HangUpSignal } from '@parley/api';
import { FairLine } from '@parley/server';
import type { FormFile } from '@parley/server';
import { DecoderUnavailable, UnusableImage } from '@parley/images';
import type { ImageDecoder, ImageFault, MadeImage, WantedImages } from '@parley/images';

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

type Order = UploadedPicture & { readonly wanted: WantedImages };

/** Waiting pictures are in memory, bounded by the limit on request bodies; one picture is decoded at a time. */
const lineBounds = {
  batchMax: 1,
  batchesAtOnce: 1,
  waitingMax: 500,
  waitMaxMs: limits.pictureWaitMaxMs,
};

/** Makes the stored forms of pictures that people send, one after another, with senders in turn. */
export class PictureMaker {
  readonly #decoder: ImageDecoder;
  readonly #line: FairLine<Order, readonly MadeImage[]>;

  constructor(decoder: ImageDecoder) {
    this.#decoder = decoder;
    this.#line = new FairLine(
      lineBounds,
      () => undefined,
      (orders) =>
        Promise.allSettled(orders.map(({ content, wanted }) => decoder.make(content, wanted))),
    );
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
      return await this.#line.take({ ...picture, wanted });
    } catch (error) {
      if (error instanceof UnusableImage) throw unusable(error.fault);
      if (error instanceof DecoderUnavailable) throw serviceUnavailable();
      throw error;
    }
  }

  /** Ends the decoder. */
  close(): void {
    this.#decoder.close();
  }
}
