import type { Conversation } from './narrow.ts';
import type { State } from './state.ts';

/** @returns undefined for somebody whom the person may not know */
export function findName({ people }: State, userId: number): string | undefined {
  return people.value.get(userId)?.full_name;
}

/** Whether somebody is here now: what a private conversation with one person shows. */
export function presenceOfPerson(
  { people, presences, statuses }: State,
  userId: number,
): 'active' | 'idle' | 'offline' {
  if (statuses.value.get(userId)?.away === true) return 'offline';
  const person = people.value.get(userId);
  return (person && presences.value.get(person.email)?.status) ?? 'offline';
}

/** The other person of a conversation of two. */
export function onlyPartnerOf(conversation: Conversation): number | undefined {
  return conversation.type === 'private' && conversation.userIds.length === 1
    ? conversation.userIds[0]
    : undefined;
}
