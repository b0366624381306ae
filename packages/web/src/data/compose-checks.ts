/** What stands against sending a text, before the server says so, and what its writer should know first. */
import { limits } from '@parley/api/limits';

import { texts } from '../texts.ts';
import type { App } from './app.ts';
import type { Conversation, StreamConversation } from './narrow.ts';
import { maySubscribeOthers } from './policies.ts';
import type { Person, State, Stream } from './state.ts';

/** Why the message cannot be sent. */
export type Obstacle = {
  readonly text: string;
  /** Whether the person may be about to remove it: it is told once they tried to send. */
  readonly isUnfinished?: true;
};

/** The message can be sent; nobody may expect what happens then. */
export type Caution = {
  readonly text: string;
  /** Whether only a second press sends. */
  readonly mustConfirm?: true;
  /** What helps. */
  readonly action?: { readonly label: string; readonly run: () => Promise<unknown> } | undefined;
};

/** A mention of everybody in a smaller stream is ordinary. */
const everybodyMin = 15;
/** People named in one caution. */
const peopleMax = 5;

const codePoints = (text: string): number => Array.from(text).length;

function listNames(people: readonly Person[]): string {
  return people.map(({ full_name }) => full_name).join(', ');
}

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
  return ofPlace ?? (excess > 0 ? { text: texts.compose.tooLong(excess) } : undefined);
}

function obstacleInStream(
  { streams, subscriptions, self, realm }: State,
  { streamId, topic }: StreamConversation,
): Obstacle | undefined {
  const { obstacles } = texts.compose;
  const stream = streams.value.get(streamId);
  if (stream === undefined) return { text: obstacles.noStream, isUnfinished: true };
  if (stream.is_announcement_only && !self.value.is_admin)
    return { text: obstacles.announcementsOnly };
  const mustSubscribe = stream.invite_only || self.value.is_guest;
  if (mustSubscribe && !subscriptions.value.has(streamId)) return { text: obstacles.notSubscribed };
  if (topic.trim() === '' && realm.value.realm_mandatory_topics)
    return { text: obstacles.noTopic, isUnfinished: true };
  return codePoints(topic.trim()) > limits.topicMaxCodePoints
    ? { text: obstacles.topicTooLong }
    : undefined;
}

function obstacleToPeople({ people }: State, userIds: readonly number[]): Obstacle | undefined {
  if (userIds.length === 0) return { text: texts.compose.obstacles.noPeople, isUnfinished: true };
  const gone = userIds
    .flatMap((id) => people.value.get(id) ?? [])
    .filter(({ isActive }) => !isActive);
  return gone.length === 0 ? undefined : { text: texts.compose.deactivated(listNames(gone)) };
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

/** @param people empty: oneself */
function subscribing(app: App, stream: Stream, people: readonly Person[]): Caution['action'] {
  const { is_guest } = app.state.self.value;
  if (people.length === 0 ? is_guest : !maySubscribeOthers(app.state)) return undefined;
  return {
    label: people.length === 0 ? texts.compose.subscribe : texts.compose.subscribeThem,
    run: () =>
      app.request('POST /users/me/subscriptions', {
        subscriptions: [{ name: stream.name }],
        principals: people.map(({ user_id }) => user_id),
      }),
  };
}

export function findCautions(
  app: App,
  conversation: Conversation,
  content: string,
): readonly Caution[] {
  const { streams, subscriptions, subscribers, self } = app.state;
  const stream =
    conversation.type === 'stream' ? streams.value.get(conversation.streamId) : undefined;
  if (stream === undefined) return [];
  const { mentionsEverybody, unsubscribedPeople, unsubscribedSelf } = texts.compose;
  const cautions: Caution[] = [];
  if (!subscriptions.value.has(stream.stream_id) && content !== '')
    cautions.push({ text: unsubscribedSelf, action: subscribing(app, stream, []) });
  const reached = subscribers.value.get(stream.stream_id);
  if (reached === undefined) return cautions;
  if (/@\*\*(?:all|everyone|stream)\*\*/.test(content) && reached.size > everybodyMin)
    cautions.push({ text: mentionsEverybody(reached.size), mustConfirm: true });
  const unreached = mentionedPeople(app.state, content)
    .filter(({ user_id }) => !reached.has(user_id) && user_id !== self.value.user_id)
    .slice(0, peopleMax);
  if (unreached.length > 0)
    cautions.push({
      text: unsubscribedPeople(listNames(unreached)),
      action: subscribing(app, stream, unreached),
    });
  return cautions;
}
