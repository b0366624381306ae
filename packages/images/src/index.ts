export { drawDefaultAvatar } from './default-avatar.ts';
export { drawDefaultLogo } from './default-logo.ts';
export { drawExtraEmoji } from './extra-emoji.ts';
export { DecoderUnavailable } from './decoder-unavailable.ts';
export { ImageDecoder } from './image-decoder.ts';
export type { MadeImage, WantedImages } from './make-images.ts';
export { UnusableImage } from './open-image.ts';
export type { ImageFault } from './open-image.ts';
