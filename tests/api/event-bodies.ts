/** The contents of events about messages and streams, and of notices: the parts that tests of events share. */
import type { JsonObject } from '@parley/test-kit';

import { anyNumber, anyString, textMatching } from '../support/matchers.ts';
import type { EventAudience, Who } from './event-audience.ts';

/** A stream object; a public stream without messages unless told otherwise. */
export function stream(name: string, id: number, more: JsonObject = {}): JsonObject {
  return {
    name,
    stream_id: id,
    description: '',
    rendered_description: '',
    invite_only: false,
    is_web_public: false,
    is_announcement_only: false,
    history_public_to_subscribers: true,
    first_message_id: null,
    ...more,
  };
}

/** A private stream without shared history. */
export function closedStream(name: string, id: number, more: JsonObject = {}): JsonObject {
  return stream(name, id, { invite_only: true, history_public_to_subscribers: false, ...more });
}

export const ofStream = (op: string, object: JsonObject): JsonObject => ({
  type: 'stream',
  op,
  streams: [object],
});

/** The event of a person who joined or left a stream. */
export function peerEvent(
  op: 'peer_add' | 'peer_remove',
  name: string,
  id: number,
  userId: number,
): JsonObject {
  return {
    type: 'subscription',
    op,
    subscriptions: [name],
    user_id: userId,
    stream_id: id,
    stream_ids: [id],
    user_ids: [userId],
  };
}

export function flagsChanged(
  flag: string,
  messages: unknown,
  operation: 'add' | 'remove' = 'add',
): JsonObject {
  return { type: 'update_message_flags', operation, op: operation, flag, messages, all: false };
}

/** A notice of the notification bot in a stream; the user who made the change has read it. */
export function notice(
  name: string,
  id: number,
  content: string,
  actor: Who,
): (who: Who) => JsonObject {
  return (who) => ({
    type: 'message',
    flags: who === actor ? ['read'] : [],
    message: {
      id: anyNumber,
      sender_id: anyNumber,
      content,
      content_type: 'text/x-markdown',
      recipient_id: anyNumber,
      timestamp: anyNumber,
      client: 'Internal',
      subject: 'stream events',
      subject_links: [],
      is_me_message: false,
      reactions: [],
      submessages: [],
      sender_full_name: 'Notification Bot',
      sender_short_name: anyString,
      sender_email: textMatching(/^notification-bot@/),
      sender_realm_str: 'test',
      display_recipient: name,
      type: 'stream',
      stream_id: id,
      avatar_url: anyString,
    },
  });
}

/** A message as its sender gets it. */
export type Sent = {
  readonly id: number;
  readonly from: Who;
  readonly content: string;
};

function common(all: EventAudience, { id, from, content }: Sent): JsonObject {
  const { user } = all.people[from];
  return {
    id,
    sender_id: user.id,
    content,
    content_type: 'text/x-markdown',
    recipient_id: anyNumber,
    timestamp: anyNumber,
    client: 'ParleyTest',
    subject_links: [],
    is_me_message: false,
    reactions: [],
    submessages: [],
    sender_full_name: user.fullName,
    sender_short_name: user.shortName,
    sender_email: user.email,
    sender_realm_str: 'test',
    avatar_url: anyString,
  };
}

/** The event of a new message. */
export function messageEvent(message: JsonObject, flags: readonly string[] = []): JsonObject {
  return { type: 'message', flags, message };
}

/** The event of a new message in the stream `social`. */
export function inStream(
  all: EventAudience,
  sent: Sent,
  topic: string,
  flags: readonly string[] = [],
): JsonObject {
  return messageEvent(
    {
      ...common(all, sent),
      type: 'stream',
      display_recipient: 'social',
      stream_id: all.streamIds.social,
      subject: topic,
    },
    flags,
  );
}

/** The event of a new private message; recipients in the order of the event. */
export function inPrivate(
  all: EventAudience,
  sent: Sent,
  people: readonly Who[],
  flags: readonly string[] = [],
): JsonObject {
  const recipients = people.map((who) => {
    const { user } = all.people[who];
    return {
      id: user.id,
      email: user.email,
      full_name: user.fullName,
      short_name: user.shortName,
      is_mirror_dummy: false,
    };
  });
  return messageEvent(
    { ...common(all, sent), type: 'private', display_recipient: recipients, subject: '' },
    flags,
  );
}

/** The personal settings of a new subscription, except its colour (reference facts, streams 3.2). */
export const freshSubscription: JsonObject = {
  is_muted: false,
  in_home_view: true,
  pin_to_top: false,
  desktop_notifications: false,
  audible_notifications: false,
  push_notifications: false,
  email_notifications: false,
  wildcard_mentions_notify: null,
  email_address: '',
  is_old_stream: false,
  stream_weekly_traffic: null,
};
