/** What people and topics are called in the page. */
import type { State } from '../../data/state.ts';
import { texts } from '../../texts.ts';

export function nameOf({ people }: State, userId: number): string {
  return people.value.get(userId)?.full_name ?? texts.compose.unknownPerson;
}

/** Several people in a line of text. */
export function namesOf(state: State, userIds: readonly number[]): string {
  return userIds.map((id) => nameOf(state, id)).join(', ');
}

export function topicName(topic: string): string {
  return topic === '' ? texts.compose.noTopic : topic;
}
