import { badRequest } from '@parley/contracts';
import { custom, defineEndpoint, text } from '@parley/http';

import type { MessagesContext } from '../context.ts';
import { widgetContentMaxCodePoints } from '../sending/check-widget.ts';
import { noRecipients, parseRecipients } from '../sending/recipients-parameter.ts';

const deferredTypes = new Set(['send_later', 'remind']);
const affirmatives = new Set(['yes', 'true']);

function checkDelivery(
  deliveryType: string,
  deliverAt: string | undefined,
  isStream: boolean,
): void {
  if (deliveryType === 'send_now') return;
  if (!deferredTypes.has(deliveryType))
    throw badRequest(`Invalid delivery_type: '${deliveryType}'`);
  if (deliverAt === undefined)
    throw badRequest('Missing deliver_at in a request for delayed message delivery');
  if (deliveryType === 'remind' && !isStream)
    throw badRequest('Reminders can only be set for streams.');
  const atMs = Date.parse(deliverAt);
  if (Number.isNaN(atMs)) throw badRequest('Invalid time format');
  if (atMs <= Date.now()) throw badRequest('Time must be in the future.');
  throw badRequest('Delayed message delivery is not available');
}

/** POST messages (contract, Messages; reference facts, messages 3). */
export const sendMessageEndpoint = defineEndpoint({
  name: 'send-message',
  method: 'POST',
  path: '/messages',
  summary: 'Send a message',
  description:
    'To a topic of a stream, or to people. A repeat with the same `Idempotency-Key` header within a day answers the first id; so does one with the same `queue_id`, `local_id` and content.',
  example: {
    parameters: {
      type: 'stream',
      to: 'general',
      topic: 'hello',
      content: 'High water is at **noon** :wave:',
    },
  },
  access: { authentication: 'required', incomingWebhookBots: 'allowed' },
  parameters: [
    text('type', {
      required: true,
      description: '`stream` or `private`; also `channel` and `direct`',
    }),
    custom(
      'to',
      {
        encoding: 'text',
        nul: 'handled',
        schema: { type: 'string' },
        default: null,
        description:
          'The stream by name or id; or the recipients by address, as text with commas or JSON list, or by id',
      },
      parseRecipients,
    ),
    text('topic', {
      aliases: ['subject'],
      description: 'Required for streams; cut at 60 characters',
    }),
    text('content', {
      required: true,
      nul: 'handled',
      description: 'The text; cut at 10000 characters',
    }),
    text('queue_id', { description: 'Local echo: the event queue whose event carries `local_id`' }),
    text('local_id', { description: 'Local echo: the id that the client gave the message' }),
    text('widget_content', {
      description: `A widget as JSON text; at most ${widgetContentMaxCodePoints} characters`,
    }),
    text('forged', { description: 'For mirroring accounts only' }),
    text('realm_str', { description: 'Ignored when it names the organization' }),
    text('delivery_type', { default: 'send_now', description: '`send_now`' }),
    text('deliver_at', { description: 'For delayed delivery' }),
  ],
  response: {
    type: 'object',
    properties: { id: { type: 'integer', description: 'The id of the message' } },
    required: ['id'],
  },
  errors: ['STREAM_DOES_NOT_EXIST', 'REQUEST_CONFUSING_VAR', 'IDEMPOTENCY_KEY_REUSED'],
  handler: async (
    context: MessagesContext,
    { caller, parameters, clientName, requestId, header },
  ) => {
    // No account here has the right to act for others.
    if (affirmatives.has(parameters.forged ?? ''))
      throw badRequest('User not authorized for this query');
    if (
      parameters.realm_str !== undefined &&
      parameters.realm_str !== (await context.sender.realmStringId())
    ) {
      throw badRequest('User not authorized for this query');
    }
    checkDelivery(parameters.delivery_type, parameters.deliver_at, parameters.type === 'stream');
    const id = await context.sender.send({
      senderId: caller.userId,
      type: parameters.type,
      to: parameters.to ?? noRecipients,
      topic: parameters.topic,
      content: parameters.content,
      clientName,
      requestId,
      idempotencyKey: header('idempotency-key'),
      queueId: parameters.queue_id,
      localId: parameters.local_id,
      widgetContent: parameters.widget_content,
    });
    return { id };
  },
});
