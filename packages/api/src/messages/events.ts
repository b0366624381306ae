import {
  boolean,
  constant,
  described,
  each,
  integer,
  integers,
  listOf,
  object,
  oneOfTexts,
  optional,
  text,
  texts,
  timestamp,
  union,
} from '../declare/schema.ts';
import { event, eventByOp, sameForOps } from '../events/event-schema.ts';
import {
  attachmentSchema,
  draftSchema,
  messageFlagSchema,
  newMessageSchema,
  reactionMembers,
  scheduledMessageSchema,
} from './objects.ts';

/** Events about messages (reference facts, events 11 and 14.3). */

const flags = listOf(messageFlagSchema);

const deletion = {
  id: integer,
  type: constant('delete_message'),
  message_id: integer,
  sender: described(text, 'The address of the author, whoever deletes'),
  sender_id: integer,
};

const deletionEvent = union(
  'message_type',
  [
    object({ ...deletion, message_type: constant('stream'), stream_id: integer, topic: text }),
    object({ ...deletion, message_type: constant('private'), recipient_id: integer }),
  ],
  {
    name: 'DeleteMessageEvent',
    properties: { type: constant('delete_message') },
    required: ['type', 'message_type'],
  },
);

const operation = oneOfTexts(['add', 'remove']);

const somebody = { user_id: integer, email: text };

const attachment = { upload_space_used: described(integer, 'Bytes') };

export const messageEvents = [
  event('MessageEvent', 'message', {
    flags,
    message: newMessageSchema,
    ...optional({
      local_message_id: described(text, 'The `local_id` of the send, in the queue that it named'),
    }),
  }),
  event('UpdateMessageEvent', 'update_message', {
    user_id: described(integer, 'Who edited'),
    sender: described(text, 'The address of who edited'),
    message_id: integer,
    message_ids: described(integers, 'That message and others that were moved with it'),
    edit_timestamp: timestamp,
    flags: described(flags, 'The flags that `message_id` has for the receiver now'),
    ...optional({
      stream_name: text,
      stream_id: integer,
      orig_content: described(text, 'With the others of content: it was edited'),
      ...each(['orig_rendered_content', 'content', 'rendered_content'], text),
      prev_rendered_content_version: integer,
      is_me_message: boolean,
      orig_subject: described(text, 'With the others of topics: it was moved'),
      subject: text,
      subject_links: texts,
      propagate_mode: oneOfTexts(['change_one', 'change_later', 'change_all']),
    }),
  }),
  deletionEvent,
  event('UpdateMessageFlagsEvent', 'update_message_flags', {
    operation,
    op: operation,
    flag: messageFlagSchema,
    messages: integers,
    all: described(boolean, 'Of all messages, which are not listed then'),
  }),
  eventByOp(
    'ReactionEvent',
    'reaction',
    sameForOps(['add', 'remove'], {
      message_id: integer,
      ...reactionMembers,
      user: object({ ...somebody, full_name: text }),
      user_id: integer,
    }),
  ),
  event('SubmessageEvent', 'submessage', {
    message_id: integer,
    submessage_id: integer,
    sender_id: integer,
    msg_type: text,
    content: described(text, 'JSON text'),
  }),
  eventByOp('AttachmentEvent', 'attachment', {
    ...sameForOps(['add', 'update'], { attachment: attachmentSchema, ...attachment }),
    remove: { attachment: object({ id: integer }), ...attachment },
  }),
  eventByOp('DraftsEvent', 'drafts', {
    add: { drafts: listOf(draftSchema) },
    update: { draft: draftSchema },
    remove: { draft_id: integer },
  }),
  eventByOp('ScheduledMessagesEvent', 'scheduled_messages', {
    add: { scheduled_messages: listOf(scheduledMessageSchema) },
    remove: {
      scheduled_message_id: described(integer, 'It was sent, refused at its time, or cancelled'),
    },
  }),
] as const;
