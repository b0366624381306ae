import { signal } from '@preact/signals';
import { expect, test } from 'vitest';

import { countUnreadByStream, groupStreams } from './stream-groups.ts';
import { topicKey } from './narrow.ts';
import type { State, Subscription } from './state.ts';
import { groupUnread } from './unread.ts';
import type { Conversation } from './narrow.ts';

const nowSecs = 1_000_000_000;

function subscription(stream_id: number, given: Partial<Subscription>): Subscription {
  return {
    stream_id,
    name: `stream ${stream_id}`,
    pin_to_top: false,
    is_muted: false,
    is_old_stream: true,
    ...given,
  } as Subscription;
}

/** @param unread where the unread messages are, one each */
function stateOf(
  subscriptions: readonly Subscription[],
  mutedTopics: readonly string[],
  unread: readonly Conversation[],
): State {
  const messages = unread.map(
    (conversation, index) => [10 + index, { conversation, mention: undefined }] as const,
  );
  const muting = {
    subscriptions: signal(new Map(subscriptions.map((each) => [each.stream_id, each]))),
    mutedTopics: signal(new Set(mutedTopics)),
  };
  return {
    ...muting,
    unreadConversations: signal(groupUnread(new Map(messages), muting)),
  } as unknown as State;
}

test('unread messages of muted topics do not count', () => {
  const state = stateOf(
    [],
    [topicKey(1, 'Noise')],
    [
      { type: 'stream', streamId: 1, topic: 'noise' },
      { type: 'stream', streamId: 1, topic: 'news' },
      { type: 'private', userIds: [7] },
    ],
  );
  expect([...countUnreadByStream(state)]).toEqual([[1, 1]]);
});

test('pinned streams come first, muted and inactive ones last', () => {
  const state = stateOf(
    [
      subscription(1, { name: 'zoo' }),
      subscription(2, { name: 'alps' }),
      subscription(3, { is_muted: true }),
      subscription(4, { name: 'dormant' }),
      subscription(5, { pin_to_top: true, is_muted: true }),
      subscription(6, { name: 'dormant with news' }),
      subscription(7, { name: 'new', is_old_stream: false }),
    ],
    [],
    [{ type: 'stream', streamId: 6, topic: 'x' }],
  );
  const recent = new Map([
    [1, nowSecs - 60],
    [2, nowSecs - 60],
  ]);
  const { shown, quiet } = groupStreams(state, recent, nowSecs);
  const names = (group: typeof shown): readonly string[] => group.map(({ stream }) => stream.name);
  expect(names(shown)).toEqual(['stream 5', 'alps', 'dormant with news', 'new', 'zoo']);
  expect(names(quiet)).toEqual(['dormant', 'stream 3']);
});
