import { afterEach, beforeEach, expect, test, vi } from 'vitest';

import { makeState, selfId } from '../../tests/make-state.ts';
import { RecordedRequests } from '../../tests/recorded-requests.ts';
import { conversationKey } from './narrow.ts';
import { createTyping } from './typing.ts';

const toBob = { type: 'private', userIds: [8] } as const;
const toCat = { type: 'private', userIds: [9] } as const;
let requests: RecordedRequests;
beforeEach(() => {
  vi.useFakeTimers();
  requests = new RecordedRequests();
});
afterEach(() => {
  vi.useRealTimers();
});

async function told(): Promise<readonly string[]> {
  await vi.advanceTimersByTimeAsync(0);
  return requests.seen.splice(0).map((each) => each.replace('POST typing ', ''));
}

test('others are told with the first key, every ten seconds, and five seconds after the last', async () => {
  const typing = createTyping(requests.client, makeState());
  typing.tell(toBob);
  typing.tell(toBob);
  expect(await told()).toEqual(['op=start&to=[8]']);
  for (let secs = 0; secs < 12; secs += 4) {
    await vi.advanceTimersByTimeAsync(4_000);
    typing.tell(toBob);
  }
  expect(await told()).toEqual(['op=start&to=[8]']);
  await vi.advanceTimersByTimeAsync(5_000);
  expect(await told()).toEqual(['op=stop&to=[8]']);
});

test('who goes to another conversation has stopped in the first; streams are not told', async () => {
  const typing = createTyping(requests.client, makeState());
  typing.tell(toBob);
  typing.tell(toCat);
  typing.tell({ type: 'stream', streamId: 1, topic: 'x' });
  expect(await told()).toEqual([
    'op=start&to=[8]',
    'op=stop&to=[8]',
    'op=start&to=[9]',
    'op=stop&to=[9]',
  ]);
});

test('who is heard of is shown until a message, a word or fifteen seconds end it; oneself is not', async () => {
  const state = makeState();
  const typing = createTyping(requests.client, state);
  const shown = (): unknown => [...(state.typing.peek().get(conversationKey(toBob)) ?? [])];
  typing.receive('start', toBob, selfId);
  expect(shown()).toEqual([]);
  typing.receive('start', toBob, 8);
  expect(shown()).toEqual([8]);
  typing.receive('stop', toBob, 8);
  expect(shown()).toEqual([]);
  typing.receive('start', toBob, 8);
  await vi.advanceTimersByTimeAsync(15_000);
  expect(shown()).toEqual([]);
});
