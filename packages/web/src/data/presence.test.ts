import { afterEach, beforeEach, expect, test, vi } from 'vitest';

import { makePerson, makeState } from '../../tests/make-state.ts';
import { RecordedRequests } from '../../tests/recorded-requests.ts';
import { availabilityOf, reportPresence } from './presence.ts';

let requests: RecordedRequests;
let ending: AbortController;
beforeEach(() => {
  vi.useFakeTimers();
  requests = new RecordedRequests();
  ending = new AbortController();
});
afterEach(() => {
  ending.abort();
  vi.useRealTimers();
});

const alone = { isLeader: true, share: () => undefined };

function open(tabs: Parameters<typeof reportPresence>[1] = alone): () => void {
  return reportPresence(requests.client, tabs, ending.signal);
}

async function reported(afterMs: number): Promise<readonly string[]> {
  await vi.advanceTimersByTimeAsync(afterMs);
  return requests.seen.splice(0).map((each) => each.replace('POST users/me/presence ', ''));
}

test('a person is active, idle after five minutes without a sign, and back with the next one', async () => {
  const noteInput = open();
  expect(await reported(0)).toEqual(['status=active&new_user_input=true']);
  expect(await reported(60_000)).toEqual(['status=active&new_user_input=false']);
  expect((await reported(4 * 60_000)).at(-1)).toBe('status=idle&new_user_input=false');
  noteInput();
  expect(await reported(0)).toEqual(['status=active&new_user_input=true']);
});

test('one tab reports for all, and learns who is here', async () => {
  const learnt: unknown[] = [];
  const aggregated = { status: 'active', timestamp: 5 };
  requests.answer = () =>
    Response.json({ result: 'success', msg: '', presences: { 'bob@example.com': { aggregated } } });
  open({ ...alone, isLeader: false });
  expect(await reported(60_000)).toEqual([]);
  open({ ...alone, share: ({ reported = [] }) => learnt.push(...reported) });
  await reported(0);
  expect(learnt).toEqual([['bob@example.com', aggregated]]);
});

test.each([
  ['active', { status: 'active', timestamp: 900 }],
  ['idle', { status: 'idle', timestamp: 900 }],
  ['offline', { status: 'active', timestamp: 800 }],
  ['offline', undefined],
  ['away', { status: 'active', timestamp: 900 }],
] as const)('a person is %s whose newest report is %o', (expected, report) => {
  const bob = { ...makePerson(3, 'Bob'), email: 'bob@example.com' };
  const state = makeState({
    nowSecs: 1_000,
    people: new Map([[bob.user_id, bob]]),
    reported: new Map(report && [[bob.email, report]]),
    statuses: new Map(expected === 'away' ? [[bob.user_id, { away: true }]] : []),
  });
  expect(availabilityOf(state, bob.user_id)).toBe(expected);
});
