import { signal } from '@preact/signals';

/** Whose card is shown: names and pictures set it. */
export const shownPerson = signal<number | undefined>(undefined);
