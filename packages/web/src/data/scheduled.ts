/** Messages that the server sends later. */
import type { AnswerOf } from '@parley/client';

import type { App } from './app.ts';
import { partnersOf } from './narrow.ts';
import type { Conversation } from './narrow.ts';
import type { State } from './state.ts';

export type ScheduledMessage = AnswerOf<'GET /scheduled_messages'>['scheduled_messages'][number];

/** Where a message will go. */
export function conversationOfScheduled(message: ScheduledMessage, { self }: State): Conversation {
  return message.type === 'stream'
    ? { type: 'stream', streamId: message.to, topic: message.topic }
    : { type: 'private', userIds: partnersOf(message.to, self.peek().user_id) };
}

/**
 * Cancels a message, whose text becomes the draft of its conversation, after one that is there.
 *
 * @throws ApiError or NoAnswerError
 */
export async function cancelScheduled(app: App, message: ScheduledMessage): Promise<void> {
  await app.request('DELETE /scheduled_messages/{scheduled_message_id}', {
    scheduled_message_id: message.scheduled_message_id,
  });
  app.drafts.append(conversationOfScheduled(message, app.state), message.content);
}

const eveningHour = 18;
const morningHour = 9;
const daysOfWeek = 7;
const hourMs = 3_600_000;

function atHour(now: Date, daysLater: number, hour: number): Date {
  const at = new Date(now);
  at.setDate(at.getDate() + daysLater);
  at.setHours(hour, 0, 0, 0);
  return at;
}

/**
 * Times that people often choose, in the time zone of the browser.
 *
 * @returns those that are in the future, ascending
 */
export function quickTimes(now: Date) {
  const daysToMonday = (daysOfWeek + 1 - now.getDay()) % daysOfWeek || daysOfWeek;
  const times = [
    { name: 'hour', at: new Date(now.getTime() + hourMs) },
    { name: 'evening', at: atHour(now, 0, eveningHour) },
    { name: 'tomorrow', at: atHour(now, 1, morningHour) },
    { name: 'monday', at: atHour(now, daysToMonday, morningHour) },
  ] as const;
  return times
    .filter(({ name, at }) => at > now && (name !== 'monday' || daysToMonday > 1))
    .toSorted((one, other) => one.at.getTime() - other.at.getTime());
}
