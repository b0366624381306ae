import { renderDescription } from './render-message.ts';
import type { StepBudget } from './step-budget.ts';

const nothing = (): undefined => undefined;

/** Returns the HTML of a description. The descriptions of one request share a budget, and those beyond it are shown as text. */
export type DescriptionRenderer = (description: string, budget?: StepBudget) => string;

/**
 * Creates the renderer of stream descriptions (reference facts, streams 3.1): all message syntax, no previews. Names of people, groups and
 * streams stay plain text, because a description is shown to people who may not see the target of such a link. Wildcards also stay plain
 * text, because they mention nobody.
 *
 * @param publicUrl without a slash at the end
 */
export function descriptionRenderer(publicUrl: string): DescriptionRenderer {
  const context = {
    realmUri: publicUrl,
    usersByName: () => [],
    userById: nothing,
    hasWildcards: false,
    groupByName: nothing,
    streamByName: nothing,
    realmEmoji: nothing,
    linkifiers: [],
    settings: { inlineImagePreview: false },
  };
  return (description, budget) =>
    description === '' ? '' : renderDescription(description, context, budget);
}
