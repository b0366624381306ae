import type { App } from '../../data/app.ts';

/** What each section of the settings gets. */
export type SectionProps = { readonly app: App };
