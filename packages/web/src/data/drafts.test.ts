import { expect, test } from 'vitest';

import { createDrafts } from './drafts.ts';
import { openAccountStore } from './stored.ts';

const stored = new Map<string, string>();

function openDrafts(userId = 7) {
  const store = {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, value: string) => void stored.set(key, value),
    removeItem: (key: string) => void stored.delete(key),
  };
  return createDrafts(openAccountStore(store, userId, new AbortController().signal));
}

const inTopic = { type: 'stream', streamId: 1, topic: 'Hello' } as const;
const withBob = { type: 'private', userIds: [8] } as const;

test('a conversation has one draft, kept for the account, the last changed first', () => {
  const drafts = openDrafts();
  drafts.save(inTopic, 'one');
  drafts.save(withBob, 'two');
  drafts.save({ ...inTopic, topic: 'hello' }, 'three');
  expect(
    openDrafts()
      .all.peek()
      .map(({ content }) => content),
  ).toEqual(['three', 'two']);
  expect(openDrafts(8).all.peek()).toEqual([]);
  drafts.append(withBob, 'more');
  expect(drafts.find(withBob)?.content).toBe('two\n\nmore');
  drafts.save(inTopic, ' \n');
  drafts.delete(withBob);
  expect([drafts.all.peek(), stored.size]).toEqual([[], 0]);
});

test('two hundred are kept, those changed last', () => {
  const drafts = openDrafts();
  for (let streamId = 0; streamId <= 200; streamId += 1)
    drafts.save({ type: 'stream', streamId, topic: 'x' }, `of ${streamId}`);
  expect([drafts.all.peek().length, drafts.all.peek().at(-1)?.content]).toEqual([200, 'of 1']);
});
