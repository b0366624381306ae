import { defineEndpoint, text } from '@parley/http';

import type { MessagesContext } from '../context.ts';
import { renderAs } from '../rendering/render-as.ts';

/** POST messages/render (contract, Messages; reference facts, messages 14). */
export const renderMessageEndpoint = defineEndpoint({
  name: 'render-message',
  method: 'POST',
  path: '/messages/render',
  summary: 'Render a message',
  description:
    'The HTML of a text as others would see it if the caller sent it. Nothing is stored, and nobody is notified.',
  access: { authentication: 'required' },
  parameters: [text('content', { required: true, description: 'The text; of any length' })],
  response: {
    type: 'object',
    properties: { rendered: { type: 'string', description: 'The HTML' } },
    required: ['rendered'],
  },
  handler: async (context: MessagesContext, { caller, parameters }) => {
    const { rendered } = await renderAs(context, caller.userId, parameters.content);
    return { rendered: rendered.html };
  },
});
