import type { RenderedMessage } from '@parley/markdown';
import type { NamedInMessage } from '@parley/store';
import { translatesEmoticons } from '@parley/store';

import type { MessagesContext } from '../context.ts';
import type { RealmFacts } from '../sending/realm-facts.ts';
import { findNames } from '../sending/render-names.ts';
import { renderDataOf } from './render-data.ts';

export type RenderedAs = {
  readonly rendered: RenderedMessage;
  /** What the author may name of what the message names. */
  readonly named: NamedInMessage;
  readonly realm: RealmFacts;
};

/**
 * Renders a message as it would be if its author sent it now: for edits and previews.
 *
 * @param authorId whose access decides which streams are links, and whose setting which emoticons are emoji
 * @param content as it will be stored
 * @throws ApiError `Unable to render message`; 503
 */
export async function renderAs(
  context: MessagesContext,
  authorId: number,
  content: string,
): Promise<RenderedAs> {
  const [realm, named, translateEmoticons] = await Promise.all([
    context.realmFacts.get(),
    findNames(context.pool, authorId, content),
    translatesEmoticons(context.pool, authorId),
  ]);
  const data = renderDataOf(context.publicUrl, realm, { translateEmoticons }, named);
  return { rendered: await context.renderer.render(content, data), named, realm };
}
