import type { ChangeEntry } from '@parley/event-log';
import { expect, test } from 'vitest';

import { messageEntry as message, subscriptionTo } from '../../tests/modelled-log.ts';
import { entitledParts, messageEntitlement, messageFlags } from './entitlement.ts';
import { UserView } from './user-view.ts';

const publicStream = { id: 5, isPublic: true };
const privateStream = { id: 5, isPublic: false };

function viewOf(
  userId: number,
  role: 'administrator' | 'member' | 'guest' = 'member',
  memberships: readonly { streamId: number; from: number; until: number | undefined }[] = [],
): UserView {
  return new UserView(userId, memberships, [{ from: 0, until: undefined, role, isActive: true }]);
}

test('a stream message is for the members at its position', () => {
  const view = viewOf(2, 'member', [
    { streamId: 5, from: 10, until: 20 },
    { streamId: 5, from: 30, until: undefined },
  ]);
  const entry = message({ stream: privateStream });
  const held = [9, 10, 11, 19, 20, 21, 29, 30, 31].filter(
    (position) => messageEntitlement(entry, view, position) === 'holder',
  );
  expect(held).toEqual([10, 11, 19, 30, 31]);
  expect(messageEntitlement(entry, view, 25)).toBe('none');
});

test('a public stream is open to listeners except guests, a private one to no outsider', () => {
  expect(messageEntitlement(message({ stream: publicStream }), viewOf(2), 50)).toBe('public');
  expect(messageEntitlement(message({ stream: publicStream }), viewOf(2, 'guest'), 50)).toBe(
    'none',
  );
  expect(
    messageEntitlement(message({ stream: privateStream }), viewOf(2, 'administrator'), 50),
  ).toBe('none');
});

test('a private message is for its participants only', () => {
  const entry = message({ participantIds: [1, 2] });
  expect(messageEntitlement(entry, viewOf(2), 50)).toBe('holder');
  expect(messageEntitlement(entry, viewOf(3, 'administrator'), 50)).toBe('none');
});

test('an account that was deactivated at the position gets nothing', () => {
  const view = new UserView(
    2,
    [{ streamId: 5, from: 0, until: undefined }],
    [
      { from: 0, until: 10, role: 'member', isActive: true },
      { from: 10, until: 20, role: 'member', isActive: false },
      { from: 20, until: undefined, role: 'member', isActive: true },
    ],
  );
  const entry = message({ stream: publicStream });
  expect([9, 10, 19, 20].map((position) => messageEntitlement(entry, view, position))).toEqual([
    'holder',
    'none',
    'none',
    'holder',
  ]);
});

test('bots that only react do not hold messages, and mentioned bots do', () => {
  const entry = message({ stream: privateStream, reactingBotIds: [7], lateReceiptIds: [8] });
  expect(messageEntitlement(entry, viewOf(7), 50)).toBe('reacting');
  expect(messageEntitlement(entry, viewOf(8), 50)).toBe('holder');
});

test('flags come in the order of the interface', () => {
  const entry = message({
    readBySender: true,
    mentionsWildcard: true,
    mentionedIds: [1],
    alertWordIds: [1],
  });
  expect(messageFlags(entry, 1)).toEqual([
    'read',
    'mentioned',
    'wildcard_mentioned',
    'has_alert_word',
  ]);
  expect(messageFlags(entry, 2)).toEqual(['wildcard_mentioned']);
});

test('the parts of a change reach exactly their audiences', () => {
  const event = { type: 'pointer', pointer: 1 } as const;
  const entry: ChangeEntry = {
    v: 1,
    kind: 'change',
    effects: [],
    events: [
      { form: 'same', audience: { to: 'everyone' }, event },
      { form: 'same', audience: { to: 'members' }, event },
      { form: 'same', audience: { to: 'administrators' }, event },
      { form: 'same', audience: { to: 'users', userIds: [2, 3] }, event },
      { form: 'same', audience: { to: 'stream-viewers', streamId: 5, inviteOnly: true }, event },
      { form: 'same', audience: { to: 'stream-viewers', streamId: 5, inviteOnly: false }, event },
      {
        form: 'peers',
        op: 'peer_add',
        streamId: 5,
        streamName: 's',
        inviteOnly: false,
        userIds: [3],
      },
      {
        form: 'peers',
        op: 'peer_add',
        streamId: 5,
        streamName: 's',
        inviteOnly: true,
        userIds: [3],
      },
      { form: 'subscription-add', userId: 3, subscriptions: [subscriptionTo(5)] },
    ],
  };
  const member = [{ streamId: 5, from: 0, until: undefined }];
  expect(entitledParts(entry, viewOf(2), 50)).toEqual([0, 1, 3, 5, 6]);
  expect(entitledParts(entry, viewOf(3, 'member', member), 50)).toEqual([0, 1, 3, 4, 5, 8]);
  expect(entitledParts(entry, viewOf(4, 'administrator'), 50)).toEqual([0, 1, 2, 4, 5, 6, 7]);
  expect(entitledParts(entry, viewOf(5, 'guest'), 50)).toEqual([0]);
  expect(entitledParts(entry, viewOf(6, 'guest', member), 50)).toEqual([0, 4, 5, 7]);
});
