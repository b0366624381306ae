import { expect, test } from 'vitest';

import { Latencies } from '../latencies.ts';
import { describeDue, markedContent } from './protocol.ts';
import { Tally } from './tally.ts';

function createTally(): { readonly tally: Tally; readonly faults: string[] } {
  const faults: string[] = [];
  const tally = new Tally(
    2,
    { firstMessage: 100, messagesMax: 10, window: { fromMs: 1_000, toMs: 2_000 } },
    (text) => faults.push(text),
  );
  return { tally, faults };
}

test('a message reaches each follower once, in any order', () => {
  const { tally, faults } = createTally();
  for (const message of [103, 100, 109]) {
    tally.receive(0, message, 1_500, 1_510);
    tally.receive(1, message, 1_500, 1_510);
  }
  expect(faults).toEqual([]);
  expect(tally.received).toBe(6);
});

test('a repeated message is a fault, and so is one of another run', () => {
  const { tally, faults } = createTally();
  tally.receive(1, 108, 1_500, 1_510);
  tally.receive(1, 108, 1_500, 1_520);
  tally.receive(0, 99, 1_500, 1_520);
  tally.receive(0, 110, 1_500, 1_520);
  expect(faults).toHaveLength(3);
  expect(tally.received).toBe(1);
});

test('only messages due in the window have a latency, and only arrivals in it are counted', () => {
  const { tally } = createTally();
  tally.receive(0, 100, 990, 1_010);
  tally.receive(0, 101, 1_000, 1_030);
  tally.receive(0, 102, 1_990, 2_090);
  const report = tally.report();
  expect(report).toMatchObject({ received: 3, receivedInWindow: 2, lastReceivedAtMs: 2_090 });
  const latencies = Latencies.decode(report.latencies);
  expect(latencies.count).toBe(2);
  expect(latencies.maxMs).toBeCloseTo(100, 0);
});

test('number and time are found in the raw bytes of an answer', () => {
  const answer = JSON.stringify({
    events: [{ content: describeDue(17, 12.345_6) }, { content: 'load message 18' }],
  });
  expect(
    [...answer.matchAll(markedContent)].map(([, number, dueAtUs]) => [number, dueAtUs]),
  ).toEqual([
    ['17', '12346'],
    ['18', undefined],
  ]);
});
