import { limits } from '@parley/api/limits';
import { expect, test } from 'vitest';

import { makePerson, makeState, makeStream } from '../../tests/make-state.ts';
import { findCautions, findObstacle } from './compose-checks.ts';
import type { Conversation } from './narrow.ts';
import type { Subscription } from './state.ts';

const byId = <Item>(entries: readonly (readonly [number, Item])[]) => new Map(entries);
const crowd = Array.from({ length: 16 }, (_, index) => 100 + index);

/** Of the streams 1 to 5 the person subscribes to 1. */
const state = makeState(
  {
    people: byId([
      [8, makePerson(8, 'Bob Ray')],
      [9, makePerson(9, 'Cat Moe', false)],
    ]),
    streams: byId([
      [1, makeStream(1)],
      [2, makeStream(2, { is_announcement_only: true })],
      [3, makeStream(3, { invite_only: true })],
      [4, makeStream(4)],
    ]),
    subscriptions: byId([[1, makeStream(1) as Subscription]]),
    subscribers: byId([
      [1, new Set(crowd)],
      [4, new Set([8])],
    ]),
  },
  { realm_mandatory_topics: true },
);

function inStream(streamId: number, topic = 'hello'): Conversation {
  return { type: 'stream', streamId, topic };
}
function toPeople(...userIds: readonly number[]): Conversation {
  return { type: 'private', userIds };
}

test.each<[string, Conversation, string, unknown]>([
  ['nothing', inStream(1), 'x', undefined],
  ['an unknown stream', inStream(6), 'x', { kind: 'no-stream' }],
  ['a stream of announcements', inStream(2), 'x', { kind: 'announcements-only' }],
  ['a private stream of others', inStream(3), 'x', { kind: 'not-subscribed' }],
  ['a missing topic', inStream(1, ' '), 'x', { kind: 'no-topic' }],
  [
    'a long topic',
    inStream(1, 'x'.repeat(limits.topicMaxCodePoints + 1)),
    'x',
    { kind: 'topic-too-long' },
  ],
  ['nobody', toPeople(), 'x', { kind: 'no-people' }],
  ['somebody deactivated', toPeople(8, 9), 'x', { kind: 'deactivated', names: ['Cat Moe'] }],
  [
    'a long text, by characters',
    toPeople(8),
    '😀'.repeat(limits.contentMaxCodePoints + 2),
    { kind: 'too-long', excess: 2 },
  ],
])('%s stands against sending', (_, conversation, content, obstacle) => {
  expect(findObstacle(state, conversation, content)).toEqual(obstacle);
});

test.each<[string, Conversation, string, readonly unknown[]]>([
  ['nothing', inStream(1), 'x', []],
  ['a mention of many', inStream(1), 'see @**all**', [{ kind: 'everybody', count: 16 }]],
  ['a mention of few', inStream(4), '', []],
  [
    'a stream that one does not subscribe to',
    inStream(4),
    'x',
    [{ kind: 'unsubscribed-self', stream: makeStream(4) }],
  ],
  [
    'somebody who does not get it',
    inStream(1),
    '@**Bob Ray** and @_**Cat Moe**',
    [{ kind: 'unsubscribed-people', stream: makeStream(1), people: [makePerson(8, 'Bob Ray')] }],
  ],
  ['private messages', toPeople(8), '@**all**', []],
])('%s is told before', (_, conversation, content, cautions) => {
  expect(findCautions(state, conversation, content)).toEqual(cautions);
});
