import type { MadeImage, WantedImages } from './make-images.ts';
import type { ImageFault } from './open-image.ts';

/** The limits of a decoder process for one picture; it is ended above them. */
export type DecoderLimits = {
  /** Resident memory of the process. */
  readonly memoryMaxBytes: number;
  /** Processor time. */
  readonly processorMaxMs: number;
};

export type DecoderTask = {
  readonly content: Buffer;
  readonly wanted: WantedImages;
  readonly limits: DecoderLimits;
};

export type DecoderOutcome =
  | { readonly kind: 'made'; readonly images: readonly MadeImage[] }
  | { readonly kind: 'unusable'; readonly fault: ImageFault };

export type DecoderReport =
  /** It is ready for a task. */
  | { readonly kind: 'ready' }
  /** With the resident memory of the process after its task. */
  | (DecoderOutcome & { readonly memoryBytes: number });
