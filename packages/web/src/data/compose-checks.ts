/** What stands against sending a text, before the server says so, and what its writer should know first. */
import { limits } from '@parley/api/limits';

import type { Conversation } from './narrow.ts';
import { operation } from './operation.ts';
import type { Person, State, Stream } from './state.ts';

/** The message cannot be sent. */
export type Obstacle =
  | { readonly kind: 'no-stream' }
  | { readonly kind: 'no-topic' }
  | { readonly kind: 'topic-too-long' }
  | { readonly kind: 'announcements-only' }
  | { readonly kind: 'not-subscribed' }
  | { readonly kind: 'no-people' }
  | { readonly kind: 'deactivated'; readonly names: readonly string[] }
  | { readonly kind: 'too-long'; readonly excess: number };

/** The message can be sent; nobody may expect what happens then. */
export type Caution =
  | { readonly kind: 'everybody'; readonly count: number }
  | { readonly kind: 'unsubscribed-self'; readonly stream: Stream }
  | {
      readonly kind: 'unsubscribed-people';
      readonly stream: Stream;
      readonly people: readonly Person[];
    };

/** A mention of everybody in a smaller stream is ordinary. */
const everybodyMin = 15;
/** People named in one caution. */
const peopleMax = 5;

const codePoints = (text: string): number => Array.from(text).length;

/** @param content as it would be sent */
export function findObstacle(
  state: State,
  conversation: Conversation,
  content: string,
): Obstacle | undefined {
  const excess = codePoints(content) - limits.contentMaxCodePoints;
  const ofPlace =
    conversation.type === 'stream'
      ? obstacleInStream(state, conversation)
      : obstacleToPeople(state, conversation.userIds);
  return ofPlace ?? (excess > 0 ? { kind: 'too-long', excess } : undefined);
}

function obstacleInStream(
  { streams, subscriptions, self, realm }: State,
  { streamId, topic }: Extract<Conversation, { readonly type: 'stream' }>,
): Obstacle | undefined {
  const stream = streams.value.get(streamId);
  if (stream === undefined) return { kind: 'no-stream' };
  if (stream.is_announcement_only && !self.value.is_admin) return { kind: 'announcements-only' };
  const mustSubscribe = stream.invite_only || self.value.is_guest;
  if (mustSubscribe && !subscriptions.value.has(streamId)) return { kind: 'not-subscribed' };
  if (topic.trim() === '' && realm.value.realm_mandatory_topics) return { kind: 'no-topic' };
  return codePoints(topic.trim()) > limits.topicMaxCodePoints
    ? { kind: 'topic-too-long' }
    : undefined;
}

function obstacleToPeople({ people }: State, userIds: readonly number[]): Obstacle | undefined {
  if (userIds.length === 0) return { kind: 'no-people' };
  const names = userIds.flatMap((id) => {
    const person = people.value.get(id);
    return person === undefined || person.isActive ? [] : [person.full_name];
  });
  return names.length === 0 ? undefined : { kind: 'deactivated', names };
}

/** @returns the people whom a text mentions, silent mentions left out */
function mentionedPeople(state: State, content: string): readonly Person[] {
  const mentioned = new Set(
    Array.from(content.matchAll(/@\*\*([^*\n]+)\*\*/g), ([, name]) => name),
  );
  if (mentioned.size === 0) return [];
  return [...state.people.value.values()].filter(
    ({ full_name, user_id }) =>
      mentioned.has(full_name) || mentioned.has(`${full_name}|${user_id}`),
  );
}

export function findCautions(
  state: State,
  conversation: Conversation,
  content: string,
): readonly Caution[] {
  if (conversation.type !== 'stream') return [];
  const { streamId } = conversation;
  const stream = state.streams.value.get(streamId);
  if (stream === undefined) return [];
  const cautions: Caution[] = [];
  const subscribers = state.subscribers.value.get(streamId);
  if (!state.subscriptions.value.has(streamId) && content !== '')
    cautions.push({ kind: 'unsubscribed-self', stream });
  if (subscribers === undefined) return cautions;
  if (/@\*\*(?:all|everyone|stream)\*\*/.test(content) && subscribers.size > everybodyMin)
    cautions.push({ kind: 'everybody', count: subscribers.size });
  const unreached = mentionedPeople(state, content).filter(
    ({ user_id }) => !subscribers.has(user_id) && user_id !== state.self.value.user_id,
  );
  if (unreached.length > 0)
    cautions.push({ kind: 'unsubscribed-people', stream, people: unreached.slice(0, peopleMax) });
  return cautions;
}

export const renderMarkdown = operation('POST /messages/render');
