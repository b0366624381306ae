export { drawDefaultAvatar } from './default-avatar.ts';
export { drawDefaultLogo } from './default-logo.ts';
export { UnusableImage } from './open-image.ts';
export type { ImageFault } from './open-image.ts';
export { cropToPngs, cropToSquare, fitToPng } from './make-images.ts';
export type { MadeImage } from './make-images.ts';
export { TooManyWaiting } from './one-at-a-time.ts';
