import { limits } from '@parley/api/limits';
import { expect, test } from 'vitest';

import { makePerson, makeState, makeStream } from '../../tests/make-state.ts';
import { texts } from '../texts.ts';
import { findCautions, findObstacle } from './compose-checks.ts';
import type { App } from './app.ts';
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
  { realm_mandatory_topics: true, realm_invite_to_stream_policy: 1 },
);

/** What is asked of it is not asked of the server here. */
const app = { state } as App;

function inStream(streamId: number, topic = 'hello'): Conversation {
  return { type: 'stream', streamId, topic };
}
function toPeople(...userIds: readonly number[]): Conversation {
  return { type: 'private', userIds };
}

const { obstacles, deactivated, tooLong } = texts.compose;

test.each<[string, Conversation, string, string | undefined]>([
  ['nothing', inStream(1), 'x', undefined],
  ['an unknown stream', inStream(6), 'x', obstacles.noStream],
  ['a stream of announcements', inStream(2), 'x', obstacles.announcementsOnly],
  ['a private stream of others', inStream(3), 'x', obstacles.notSubscribed],
  ['a missing topic', inStream(1, ' '), 'x', obstacles.noTopic],
  [
    'a long topic',
    inStream(1, 'x'.repeat(limits.topicMaxCodePoints + 1)),
    'x',
    obstacles.topicTooLong,
  ],
  ['nobody', toPeople(), 'x', obstacles.noPeople],
  ['somebody deactivated', toPeople(8, 9), 'x', deactivated('Cat Moe')],
  [
    'a long text, by characters',
    toPeople(8),
    '😀'.repeat(limits.contentMaxCodePoints + 2),
    tooLong(2),
  ],
])('%s stands against sending', (_, conversation, content, text) => {
  expect(findObstacle(state, conversation, content)?.text).toBe(text);
});

test.each([
  [inStream(6), true],
  [inStream(1, ''), true],
  [toPeople(), true],
  [inStream(2), undefined],
])('what stands against sending to %j is unfinished: %s', (conversation, isUnfinished) => {
  expect(findObstacle(state, conversation, 'x')?.isUnfinished).toBe(isUnfinished);
});

const { mentionsEverybody, unsubscribedPeople, unsubscribedSelf, subscribe, subscribeThem } =
  texts.compose;

test.each<[string, Conversation, string, readonly unknown[]]>([
  ['nothing', inStream(1), 'x', []],
  [
    'a mention of many',
    inStream(1),
    'see @**all**',
    [{ text: mentionsEverybody(16), mustConfirm: true }],
  ],
  ['a mention of few', inStream(4), '', []],
  [
    'a stream that one does not subscribe to',
    inStream(4),
    'x',
    [{ text: unsubscribedSelf, action: { label: subscribe } }],
  ],
  [
    'somebody who does not get it',
    inStream(1),
    '@**Bob Ray** and @_**Cat Moe**',
    [{ text: unsubscribedPeople('Bob Ray'), action: { label: subscribeThem } }],
  ],
  ['private messages', toPeople(8), '@**all**', []],
])('%s is told before', (_, conversation, content, cautions) => {
  expect(findCautions(app, conversation, content)).toMatchObject(cautions);
});
