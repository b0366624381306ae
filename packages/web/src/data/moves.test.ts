import { signal } from '@preact/signals';
import { expect, test, vi } from 'vitest';

import { makeMessage, makeState, selfId } from '../../tests/make-state.ts';
import { RecordedRequests } from '../../tests/recorded-requests.ts';
import { createApp } from './app.ts';
import { correctPlace, followMove } from './moves.ts';
import { conversationOf, topicNarrow } from './narrow.ts';
import { openAccountStore } from './stored.ts';

const from = { type: 'stream', streamId: 1, topic: 'hello' } as const;
const to = { type: 'stream', streamId: 1, topic: 'moved' } as const;
const atHello = { view: 'messages', narrow: topicNarrow(1, 'Hello') } as const;

/** An app whose server answers every reading with these messages of the topic. */
function openApp(ids: readonly number[]) {
  const requests = new RecordedRequests();
  const answerWith = (messages: readonly object[]): void => {
    requests.answer = () =>
      Response.json({
        result: 'success',
        msg: '',
        messages,
        anchor: 0,
        found_oldest: true,
        found_newest: true,
      });
  };
  answerWith(ids.map((id) => makeMessage(id)));
  const stored = new Map<string, string>();
  const store = {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, value: string) => void stored.set(key, value),
    removeItem: (key: string) => void stored.delete(key),
  };
  const app = createApp(requests.client, {
    state: makeState(),
    connection: signal('live'),
    store: openAccountStore(store, selfId, new AbortController().signal),
    queueId: () => undefined,
  });
  return { app, answerWith, requests };
}

test.each([
  ['the whole topic', [1, 2, 3], undefined, true, 'moved'],
  ['the whole topic but what is old, read by one at the end', [2, 3], undefined, true, 'moved'],
  ['the whole topic but what is old, which is read', [2, 3], 1, true, 'Hello'],
  ['the whole topic, read above the end', [1, 2, 3], 2, true, 'moved'],
  ['a tail, read by one at the end', [2, 3], undefined, false, 'Hello'],
  ['one message', [3], undefined, false, 'Hello'],
  ['everything that is left, one by one', [1, 2, 3], 1, false, 'moved'],
] as const)('%s moves', async (_, ids, readerAt, isOfTopic, topic) => {
  const { app } = openApp([1, 2, 3]);
  app.navigate(atHello);
  app.drafts.save(from, 'what I was saying');
  const list = app.lists.open(atHello.narrow);
  await list.load('newest');
  list.readerAt = readerAt;
  followMove(app, { from, to, ids, isOfTopic });
  const place = app.place.peek();
  const shown = place.view === 'messages' ? conversationOf(place.narrow) : undefined;
  expect(shown).toMatchObject({ topic });
  if (topic === 'moved')
    expect(place).toMatchObject(readerAt === undefined ? {} : { at: { topId: readerAt } });
  expect(app.drafts.all.peek()).toMatchObject([
    { conversation: { topic: topic === 'moved' ? 'moved' : 'hello' } },
  ]);
});

test('a draft of a topic that is not shown goes along once nothing old is left there', async () => {
  const { app, answerWith, requests } = openApp([1]);
  app.drafts.save(from, 'what I was saying');
  const read = vi.spyOn(app.lists.store, 'read');
  followMove(app, { from, to, ids: [2], isOfTopic: false });
  await read.mock.results[0]?.value;
  expect(requests.seen[0]).toContain('anchor=2&num_before=1&num_after=0');
  expect(app.drafts.find(from)?.content).toBe('what I was saying');
  answerWith([]);
  followMove(app, { from, to, ids: [1], isOfTopic: false });
  await vi.waitFor(() => expect(app.drafts.find(to)?.content).toBe('what I was saying'));
  expect(app.drafts.find(from)).toBeUndefined();
});

test('a place becomes the one where its message is, and stays where there is none', async () => {
  const { app, answerWith } = openApp([]);
  const place = { ...atHello, near: 7 };
  app.navigate(place);
  expect(await correctPlace(app, place, 7)).toBe(false);
  expect(app.place.peek()).toBe(place);
  answerWith([makeMessage(7, { stream_id: 2, subject: 'elsewhere' })]);
  expect(await correctPlace(app, place, 7)).toBe(true);
  expect(app.place.peek()).toEqual({ ...place, narrow: topicNarrow(2, 'elsewhere') });
  expect(app.corrected.peek()).toBe(app.place.peek());
});
