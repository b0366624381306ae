import { renderDescription } from './render-message.ts';

const nothing = (): undefined => undefined;

/**
 * Makes the renderer of stream descriptions (reference facts, streams 3.1): all message syntax, no previews. Names of people,
 * groups and streams stay plain text, since a description is shown to people who may not see what it would link to.
 *
 * @param publicUrl without a slash at the end
 */
export function descriptionRenderer(publicUrl: string): (description: string) => string {
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
  return (description) => (description === '' ? '' : renderDescription(description, context));
}
