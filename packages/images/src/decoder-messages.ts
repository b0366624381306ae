import type { MadeImage, WantedImages } from './make-images.ts';
import type { ImageFault } from './open-image.ts';

/** What a process that decodes may take for one picture before it is ended. */
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
  /** It can take a task. */
  | { readonly kind: 'ready' }
  /** With what the process has resident after its task. */
  | (DecoderOutcome & { readonly memoryBytes: number });
