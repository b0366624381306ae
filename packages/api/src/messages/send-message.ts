import { declareEndpoint } from '../declare/endpoint.ts';
import { customParameter, textParameter } from '../declare/parameters.ts';
import { described, integer, object, optional, text } from '../declare/schema.ts';
import { limits } from '../limits.ts';
import { parseRecipients } from './recipients-parameter.ts';

/** POST messages (contract, Messages; reference facts, messages 3). */
export const sendMessageEndpoint = declareEndpoint({
  name: 'send-message',
  method: 'POST',
  path: '/messages',
  takesHeaders: ['idempotency-key'],
  service: 'messages',
  tag: 'Messages',
  summary: 'Send a message',
  description: [
    'Sends to a topic of a stream, or to people. A repeat within a day with the same `Idempotency-Key` header answers the first id; so does a repeat with the same `queue_id`, `local_id` and content.',
    `With \`delivery_type\` \`send_later\` or \`remind\` the message is checked now and sent at \`deliver_at\`, if its sender may send it then; the answer has \`deliver_at\` in place of \`id\`. A reminder is sent by the notification bot, to a stream or to its sender alone. At most ${limits.deferredMessagesMax} messages of an account wait. A sender whose message is refused at its time is told by the notification bot.`,
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
  afterLoss: 'keyed-send',
  limits: { turns: 'none' },
  parameters: [
    textParameter('type', {
      required: true,
      description: '`stream` or `private`; also `channel` and `direct`',
    }),
    customParameter(
      'to',
      {
        encoding: 'text',
        nul: 'handled',
        schema: text,
        default: null,
        description:
          'The stream by name or id; or the recipients by address, as text with commas or JSON list, or by id',
      },
      parseRecipients,
    ),
    textParameter('topic', {
      aliases: ['subject'],
      description: `Required for streams; cut at ${limits.topicMaxCodePoints} characters`,
    }),
    textParameter('content', {
      required: true,
      nul: 'handled',
      description: `The text; cut at ${limits.contentMaxCodePoints} characters`,
    }),
    textParameter('queue_id', {
      description: 'Local echo: the event queue whose event contains `local_id`',
    }),
    textParameter('local_id', {
      description: 'Local echo: the id that the client gave the message',
    }),
    textParameter('widget_content', {
      description: `A widget as JSON text; at most ${limits.widgetContentMaxCodePoints} characters`,
    }),
    textParameter('forged', { description: 'For mirroring accounts only' }),
    textParameter('realm_str', { description: 'Ignored if it is the name of the organization' }),
    textParameter('delivery_type', {
      default: 'send_now',
      description: '`send_now`, `send_later` or `remind`',
    }),
    textParameter('deliver_at', {
      description:
        'When to deliver a message that is sent later: a date and time in ISO 8601, such as `2031-05-01T09:30:00+02:00`, also `20310501T093000` and `2031/05/01 09:30`, or in the format of HTTP, `Thu, 01 May 2031 09:30:00 GMT`',
    }),
    textParameter('tz_guess', {
      description:
        'The time zone of a `deliver_at` without an offset, by its IANA name; by default that of the account, otherwise UTC',
    }),
  ],
  success: object(
    optional({
      id: described(integer, 'The id of the message; not of one that is sent later'),
      deliver_at: described(
        text,
        'For a message that is sent later: the time, in ISO 8601 with an offset',
      ),
    }),
  ),
  errors: ['STREAM_DOES_NOT_EXIST', 'REQUEST_CONFUSING_VAR', 'IDEMPOTENCY_KEY_REUSED'],
});

/** POST messages/render (contract, Messages; reference facts, messages 14). */
export const renderMessageEndpoint = declareEndpoint({
  name: 'render-message',
  method: 'POST',
  path: '/messages/render',
  service: 'messages',
  tag: 'Messages',
  summary: 'Render a message',
  description:
    'Answers the HTML that others would see if the caller sent the text. Nothing is sent, and nobody is notified.',
  example: { parameters: { content: 'The *Heron* gets her **new keel** on Thursday' } },
  access: { authentication: 'required' },
  afterLoss: 'read',
  parameters: [
    textParameter('content', { required: true, description: 'The text, of any length' }),
  ],
  success: object({ rendered: described(text, 'The HTML') }),
});
