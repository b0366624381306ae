import { descriptionRenderer } from '@parley/markdown';

/** The text that visitors read if the organization has no description (reference facts, people 5.5). */
const defaultDescription = 'Welcome.';

/**
 * Makes the renderer of the organization's description, which anybody may read: names of people, groups and streams stay plain
 * text.
 *
 * @param publicUrl without a slash at the end
 */
export function realmDescriptionRenderer(publicUrl: string): (description: string) => string {
  const render = descriptionRenderer(publicUrl);
  return (description) => render(description === '' ? defaultDescription : description);
}
