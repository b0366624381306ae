import { exampleVariables } from '../declare/endpoint-example.ts';
import { declareEndpoint } from '../declare/endpoint.ts';
import { integerParameter, pathInteger, textParameter } from '../declare/parameters.ts';
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
    'Its sender may edit both. The topic of others’ messages may be edited by administrators, where the organization allows it by everybody for a day, and always where it is `(no topic)`. A topic for a private message is ignored.',
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
        'Which messages of exactly the same topic get the new one too: `change_one`; `change_later`, all with a larger id; `change_all`, all others of the last seven days. At most 50,000 messages move at once, of 16 MiB of HTML',
    }),
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
  summary: 'Delete a message for good',
  description:
    'Administrators may delete any message that they can see; others their own, where and while the organization lets them.',
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
  summary: 'Delete all messages of a topic for good',
  description:
    'For administrators, in streams that they can read; of a private stream without shared history what they received. Success even if there is no such topic.',
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
    'By anybody who may see the message. Everyone who holds it is told; who only sees it does not come to hold it.',
  example: {
    parameters: {
      message_id: exampleVariables.messageId,
      msg_type: 'widget',
      content: '{"type":"vote","key":"1,1","vote":1}',
    },
  },
  access: { authentication: 'required' },
  parameters: [
    integerParameter('message_id', { required: true, description: 'The id of the message' }),
    textParameter('msg_type', {
      required: true,
      description: `What the data is for, such as \`widget\`; at most ${limits.submessageTypeMaxCodePoints} characters`,
    }),
    textParameter('content', {
      required: true,
      nul: 'handled',
      description: `JSON as text; at most ${limits.submessageMaxCodePoints} characters`,
    }),
  ],
  success: object({}),
});
