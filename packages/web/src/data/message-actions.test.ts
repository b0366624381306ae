import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';

import { makeState } from '../../tests/make-state.ts';
import { countReactions, quoteOf, rightsNow } from './message-actions.ts';

const realm = {
  realm_allow_message_editing: true,
  realm_allow_community_topic_editing: false,
  realm_message_content_edit_limit_seconds: 600,
  realm_allow_message_deleting: true,
  realm_message_content_delete_limit_seconds: 600,
};
const own = { type: 'stream', sender_id: 7, subject: 'x' } as const;
const ofOther = { ...own, sender_id: 8 };

function rights(
  message: Omit<Parameters<typeof rightsNow>[0], 'timestamp'>,
  ageSecs: number,
  given: Partial<typeof realm & { is_admin: boolean }> = {},
) {
  const timestamp = Date.now() / 1000 - ageSecs;
  return rightsNow({ ...message, timestamp }, makeState({}, { ...realm, ...given }));
}

describe('what a person may do with a message', () => {
  beforeAll(() => {
    vi.useFakeTimers({ now: 1_000_000_000_000, toFake: ['Date'] });
  });
  afterAll(() => {
    vi.useRealTimers();
  });

  test('all with an own new one', () => {
    expect(rights(own, 100)).toEqual({
      canEditContent: true,
      canMove: true,
      canDelete: true,
      editSecsLeft: 500,
    });
  });

  test('only move an own old one', () => {
    expect(rights(own, 600)).toMatchObject({
      canEditContent: false,
      canMove: true,
      canDelete: false,
      editSecsLeft: 0,
    });
  });

  test('all with an own old one if there are no limits', () => {
    const unlimited = {
      realm_message_content_edit_limit_seconds: 0,
      realm_message_content_delete_limit_seconds: 0,
    };
    expect(rights(own, 1e6, unlimited)).toEqual({
      canEditContent: true,
      canMove: true,
      canDelete: true,
      editSecsLeft: undefined,
    });
  });

  test('nothing with that of another', () => {
    const nothing = { canEditContent: false, canMove: false, canDelete: false };
    expect(rights(ofOther, 0)).toMatchObject(nothing);
  });

  test('move that of another if everybody may, for a day', () => {
    const given = { realm_allow_community_topic_editing: true };
    expect(rights(ofOther, 86_000, given)).toMatchObject({ canMove: true, canEditContent: false });
    expect(rights(ofOther, 86_401, given)).toMatchObject({ canMove: false });
  });

  test('move what has no topic', () => {
    expect(rights({ ...ofOther, subject: '(no topic)' }, 1e6)).toMatchObject({ canMove: true });
  });

  test('move and delete all as an administrator, but edit only own contents', () => {
    const expected = { canMove: true, canDelete: true, canEditContent: false };
    expect(rights(ofOther, 1e6, { is_admin: true })).toMatchObject(expected);
  });

  test('neither edit nor move if the organization turned editing off', () => {
    const given = { realm_allow_message_editing: false, is_admin: true };
    expect(rights(own, 0, given)).toMatchObject({ canEditContent: false, canMove: false });
  });

  test('never move a private message', () => {
    const message = { type: 'private', sender_id: 7, subject: '' } as const;
    expect(rights(message, 0)).toMatchObject({ canMove: false, canEditContent: true });
  });
});

test('reactions are counted by emoji, in the order of the first of each', () => {
  const reaction = (emoji_name: string, emoji_code: string, user_id: number) => ({
    emoji_name,
    emoji_code,
    reaction_type: 'unicode_emoji' as const,
    user_id,
    user: { id: user_id, email: '', full_name: '' },
  });
  const counted = countReactions([
    reaction('tada', '1f389', 7),
    reaction('wave', '1f44b', 7),
    reaction('party', '1f389', 8),
  ]);
  expect(counted.map(({ emoji_name, userIds }) => [emoji_name, userIds])).toEqual([
    ['tada', [7, 8]],
    ['wave', [7]],
  ]);
});

test.each([
  ['hello', '```quote\nhello\n```'],
  ['```\ncode\n```', '````quote\n```\ncode\n```\n````'],
])('a quotation of %j cannot be ended by the text', (source, block) => {
  const author = { sender_full_name: 'Ana', sender_id: 7 };
  expect(quoteOf(author, source, 'https://chat/#narrow')).toBe(
    `@_**Ana|7** [said](https://chat/#narrow):\n${block}\n`,
  );
});
