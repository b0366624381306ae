import { renderDescription } from '@parley/markdown';

const nothing = (): undefined => undefined;

/** What visitors read when the organization has no description (reference facts, people 5.5). */
const defaultDescription = 'The coolest place in the universe.';

/**
 * Makes the renderer of the organization's description, which anybody may read: names of people, groups and streams stay plain
 * text.
 *
 * @param publicUrl without a slash at the end
 */
export function realmDescriptionRenderer(publicUrl: string): (description: string) => string {
  const context = {
    realmUri: publicUrl,
    usersByName: () => [],
    userById: nothing,
    groupByName: nothing,
    streamByName: nothing,
    realmEmoji: nothing,
    linkifiers: [],
    settings: { inlineImagePreview: false },
  };
  return (description) =>
    renderDescription(description === '' ? defaultDescription : description, context);
}
