import type { Conversation } from './narrow.ts';
import type { State } from './state.ts';

/** A report older than this means offline: people report every minute. */
const offlineAfterSecs = 140;

/** Whether somebody is here now: what a private conversation with one person shows. */
export function presenceOfPerson(
  { people, reported, statuses, nowSecs }: State,
  userId: number,
): 'active' | 'idle' | 'offline' {
  const report = reported.value.get(people.value.get(userId)?.email ?? '');
  if (report === undefined || statuses.value.get(userId)?.away === true) return 'offline';
  return nowSecs.value - report.timestamp < offlineAfterSecs ? report.status : 'offline';
}

/** The other person of a conversation of two. */
export function onlyPartnerOf(conversation: Conversation): number | undefined {
  return conversation.type === 'private' && conversation.userIds.length === 1
    ? conversation.userIds[0]
    : undefined;
}
