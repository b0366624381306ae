import type { JsonSchema } from '@parley/http';

import {
  avatarUrl,
  boolean,
  each,
  integer,
  listOf,
  objectOf,
  text,
  texts,
  timestamp,
} from './building-blocks.ts';
import type { Members } from './building-blocks.ts';

/** Messages (contract, Message; reference facts, messages 5 and events 11.1). */

export const messageFlagSchema: JsonSchema = {
  name: 'MessageFlag',
  type: 'string',
  enum: [
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
  ],
};

const participantSchema = objectOf(
  { id: integer, email: text, full_name: text, short_name: text, is_mirror_dummy: boolean },
  {},
  { name: 'Participant', description: 'Somebody who takes part in a private conversation' },
);

export const reactionMembers: Members = {
  emoji_name: text,
  emoji_code: text,
  reaction_type: {
    type: 'string',
    enum: ['unicode_emoji', 'realm_emoji', 'zulip_extra_emoji'],
  },
};

const reactionSchema = objectOf(
  {
    ...reactionMembers,
    user: objectOf({ id: integer, email: text, full_name: text }),
    user_id: integer,
  },
  {},
  { name: 'Reaction' },
);

const submessageSchema = objectOf(
  {
    id: integer,
    message_id: integer,
    sender_id: integer,
    msg_type: text,
    content: { type: 'string', description: 'JSON text' },
  },
  {},
  { name: 'Submessage' },
);

const editSchema = objectOf(
  { user_id: integer, timestamp },
  {
    prev_subject: text,
    prev_content: text,
    prev_rendered_content: text,
    prev_rendered_content_version: integer,
  },
  { name: 'MessageEdit', description: 'What a message was before an edit, of what it altered' },
);

const everywhere: Members = {
  id: integer,
  sender_id: integer,
  content: { type: 'string', description: 'HTML, or the text as it was written' },
  content_type: { type: 'string', enum: ['text/html', 'text/x-markdown'] },
  recipient_id: integer,
  timestamp,
  client: { type: 'string', description: 'The client that sent it' },
  subject_links: texts,
  is_me_message: boolean,
  reactions: listOf(reactionSchema),
  submessages: listOf(submessageSchema),
  ...each(['sender_full_name', 'sender_short_name', 'sender_email', 'sender_realm_str'], text),
  avatar_url: avatarUrl,
};

const inStream: Members = {
  type: { const: 'stream' },
  display_recipient: { type: 'string', description: 'The name of the stream' },
  stream_id: integer,
  subject: { type: 'string', description: 'The topic' },
};

const inPrivate: Members = {
  type: { const: 'private' },
  display_recipient: listOf(participantSchema),
  subject: { const: '' },
};

const flags = listOf(messageFlagSchema);

/** What only fetched messages may have beside. */
const edited: Members = { last_edit_timestamp: timestamp, edit_history: listOf(editSchema) };

const found: Members = {
  match_content: { type: 'string', description: 'Of a search: HTML with what was found marked' },
  match_subject: { type: 'string', description: 'Of a search: HTML with what was found marked' },
};

/** A message of GET messages. */
export const fetchedMessageSchema: JsonSchema = {
  name: 'FetchedMessage',
  discriminator: { propertyName: 'type' },
  oneOf: [
    objectOf(
      { ...everywhere, ...inStream, flags },
      { ...edited, ...found },
      { name: 'FetchedStreamMessage' },
    ),
    objectOf(
      { ...everywhere, ...inPrivate, flags },
      { ...edited, ...found },
      { name: 'FetchedPrivateMessage' },
    ),
  ],
};

/** The message of a `message` event, whose flags are beside it. */
export const newMessageSchema: JsonSchema = {
  name: 'NewMessage',
  discriminator: { propertyName: 'type' },
  oneOf: [
    objectOf(
      { ...everywhere, ...inStream },
      {
        invite_only_stream: {
          const: true,
          description: 'Of a private stream, for clients whose name says that they mirror',
        },
      },
      { name: 'NewStreamMessage' },
    ),
    objectOf({ ...everywhere, ...inPrivate }, {}, { name: 'NewPrivateMessage' }),
  ],
};

/** What a message was at one time (contract, Message edit snapshot). */
export const editSnapshotSchema: JsonSchema = objectOf(
  { topic: text, content: text, rendered_content: text, user_id: integer, timestamp },
  each(['prev_topic', 'prev_content', 'prev_rendered_content', 'content_html_diff'], text),
  { name: 'EditSnapshot' },
);

/** An uploaded file of its owner (reference facts, people 15). */
export const attachmentSchema: JsonSchema = objectOf(
  {
    id: integer,
    name: { type: 'string', description: 'As it was when it was uploaded' },
    path_id: { type: 'string', description: 'The uri without `/user_uploads/`' },
    size: { type: 'integer', description: 'Bytes' },
    create_time: { type: 'integer', description: 'Milliseconds since 1970' },
    messages: listOf(
      objectOf({
        id: integer,
        name: {
          type: 'integer',
          description: 'When the message was sent, in milliseconds since 1970',
        },
      }),
    ),
  },
  {},
  { name: 'Attachment' },
);
