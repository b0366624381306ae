import { signal } from '@preact/signals';

/** The link around the picture of a message that is shown large: a press on one sets it. */
export const shownPicture = signal<HTMLAnchorElement | undefined>(undefined);

/** Pictures of messages that are shown large. */
export const pictureLinks = '.rendered a:has(> img.picture)';
