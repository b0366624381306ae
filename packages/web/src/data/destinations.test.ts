import { computed, signal } from '@preact/signals';
import { expect, test } from 'vitest';

import { makePerson, makeState, makeStream } from '../../tests/make-state.ts';
import { findDestinations } from './destinations.ts';
import type { DestinationSources } from './destinations.ts';
import { streamNarrow } from './narrow.ts';
import type { Conversation } from './narrow.ts';
import type { RecentConversation } from './recent.ts';
import type { Subscription } from './state.ts';

const topics: Readonly<Record<number, readonly string[]>> = {
  1: ['roses', 'tulips'],
  2: ['the keel'],
};

function inTopic(topic: string, streamId = 1): Conversation {
  return { type: 'stream', streamId, topic };
}

function makeSources(given: Partial<DestinationSources> = {}): DestinationSources {
  const people = [makePerson(8, 'Bob Ray'), makePerson(9, 'Zoë Moe')].map((person) => ({
    ...person,
    email: `${person.user_id}@example.com`,
  }));
  const streams = [
    makeStream(2, { name: 'boat design' }),
    makeStream(1, { name: 'general' }),
    makeStream(3, { name: 'gnarled trees' }),
  ];
  return {
    state: makeState({
      people: new Map(people.map((person) => [person.user_id, person])),
      streams: new Map(streams.map((stream) => [stream.stream_id, stream])),
      subscriptions: new Map([[1, streams[1] as Subscription]]),
      unread: new Map([[5, { conversation: inTopic('unread'), mention: undefined }]]),
    }),
    visited: { items: signal([inTopic('yesterday'), inTopic('today')]) },
    recent: computed(() => [{ conversation: inTopic('busy') } as RecentConversation]),
    topics: {
      of: (streamId) => signal(topics[streamId] ?? []),
      receive: () => undefined,
      reread: () => undefined,
    },
    place: signal({ view: 'recent' }),
    ...given,
  };
}

function find(query: string, sources = makeSources()): readonly string[] {
  return findDestinations(sources, query, 8).map(({ name }) => name);
}

test('much that is unread leaves room for what was visited', () => {
  const topicsUnread = Array.from({ length: 9 }, (_, n) => `unread ${n}`);
  const { state } = makeSources();
  state.unread.value = new Map(
    topicsUnread.map((topic, n) => [n, { conversation: inTopic(topic), mention: undefined }]),
  );
  expect(find('', makeSources({ state })).slice(0, 7)).toEqual([
    ...topicsUnread.slice(-4).toReversed(),
    'today',
    'yesterday',
    'unread 4',
  ]);
});

test('without a query what is unread comes first, then what was visited, then what was written last', () => {
  expect(find('').slice(0, 4)).toEqual(['unread', 'today', 'yesterday', 'busy']);
});

test.each([
  ['streams, the person’s own first', 'g', ['general']],
  ['streams that nobody subscribed the person to', 'boat', ['boat design', 'the keel']],
  ['topics of a stream that is named', 'roses gen', ['roses']],
  ['topics of a stream before them', 'general > tul', ['tulips']],
  ['people by their names, without accents', 'zoe', ['Zoë Moe']],
  ['people by their addresses', '8@ex', ['Bob Ray']],
  ['letters in their order', 'gnrl', ['general']],
  ['what was visited', 'yest', ['yesterday']],
])('it finds %s', (_, query, names) => {
  expect(find(query).slice(0, names.length)).toEqual(names);
});

test('topics of the stream that is shown are found by their names alone', () => {
  expect(find('roses')).toEqual([]);
  const place = signal({ view: 'messages', narrow: streamNarrow(1) } as const);
  expect(find('roses', makeSources({ place }))).toEqual(['roses']);
});

test('a place is found once', () => {
  const visited = { items: signal([inTopic('unread')]) };
  expect(find('unread', makeSources({ visited }))).toEqual(['unread']);
});

test('what nobody is called is not found', () => {
  expect(find('xyzzy')).toEqual([]);
});
