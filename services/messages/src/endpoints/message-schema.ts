import type { JsonSchema } from '@parley/http';

const text: JsonSchema = { type: 'string' };
const integer: JsonSchema = { type: 'integer' };

const person: JsonSchema = {
  type: 'object',
  properties: {
    id: integer,
    email: text,
    full_name: text,
    short_name: text,
    is_mirror_dummy: { type: 'boolean' },
  },
  required: ['id', 'email', 'full_name', 'short_name', 'is_mirror_dummy'],
};

const reaction: JsonSchema = {
  type: 'object',
  properties: {
    emoji_name: text,
    emoji_code: text,
    reaction_type: text,
    user: {
      type: 'object',
      properties: { id: integer, email: text, full_name: text },
      required: ['id', 'email', 'full_name'],
    },
    user_id: integer,
  },
  required: ['emoji_name', 'emoji_code', 'reaction_type', 'user', 'user_id'],
};

const submessage: JsonSchema = {
  type: 'object',
  properties: {
    id: integer,
    message_id: integer,
    sender_id: integer,
    msg_type: text,
    content: text,
  },
  required: ['id', 'message_id', 'sender_id', 'msg_type', 'content'],
};

/** A message of fetched history (contract, Message; reference facts, messages 5). */
export const messageSchema: JsonSchema = {
  type: 'object',
  properties: {
    id: integer,
    sender_id: integer,
    content: text,
    content_type: { type: 'string', enum: ['text/html', 'text/x-markdown'] },
    recipient_id: integer,
    timestamp: integer,
    client: text,
    subject: text,
    subject_links: { type: 'array', items: text },
    is_me_message: { type: 'boolean' },
    reactions: { type: 'array', items: reaction },
    submessages: { type: 'array', items: submessage },
    flags: { type: 'array', items: text },
    sender_full_name: text,
    sender_short_name: text,
    sender_email: text,
    sender_realm_str: text,
    display_recipient: { anyOf: [text, { type: 'array', items: person }] },
    type: { type: 'string', enum: ['stream', 'private'] },
    avatar_url: { type: ['string', 'null'] },
    stream_id: integer,
    last_edit_timestamp: integer,
    match_content: text,
    match_subject: text,
    edit_history: { type: 'array', items: { type: 'object', additionalProperties: true } },
  },
  required: [
    'id',
    'sender_id',
    'content',
    'content_type',
    'recipient_id',
    'timestamp',
    'client',
    'subject',
    'subject_links',
    'is_me_message',
    'reactions',
    'submessages',
    'flags',
    'sender_full_name',
    'sender_short_name',
    'sender_email',
    'sender_realm_str',
    'display_recipient',
    'type',
    'avatar_url',
  ],
};
