import { badImage, limits, serviceUnavailable, uploadTooLarge } from '@parley/contracts';
import type { ApiError } from '@parley/contracts';
import { TooManyWaiting, UnusableImage } from '@parley/images';
import type { ImageFault } from '@parley/images';

/**
 * Makes of a file that somebody sent what is kept of it.
 *
 * @param unusable the refusal of what is no image, or too large a one
 * @throws ApiError for what is too large or no image; 503 while too many are being made
 */
export async function makePicture<Made>(
  content: Buffer,
  make: (content: Buffer) => Promise<Made>,
  unusable: (fault: ImageFault) => ApiError = badImage,
): Promise<Made> {
  if (content.length > limits.pictureMaxBytes) throw uploadTooLarge(limits.pictureMaxBytes);
  try {
    return await make(content);
  } catch (error) {
    if (error instanceof UnusableImage) throw unusable(error.fault);
    if (error instanceof TooManyWaiting) throw serviceUnavailable();
    throw error;
  }
}
