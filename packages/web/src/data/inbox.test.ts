import { expect, test } from 'vitest';

import { makeState, makeStream } from '../../tests/make-state.ts';
import { countUnread, createUnreadRound, groupInbox, listUnread } from './inbox.ts';
import { topicKey } from './narrow.ts';
import type { Conversation } from './narrow.ts';
import type { Subscription } from './state.ts';

const withBob: Conversation = { type: 'private', userIds: [8] };

function inTopic(topic: string, streamId = 1): Conversation {
  return { type: 'stream', streamId, topic };
}

function makeSubscription(id: number, name: string, given: Partial<Subscription> = {}) {
  const whole = { ...makeStream(id, { name }), is_muted: false, pin_to_top: false, ...given };
  return [id, whole as Subscription] as const;
}

/** @param unread conversations by the ids of their unread messages */
function makeInbox(unread: readonly (readonly [number, Conversation, mentionsSelf?: boolean])[]) {
  return makeState({
    subscriptions: new Map([
      makeSubscription(1, 'apples'),
      makeSubscription(2, 'zoo', { pin_to_top: true }),
      makeSubscription(3, 'muted', { is_muted: true }),
    ]),
    mutedTopics: new Set([topicKey(1, 'quiet')]),
    unread: new Map(
      unread.map(([id, conversation, mentionsSelf = false]) => [
        id,
        { conversation, mention: mentionsSelf ? 'self' : undefined },
      ]),
    ),
  });
}

test('what is unread comes newest first, of what is muted only what mentions the person', () => {
  const state = makeInbox([
    [1, inTopic('red')],
    [2, withBob],
    [3, inTopic('quiet')],
    [4, inTopic('news', 3)],
    [5, inTopic('loud', 3), true],
    [6, inTopic('red')],
  ]);
  const unread = listUnread(state);
  expect(unread.map(({ conversation }) => conversation)).toEqual([
    inTopic('red'),
    inTopic('loud', 3),
    withBob,
  ]);
  expect(countUnread(unread)).toBe(4);
});

test('private conversations stand apart, topics by stream in the order of the navigation', () => {
  const state = makeInbox([
    [1, inTopic('red')],
    [2, inTopic('green')],
    [3, inTopic('lions', 2)],
    [4, withBob],
  ]);
  const { conversations, streams } = groupInbox(state, listUnread(state));
  expect(conversations).toMatchObject([{ conversation: withBob, newestId: 4 }]);
  expect(streams).toMatchObject([
    { streamId: 2, topics: [{ conversation: inTopic('lions', 2) }] },
    { streamId: 1, topics: [{ conversation: inTopic('green') }, { conversation: inTopic('red') }] },
  ]);
});

test('a round leads through everything unread, and what was skipped comes back', () => {
  const state = makeInbox([
    [1, inTopic('red')],
    [2, inTopic('green')],
    [3, withBob],
  ]);
  const next = createUnreadRound(state);
  const seen = [undefined, withBob, inTopic('green'), inTopic('red')].map((shown) => next(shown));
  expect(seen).toEqual([withBob, inTopic('green'), inTopic('red'), withBob]);
});

test('what is new in a conversation that was passed comes before what is older', () => {
  const state = makeInbox([
    [1, inTopic('red')],
    [2, inTopic('green')],
    [3, withBob],
  ]);
  const next = createUnreadRound(state);
  expect(next(undefined)).toEqual(withBob);
  expect(next(withBob)).toEqual(inTopic('green'));
  state.unread.value = new Map(state.unread.value).set(4, {
    conversation: withBob,
    mention: undefined,
  });
  expect(next(inTopic('green'))).toEqual(withBob);
  expect(next(withBob)).toEqual(inTopic('red'));
});

test('a round ends where nothing else is unread', () => {
  const next = createUnreadRound(makeInbox([[1, inTopic('red')]]));
  expect(next(inTopic('red'))).toBeUndefined();
  expect(next(undefined)).toEqual(inTopic('red'));
});
