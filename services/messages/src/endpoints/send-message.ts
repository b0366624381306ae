import { badRequest } from '@parley/contracts';
import { custom, defineEndpoint, text } from '@parley/http';

import type { MessagesContext } from '../context.ts';
import { waitingMax } from '../deferring/deferred-messages.ts';
import { widgetContentMaxCodePoints } from '../sending/check-widget.ts';
import { noRecipients, parseRecipients } from '../sending/recipients-parameter.ts';

const deliveryTypes = new Set(['send_now', 'send_later', 'remind']);
const affirmatives = new Set(['yes', 'true']);

/** POST messages (contract, Messages; reference facts, messages 3). */
export const sendMessageEndpoint = defineEndpoint({
  name: 'send-message',
  method: 'POST',
  path: '/messages',
  summary: 'Send a message',
  description: [
    'To a topic of a stream, or to people. A repeat with the same `Idempotency-Key` header within a day answers the first id; so does one with the same `queue_id`, `local_id` and content.',
    `With \`delivery_type\` \`send_later\` or \`remind\` the message is checked now and sent at \`deliver_at\`, if its sender may send it then; the answer has \`deliver_at\` in place of \`id\`. A reminder is sent by the notification bot, to a stream or to its sender alone. At most ${waitingMax} messages of an account wait. A sender whose message is refused at its time is told by the notification bot.`,
  ].join('\n\n'),
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
    text('delivery_type', {
      default: 'send_now',
      description: '`send_now`, `send_later` or `remind`',
    }),
    text('deliver_at', {
      description:
        'When a message that is not sent now is delivered: a date and time in ISO 8601, such as `2031-05-01T09:30:00+02:00`',
    }),
    text('tz_guess', {
      description:
        'The time zone of a `deliver_at` without an offset, by its IANA name; by default that of the account, else UTC',
    }),
  ],
  response: {
    type: 'object',
    properties: {
      id: { type: 'integer', description: 'The id of the message; not of one that is sent later' },
      deliver_at: {
        type: 'string',
        description: 'Of a message that is sent later: when, in ISO 8601 with an offset',
      },
    },
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
    const { delivery_type: deliveryType } = parameters;
    if (!deliveryTypes.has(deliveryType))
      throw badRequest(`Invalid delivery_type: '${deliveryType}'`);
    const request = {
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
    };
    if (deliveryType === 'send_now') return { id: await context.sender.send(request) };
    return {
      deliver_at: await context.deferredMessages.defer({
        ...request,
        deliveryType,
        deliverAt: parameters.deliver_at,
        tzGuess: parameters.tz_guess,
      }),
    };
  },
});
