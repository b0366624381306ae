export * from './default-avatar.ts';
export * from './default-logo.ts';
export * from './extra-emoji.ts';
export * from './decoder-unavailable.ts';
export { ImageDecoder } from './image-decoder.ts';
export type { MadeImage, WantedImages } from './make-images.ts';
export { UnusableImage } from './open-image.ts';
export type { ImageFault } from './open-image.ts';
