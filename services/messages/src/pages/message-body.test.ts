import type { ShownMessage } from '@parley/store';
import { expect, test } from 'vitest';

import { messageBodyOf } from './message-body.ts';

const plain: ShownMessage = {
  id: 1,
  epoch: 1,
  version: 0,
  content: null,
  renderedContent: '',
  sentAtSecs: 1_800_000_000,
  client: 'website',
  topic: 'tide',
  subjectLinks: null,
  isMeMessage: false,
  recipientId: 1,
  senderId: 2,
  streamId: 3,
  conversationId: 4,
  readConversationId: 4,
  isReadBySender: false,
  mentionsWildcard: false,
  groupMentionedIds: [],
  alertWordIds: [],
  participantIds: null,
  reactions: [],
  submessages: [],
  lastEditedAtSecs: null,
  editHistory: null,
  bytes: 0,
};

/** @returns the counted size of a message beyond that of an empty one */
function countedFor(more: Partial<ShownMessage>): number {
  return (
    messageBodyOf({ ...plain, ...more }, 'rendered').keptBytes -
    messageBodyOf(plain, 'rendered').keptBytes
  );
}

test('a long text counts with its memory: one letter beyond Latin-1 doubles it', () => {
  const words = 'word '.repeat(2_000);
  expect(countedFor({ renderedContent: words })).toBe(words.length);
  expect(countedFor({ renderedContent: `${words}’` })).toBeGreaterThan(2 * words.length);
  expect(countedFor({ submessages: [words, '’'] })).toBeGreaterThan(2 * words.length);
});

test('reactions count with the names of their emoji', () => {
  const reaction = { userId: 5, emojiCode: '1', reactionType: 'realm_emoji' };
  const emojiName = 'wave'.repeat(100);
  const [one = 0, hundred = 0] = [1, 100].map((count) =>
    countedFor({ reactions: Array.from({ length: count }, () => ({ ...reaction, emojiName })) }),
  );
  expect(one).toBeGreaterThan(emojiName.length);
  expect(hundred).toBe(100 * one);
});
