/** What a push says of one conversation, and how it is encrypted for its subscriber. */
import { createHash } from 'node:crypto';

import { messageLink } from '@parley/markdown';
import { wordsOf } from '@parley/api/notification-rules';
import type { PushPayload } from '@parley/api/notification-rules';
import type { ServiceCall } from '../../index.ts';
import type { PushKeys, PushTarget, NotificationFacts } from '@parley/store/notifications';
import webPush from 'web-push';

/** Push services take 4096 bytes (RFC 8030, 7.2), encryption included; these bounds stay below in any script. */
const textMaxCharacters = 200;
const idsMax = 20;
const goneMax = 60;

/**
 * Writes what a push says.
 *
 * @param shown of one conversation, by ascending id: what is new, and what is still shown of it
 * @param gone messages that were pushed before and are no longer to be shown
 */
export function pushPayload(
  shown: readonly [NotificationFacts, ...NotificationFacts[]],
  gone: readonly number[],
): PushPayload {
  const [first] = shown;
  const { message, recipient } = shown.at(-1) ?? first;
  const { place } = message;
  const showsText =
    place.type === 'stream' || recipient.settings.pm_content_in_desktop_notifications;
  return {
    v: 1,
    notice: {
      conversation_id: place.conversationId,
      place:
        place.type === 'stream'
          ? { type: 'stream', stream: place.streamName, topic: place.topic }
          : { type: 'private' },
      sender: message.senderName,
      text: showsText ? wordsOf(message.renderedContent, textMaxCharacters) : null,
      url: messageLink('', first.messageId, place),
      count: shown.length,
      message_ids: shown.slice(-idsMax).map(({ messageId }) => messageId),
    },
    gone: gone.slice(-goneMax),
  };
}

/** The same without words, earlier messages and what was read elsewhere, in case the whole is too large for a push service. */
export function shortened({ notice, ...payload }: PushPayload): PushPayload {
  const { message_ids: ids } = notice;
  return { ...payload, notice: { ...notice, text: null, message_ids: ids.slice(-1) }, gone: [] };
}

/** A push service keeps only the newest push of a topic for a device that is away (RFC 8030, 5.4). */
function topicOf({ notice }: PushPayload): string {
  const hash = createHash('sha256').update(`conversation ${notice.conversation_id}`);
  return hash.digest('base64url').slice(0, 32);
}

/**
 * Encrypts a payload for a subscriber (RFC 8291) and signs the request (RFC 8292).
 *
 * @param ttlSecs how long a push service keeps it for a device that is away
 * @param subject an https or mailto address of the operator, for push services
 * @throws Error if the subscriber's keys are unusable
 */
export function pushCall(
  { endpoint, p256dh, auth }: PushTarget,
  payload: PushPayload,
  isUrgent: boolean,
  ttlSecs: number,
  { publicKey, privateKey, subject }: PushKeys & { readonly subject: string },
): ServiceCall {
  const details = webPush.generateRequestDetails(
    { endpoint, keys: { p256dh, auth } },
    JSON.stringify(payload),
    {
      vapidDetails: { subject, publicKey, privateKey },
      TTL: ttlSecs,
      urgency: isUrgent ? 'high' : 'normal',
      topic: topicOf(payload),
      contentEncoding: 'aes128gcm',
    },
  );
  const { 'Content-Type': contentType, 'Content-Length': _length, ...headers } = details.headers;
  return {
    url: endpoint,
    contentType: contentType ?? 'application/octet-stream',
    body: details.body ?? Buffer.alloc(0),
    headers,
  };
}
