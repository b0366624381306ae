import type { ScheduledMessage } from '@parley/api/messages';
import type { WaitingMessage } from '../index.ts';

/** A deferred message as its sender sees it. */
export function scheduledMessageJson(message: WaitingMessage): ScheduledMessage {
  const { senderId, streamId, participantIds, topic, content, renderedContent } = message;
  const members = {
    scheduled_message_id: message.id,
    content,
    rendered_content: renderedContent,
    scheduled_delivery_timestamp: message.deliverAtSecs,
    failed: false,
    delivery_type: message.isReminder ? 'remind' : 'send_later',
  } as const;
  if (streamId !== null) return { ...members, type: 'stream', to: streamId, topic };
  const others = (participantIds ?? []).filter((id) => id !== senderId);
  return { ...members, type: 'private', to: others.length === 0 ? [senderId] : others };
}
