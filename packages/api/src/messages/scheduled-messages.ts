import { exampleVariables } from '../declare/endpoint-example.ts';
import { declareEndpoint } from '../declare/endpoint.ts';
import { pathInteger } from '../declare/parameters.ts';
import { listOf, object } from '../declare/schema.ts';
import { limits } from '../limits.ts';
import { scheduledMessageSchema } from './objects.ts';

/** Messages that are sent later, for those who asked for them (decision 0023). */

/** GET scheduled_messages. */
export const listScheduledMessagesEndpoint = declareEndpoint({
  name: 'list-scheduled-messages',
  method: 'GET',
  path: '/scheduled_messages',
  service: 'messages',
  tag: 'Messages',
  summary: "List the caller's own messages that are sent later",
  description: `In the order of their times; at most ${limits.deferredMessagesMax}. A message is in the list until it has been sent or refused.`,
  access: { authentication: 'required' },
  parameters: [],
  success: object({ scheduled_messages: listOf(scheduledMessageSchema) }),
});

/** DELETE scheduled_messages/{scheduled_message_id}. */
export const cancelScheduledMessageEndpoint = declareEndpoint({
  name: 'cancel-scheduled-message',
  method: 'DELETE',
  path: '/scheduled_messages/{scheduled_message_id}',
  service: 'messages',
  tag: 'Messages',
  summary: "Cancel one of the caller's own messages that are sent later",
  description:
    'After a success it is never sent. A message that the server has begun to send cannot be cancelled.',
  example: { parameters: { scheduled_message_id: exampleVariables.scheduledMessageId } },
  access: { authentication: 'required' },
  parameters: [pathInteger('scheduled_message_id', { description: 'The id of the message' })],
  success: object({}),
});
