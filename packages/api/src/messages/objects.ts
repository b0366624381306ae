import { Type } from 'typebox';

import {
  avatarUrl,
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
import type { Value } from '../declare/schema.ts';

/** Messages (contract, Message; reference facts, messages 5 and events 11.1). */

export const messageFlags = [
  'read',
  'starred',
  'collapsed',
  'mentioned',
  'wildcard_mentioned',
  'summarize_in_home',
  'summarize_in_stream',
  'force_expand',
  'force_collapse',
  'has_alert_word',
  'historical',
] as const;

export type MessageFlag = (typeof messageFlags)[number];

export const messageFlagSchema = { ...oneOfTexts(messageFlags), name: 'MessageFlag' };

const participantSchema = object(
  { id: integer, email: text, full_name: text, short_name: text, is_mirror_dummy: boolean },
  { name: 'Participant', description: 'A participant of a private conversation' },
);

export const reactionMembers = {
  emoji_name: text,
  emoji_code: text,
  reaction_type: oneOfTexts(['unicode_emoji', 'realm_emoji', 'zulip_extra_emoji']),
};

const reactionSchema = object(
  {
    ...reactionMembers,
    user: object({ id: integer, email: text, full_name: text }),
    user_id: integer,
  },
  { name: 'Reaction' },
);

const submessageSchema = object(
  {
    id: integer,
    message_id: integer,
    sender_id: integer,
    msg_type: text,
    content: described(text, 'JSON text'),
  },
  { name: 'Submessage' },
);

const editSchema = object(
  {
    user_id: integer,
    timestamp,
    ...optional({
      prev_subject: text,
      prev_content: text,
      prev_rendered_content: text,
      prev_rendered_content_version: integer,
    }),
  },
  { name: 'MessageEdit', description: 'The earlier state of what an edit changed' },
);

const everywhere = {
  id: integer,
  sender_id: integer,
  content: described(text, 'HTML, or the text as it was written'),
  content_type: oneOfTexts(['text/html', 'text/x-markdown']),
  recipient_id: integer,
  timestamp,
  client: described(text, 'The client that sent it'),
  subject_links: texts,
  is_me_message: boolean,
  reactions: listOf(reactionSchema),
  submessages: listOf(submessageSchema),
  ...each(['sender_full_name', 'sender_short_name', 'sender_email', 'sender_realm_str'], text),
  avatar_url: avatarUrl,
};

const inStream = {
  type: constant('stream'),
  display_recipient: described(text, 'The name of the stream'),
  stream_id: integer,
  subject: described(text, 'The topic'),
};

const inPrivate = {
  type: constant('private'),
  display_recipient: listOf(participantSchema),
  subject: constant(''),
};

/** Members that only fetched messages have, or may have. */
const fetched = {
  flags: listOf(messageFlagSchema),
  ...optional({
    last_edit_timestamp: timestamp,
    edit_history: listOf(editSchema),
    match_content: described(text, 'Of a search: HTML with what was found marked'),
    match_subject: described(text, 'Of a search: HTML with what was found marked'),
  }),
};

/** A message in the answer of GET messages. */
export const fetchedMessageSchema = union(
  'type',
  [
    object({ ...everywhere, ...inStream, ...fetched }, { name: 'FetchedStreamMessage' }),
    object({ ...everywhere, ...inPrivate, ...fetched }, { name: 'FetchedPrivateMessage' }),
  ],
  { name: 'FetchedMessage' },
);

export type FetchedMessage = Value<typeof fetchedMessageSchema>;

/** The message of a `message` event, which has the flags beside it. */
export const newMessageSchema = union(
  'type',
  [
    object(
      {
        ...everywhere,
        ...inStream,
        ...optional({
          invite_only_stream: described(
            constant(true),
            'For a private stream, and only for clients whose name marks them as mirrors',
          ),
        }),
      },
      { name: 'NewStreamMessage' },
    ),
    object({ ...everywhere, ...inPrivate }, { name: 'NewPrivateMessage' }),
  ],
  { name: 'NewMessage' },
);

/** The state of a message at one time (contract, Message edit snapshot). */
export const editSnapshotSchema = object(
  {
    topic: text,
    content: text,
    rendered_content: text,
    user_id: integer,
    timestamp,
    ...optional(
      each(['prev_topic', 'prev_content', 'prev_rendered_content', 'content_html_diff'], text),
    ),
  },
  { name: 'EditSnapshot' },
);

export type EditSnapshot = Value<typeof editSnapshotSchema>;

/** An uploaded file of its owner (reference facts, people 15). */
export const attachmentSchema = object(
  {
    id: integer,
    name: described(text, 'As it was when it was uploaded'),
    path_id: described(text, 'The uri without `/user_uploads/`'),
    size: described(integer, 'Bytes'),
    create_time: described(integer, 'Milliseconds since 1970'),
    messages: listOf(
      object({
        id: integer,
        name: Type.Integer({
          description: 'When the message was sent, in milliseconds since 1970',
        }),
      }),
    ),
  },
  { name: 'Attachment' },
);

export type Attachment = Value<typeof attachmentSchema>;

const written = {
  type: described(oneOfTexts(['', 'stream', 'private']), 'Empty while nobody chose'),
  to: described(integers, 'The id of a stream, or of people; empty while nobody chose'),
  topic: text,
  content: text,
};

/** A draft as clients write it. */
export const writtenDraftSchema = object(
  { ...written, ...optional({ timestamp: described(timestamp, 'When it was written; now') }) },
  { name: 'WrittenDraft' },
);

/** What its author wrote and did not send (decision 0082). */
export const draftSchema = object({ id: integer, ...written, timestamp }, { name: 'Draft' });

export type Draft = Value<typeof draftSchema>;

const scheduled = {
  scheduled_message_id: integer,
  content: text,
  rendered_content: described(text, 'The HTML, as of when the message was scheduled'),
  scheduled_delivery_timestamp: described(timestamp, 'When it is sent, in seconds since 1970'),
  failed: described(
    constant(false),
    'A message that is refused at its time leaves the list, and the notification bot writes to its sender',
  ),
  delivery_type: oneOfTexts(['send_later', 'remind']),
};

/** A message that its sender sees until it is sent (decision 0023). */
export const scheduledMessageSchema = union(
  'type',
  [
    object(
      {
        ...scheduled,
        type: constant('stream'),
        to: described(integer, 'The id of the stream'),
        topic: text,
      },
      { name: 'ScheduledStreamMessage' },
    ),
    object(
      {
        ...scheduled,
        type: constant('private'),
        to: described(integers, 'The ids of the recipients; only of the sender for a note to self'),
      },
      { name: 'ScheduledPrivateMessage' },
    ),
  ],
  { name: 'ScheduledMessage' },
);

export type ScheduledMessage = Value<typeof scheduledMessageSchema>;
