import type { JsonSchema } from '@parley/http';

import {
  boolean,
  each,
  integer,
  integers,
  listOf,
  objectOf,
  text,
  texts,
  timestamp,
} from '../building-blocks.ts';
import {
  attachmentSchema,
  messageFlagSchema,
  newMessageSchema,
  reactionMembers,
} from '../messages.ts';
import { eventSchema, eventSchemaByOp, sameForOps } from './event-schema.ts';

/** Events about messages (reference facts, events 11 and 14.3). */

const flags = listOf(messageFlagSchema);

const deletion = {
  message_id: integer,
  sender: { type: 'string', description: 'The address of the author, whoever deletes' },
  sender_id: integer,
} as const;

const deletionSchema: JsonSchema = {
  name: 'DeleteMessageEvent',
  type: 'object',
  properties: { type: { const: 'delete_message' } },
  required: ['type', 'message_type'],
  discriminator: { propertyName: 'message_type' },
  oneOf: [
    objectOf({
      id: integer,
      type: { const: 'delete_message' },
      message_type: { const: 'stream' },
      ...deletion,
      stream_id: integer,
      topic: text,
    }),
    objectOf({
      id: integer,
      type: { const: 'delete_message' },
      message_type: { const: 'private' },
      ...deletion,
      recipient_id: integer,
    }),
  ],
};

const operation: JsonSchema = { type: 'string', enum: ['add', 'remove'] };

const somebody = { user_id: integer, email: text } as const;

const attachment = { upload_space_used: { type: 'integer', description: 'Bytes' } } as const;

export const messageEvents: readonly JsonSchema[] = [
  eventSchema('MessageEvent', 'message', {
    required: { flags, message: newMessageSchema },
    optional: {
      local_message_id: {
        type: 'string',
        description: 'The `local_id` of the send, in the queue that it named',
      },
    },
  }),
  eventSchema('UpdateMessageEvent', 'update_message', {
    required: {
      user_id: { type: 'integer', description: 'Who edited' },
      sender: { type: 'string', description: 'The address of who edited' },
      message_id: integer,
      message_ids: { ...integers, description: 'That message and others that were moved with it' },
      edit_timestamp: timestamp,
      flags: { ...flags, description: 'The flags that `message_id` has for the receiver now' },
    },
    optional: {
      stream_name: text,
      stream_id: integer,
      orig_content: { type: 'string', description: 'With the others of content: it was edited' },
      ...each(['orig_rendered_content', 'content', 'rendered_content'], text),
      prev_rendered_content_version: integer,
      is_me_message: boolean,
      orig_subject: { type: 'string', description: 'With the others of topics: it was moved' },
      subject: text,
      subject_links: texts,
      propagate_mode: { type: 'string', enum: ['change_one', 'change_later', 'change_all'] },
    },
  }),
  deletionSchema,
  eventSchema('UpdateMessageFlagsEvent', 'update_message_flags', {
    required: {
      operation,
      op: operation,
      flag: messageFlagSchema,
      messages: integers,
      all: { type: 'boolean', description: 'Of all messages, which are not listed then' },
    },
  }),
  eventSchemaByOp(
    'ReactionEvent',
    'reaction',
    sameForOps(['add', 'remove'], {
      required: {
        message_id: integer,
        ...reactionMembers,
        user: objectOf({ ...somebody, full_name: text }),
        user_id: integer,
      },
    }),
  ),
  eventSchema('SubmessageEvent', 'submessage', {
    required: {
      message_id: integer,
      submessage_id: integer,
      sender_id: integer,
      msg_type: text,
      content: { type: 'string', description: 'JSON text' },
    },
  }),
  eventSchemaByOp(
    'TypingEvent',
    'typing',
    sameForOps(['start', 'stop'], {
      required: {
        sender: objectOf(somebody),
        recipients: { ...listOf(objectOf(somebody)), description: 'The sender among them' },
      },
    }),
  ),
  eventSchemaByOp('AttachmentEvent', 'attachment', {
    ...sameForOps(['add', 'update'], { required: { attachment: attachmentSchema, ...attachment } }),
    remove: { required: { attachment: objectOf({ id: integer }), ...attachment } },
  }),
];
