import { afterEach, beforeEach, expect, test, vi } from 'vitest';

import { makeState } from '../../tests/make-state.ts';
import { RecordedRequests } from '../../tests/recorded-requests.ts';
import { allMessages, mentions, privateNarrow, streamNarrow, topicNarrow } from './narrow.ts';
import { createReading } from './reading.ts';

const inTopic = { type: 'stream', streamId: 1, topic: 'hello' } as const;
const withBob = { type: 'private', userIds: [8] } as const;
let requests: RecordedRequests;
let reading: ReturnType<typeof createReading>;
beforeEach(() => {
  vi.useFakeTimers();
  requests = new RecordedRequests();
  const unread = new Map([
    [10, { conversation: inTopic, mention: undefined }],
    [11, { conversation: inTopic, mention: 'self' as const }],
    [12, { conversation: withBob, mention: undefined }],
  ]);
  reading = createReading(requests.client, makeState({ unread }));
});
afterEach(() => {
  vi.useRealTimers();
});

async function told(): Promise<readonly string[]> {
  await vi.advanceTimersByTimeAsync(300);
  return requests.seen.splice(0);
}

function marking(ids: readonly number[]): string {
  return `POST messages/flags messages=[${ids.join()}]&op=add&flag=read`;
}

test('what is seen is marked in batches, and only what is unread', async () => {
  reading.see([9, 10]);
  reading.see([10, 12]);
  expect(await told()).toEqual([marking([10, 12])]);
});

test('what had no answer is marked again, what was refused is not', async () => {
  requests.answer = () => Response.error();
  reading.see([10]);
  await told();
  requests.answer = () => Response.json({ result: 'error', msg: 'no' }, { status: 400 });
  await reading.flush();
  expect(await told()).toEqual([marking([10])]);
  await reading.flush();
  expect(await told()).toEqual([]);
});

test.each([
  ['everything', allMessages, 'POST mark_all_as_read'],
  ['a stream', streamNarrow(1), 'POST mark_stream_as_read stream_id=1'],
  ['a topic', topicNarrow(1, 'hello'), 'POST mark_topic_as_read stream_id=1&topic_name=hello'],
  ['a private conversation', privateNarrow([8]), marking([12])],
  ['mentions', mentions, marking([11])],
] as const)('%s can be marked as read', async (_, narrow, request) => {
  await Promise.all([reading.markNarrowRead(narrow), vi.advanceTimersByTimeAsync(300)]);
  expect(requests.seen).toEqual([request]);
});
