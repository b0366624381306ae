/** What events say of streams and what the notification bot writes: the parts that tests of events share. */
import type { JsonObject } from '@parley/test-kit';

import { anyNumber, anyString, textMatching } from '../support/matchers.ts';
import type { Who } from './event-audience.ts';

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

export const ofStream = (op: string, object: JsonObject): JsonObject => ({
  type: 'stream',
  op,
  streams: [object],
});

/** What the notification bot writes into a stream; whoever made the change has read it. */
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
