import { exampleVariables } from '../declare/endpoint-example.ts';
import { declareEndpoint } from '../declare/endpoint.ts';
import {
  booleanParameter,
  integerParameter,
  pathInteger,
  textParameter,
} from '../declare/parameters.ts';
import { object } from '../declare/schema.ts';
import { limits } from '../limits.ts';

const messageId = pathInteger('message_id', { description: 'The message' });

/** PATCH messages/{message_id} (reference facts, messages 12). */
export const editMessageEndpoint = declareEndpoint({
  name: 'edit-message',
  method: 'PATCH',
  path: '/messages/{message_id}',
  service: 'messages',
  tag: 'Messages',
  summary: 'Edit the text or topic of a message',
  description:
    'Its sender may edit both. Administrators may edit the topic of any message. So may everybody if the topic is `(no topic)`, and for a day if the organization allows it. A topic for a private message is ignored.',
  example: {
    parameters: {
      message_id: exampleVariables.messageId,
      topic: 'Heron: new oars',
      content: 'The *Egret* needs new oars, not the *Heron*',
    },
  },
  access: { authentication: 'required' },
  parameters: [
    messageId,
    textParameter('content', {
      nul: 'handled',
      description: 'The new text; `(deleted)` is stored for an empty one',
    }),
    textParameter('topic', {
      aliases: ['subject'],
      description: `The new topic; cut at ${limits.topicMaxCodePoints} characters`,
    }),
    textParameter('propagate_mode', {
      default: 'change_one',
      description:
        'Which messages of the topic also get the new one: `change_one`; `change_later`, those with a larger id and exactly the same spelling; `change_all`, all others of the last seven days, in any spelling. At most 50,000 messages with 16 MiB of HTML move at once',
    }),
    ...(['old', 'new'] as const).map((which) =>
      booleanParameter(`send_notification_to_${which}_thread`, {
        default: true,
        description: `Whether a move leaves a notice in the ${which} topic, if the organization has them (\`send_move_notices\`)`,
      }),
    ),
  ],
  success: object({}),
  errors: ['REQUEST_CONFUSING_VAR'],
});

/** DELETE messages/{message_id} (contract, Messages; reference facts, messages 13). */
export const deleteMessageEndpoint = declareEndpoint({
  name: 'delete-message',
  method: 'DELETE',
  path: '/messages/{message_id}',
  service: 'messages',
  tag: 'Messages',
  summary: 'Delete a message permanently',
  description:
    'Administrators may delete any message that they can see. Others may delete their own messages if the organization allows it, and as long as it allows.',
  example: { as: 'administrator', parameters: { message_id: exampleVariables.messageId } },
  access: { authentication: 'required' },
  parameters: [messageId],
  success: object({}),
});

/** POST streams/{stream_id}/delete_topic (reference facts, streams 8.3). The service of messages makes the events of a deletion. */
export const deleteTopicEndpoint = declareEndpoint({
  name: 'delete-topic',
  method: 'POST',
  path: '/streams/{stream_id}/delete_topic',
  service: 'messages',
  tag: 'Messages',
  summary: 'Delete all messages of a topic permanently',
  description:
    'For administrators, in streams that they can read. In a private stream without shared history it deletes only messages that the caller received. It succeeds even if there is no such topic.',
  example: { parameters: { stream_id: exampleVariables.streamId, topic_name: 'varnish' } },
  access: { authentication: 'required', administratorsOnly: true },
  afterLoss: 'repeat',
  parameters: [
    pathInteger('stream_id', { description: 'The stream' }),
    textParameter('topic_name', { required: true, description: 'The topic, in any letter case' }),
  ],
  success: object({}),
  errors: ['BAD_REQUEST', 'UNAUTHORIZED_PRINCIPAL'],
});

/** POST submessage (reference facts, messages 16 and events 11.6). */
export const addSubmessageEndpoint = declareEndpoint({
  name: 'add-submessage',
  method: 'POST',
  path: '/submessage',
  service: 'messages',
  tag: 'Messages',
  summary: 'Add data of a widget to a message',
  description:
    'For everybody who may see the message, if it was sent with a widget. All holders of the message get an event; the request does not make the caller a holder.',
  example: {
    parameters: {
      message_id: exampleVariables.pollId,
      msg_type: 'widget',
      content: '{"type":"vote","key":"1,1","vote":1}',
    },
  },
  access: { authentication: 'required' },
  parameters: [
    integerParameter('message_id', { required: true, description: 'The id of the message' }),
    textParameter('msg_type', {
      required: true,
      description: `The purpose of the data, such as \`widget\`; at most ${limits.submessageTypeMaxCodePoints} characters`,
    }),
    textParameter('content', {
      required: true,
      nul: 'handled',
      description: `JSON as text; at most ${limits.submessageMaxCodePoints} characters`,
    }),
  ],
  success: object({}),
});
