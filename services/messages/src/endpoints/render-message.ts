import { renderMessageEndpoint } from '@parley/api/messages';
import { renderDataOf } from '@parley/composing/render-data';
import { implement } from '@parley/server';
import { noteRenderedPictures, translatesEmoticons } from '@parley/store';

import type { MessagesContext } from '../context.ts';
import { findNames } from '../sending/render-names.ts';

/** POST messages/render (contract, Messages; reference facts, messages 14). */
export const renderMessageHandler = implement(
  renderMessageEndpoint,
  async (context: MessagesContext, { caller, parameters }) => {
    const { pool, realmFacts, renderer, publicUrl } = context;
    const { content } = parameters;
    const [realm, named, translateEmoticons] = await Promise.all([
      realmFacts.get(),
      findNames(pool, caller.userId, content),
      translatesEmoticons(pool, caller.userId),
    ]);
    const data = renderDataOf(publicUrl, realm, { translateEmoticons }, named);
    const rendered = await renderer.render(content, data);
    if (rendered.hasImage) await noteRenderedPictures(pool, caller.userId, rendered.html);
    return { rendered: rendered.html };
  },
);
