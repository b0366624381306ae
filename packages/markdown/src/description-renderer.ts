import { renderDescription } from './render-message.ts';
import type { StepBudget } from './step-budget.ts';

const nothing = (): undefined => undefined;

/** Gives the HTML of a description. Those of one request share a budget: what is beyond it is shown as text. */
export type DescriptionRenderer = (description: string, budget?: StepBudget) => string;

/**
 * Makes the renderer of stream descriptions (reference facts, streams 3.1): all message syntax, no previews. Names of people,
 * groups and streams stay plain text, since a description is shown to people who may not see what it would link to, and so do
 * wildcards: nobody is mentioned by one.
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
