import type { ComponentType } from 'preact';

import type { App } from '../../data/app.ts';
import { settingsTexts as t } from '../../settings-texts.ts';

export type SectionProps = { readonly app: App };

export type SectionName = keyof typeof t.sections;

/** Parts of the settings, in their order. */
export type Sections = Readonly<Partial<Record<SectionName, ComponentType<SectionProps>>>>;

export const sectionTexts: {
  readonly [name in SectionName]: {
    readonly title: string;
    readonly note?: string;
    /** Of the form that adds to a section that is a list. */
    readonly add?: string;
    /** Of its button, where that does not add to the list at once. */
    readonly button?: string;
  };
} = t.sections;
