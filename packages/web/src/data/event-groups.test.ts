import { afterEach, beforeEach, expect, test, vi } from 'vitest';

import { inGroups } from './event-groups.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

test('an event after a pause is passed on at once, and those that follow it together, in order', async () => {
  const arrivalsMs = [500, 520, 540, 610, 2_000];
  const start = performance.now();
  const events = new ReadableStream<number>({
    start(controller) {
      for (const ms of arrivalsMs) setTimeout(() => controller.enqueue(ms), ms);
      setTimeout(() => controller.close(), 3_000);
    },
  });
  const passed: (readonly [event: number, atMs: number])[] = [];
  const ending = (async () => {
    for await (const event of inGroups(events)) passed.push([event, performance.now() - start]);
  })();
  await vi.runAllTimersAsync();
  await ending;
  expect(passed).toEqual([
    [500, 500],
    [520, 600],
    [540, 600],
    [610, 700],
    [2_000, 2_000],
  ]);
});
