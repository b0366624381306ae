import { defineEndpoint, text } from '@parley/http';
import { translatesEmoticons } from '@parley/store';

import type { MessagesContext } from '../context.ts';
import { renderDataOf } from '../rendering/render-data.ts';
import { findNames } from '../sending/render-names.ts';

/** POST messages/render (contract, Messages; reference facts, messages 14). */
export const renderMessageEndpoint = defineEndpoint({
  name: 'render-message',
  method: 'POST',
  path: '/messages/render',
  summary: 'Render a message',
  description:
    'The HTML of a text as others would see it if the caller sent it. Nothing is stored, and nobody is notified.',
  example: { parameters: { content: 'The *Heron* gets her **new keel** on Thursday' } },
  access: { authentication: 'required' },
  parameters: [text('content', { required: true, description: 'The text; of any length' })],
  response: {
    type: 'object',
    properties: { rendered: { type: 'string', description: 'The HTML' } },
    required: ['rendered'],
  },
  handler: async (context: MessagesContext, { caller, parameters }) => {
    const { pool, realmFacts, renderer, publicUrl } = context;
    const { content } = parameters;
    const [realm, named, translateEmoticons] = await Promise.all([
      realmFacts.get(),
      findNames(pool, caller.userId, content),
      translatesEmoticons(pool, caller.userId),
    ]);
    const data = renderDataOf(publicUrl, realm, { translateEmoticons }, named);
    const rendered = await renderer.render(content, data);
    return { rendered: rendered.html };
  },
});
