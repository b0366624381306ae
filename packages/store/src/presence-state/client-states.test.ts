import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { applyReport, mergeStates, reportingClient } from './client-states.ts';
import type { ClientStates, Report } from './client-states.ts';
import { presenceJson } from './presence-json.ts';

const startMs = 1_588_000_000_000;

function after(
  before: 'active' | 'idle',
  secs: number,
  status: Report['status'],
): { taken: unknown; isNews: boolean } {
  const states: ClientStates = new Map([['web', { status: before, reportedAtMs: startMs }]]);
  const nowMs = startMs + secs * 1_000;
  const { taken, isNews } = applyReport(states, { client: 'web', status, nowMs });
  return { taken: taken === undefined ? 'ignored' : taken.status, isNews };
}

describe('applyReport', () => {
  it.each([
    ['active', 70, 'active', { taken: 'active', isNews: false }],
    ['active', 70, 'idle', { taken: 'ignored', isNews: false }],
    ['active', 71, 'active', { taken: 'active', isNews: true }],
    ['active', 71, 'idle', { taken: 'idle', isNews: false }],
    ['idle', 5, 'idle', { taken: 'idle', isNews: false }],
    ['idle', 5, 'active', { taken: 'active', isNews: true }],
    ['idle', 71, 'idle', { taken: 'idle', isNews: false }],
    ['idle', 71, 'active', { taken: 'active', isNews: true }],
  ] as const)('%s, after %d s %s', (before, secs, status, expected) => {
    expect(after(before, secs, status)).toEqual(expected);
  });

  it.each(['active', 'idle'] as const)('the first report is news, even if it is %s', (status) => {
    const { taken, isNews } = applyReport(new Map(), { client: 'web', status, nowMs: startMs });
    expect({ taken, isNews }).toEqual({ taken: { status, reportedAtMs: startMs }, isNews: true });
  });

  it('increases the time of a client even if clocks go back, and keeps the newest clients', () => {
    let states: ClientStates = new Map();
    for (let n = 0; n < 40; n += 1) {
      const report = { client: `c${n % 20}`, status: 'active', nowMs: startMs + n } as const;
      const before = states.get(report.client)?.reportedAtMs ?? 0;
      const result = applyReport(states, { ...report, nowMs: report.nowMs - (n > 30 ? 1e9 : 0) });
      expect(result.taken?.reportedAtMs ?? 0).toBeGreaterThan(n > 30 ? 0 : before);
      ({ states } = result);
    }
    expect(states.size).toBe(4);
  });
});

it('counts the desktop program as the website, and cuts long names between characters', () => {
  expect(['ZulipDesktop', 'ZulipMobile', `1${'🐟'.repeat(30)}`].map(reportingClient)).toEqual([
    'website',
    'ZulipMobile',
    `1${'🐟'.repeat(7)}`,
  ]);
});

const statesOf = fc
  .dictionary(
    fc.constantFrom('a', 'b', '__proto__', 'aggregated'),
    fc.record({
      status: fc.constantFrom('active' as const, 'idle' as const),
      reportedAtMs: fc.nat({ max: 50 }),
    }),
  )
  .map((clients): ClientStates => new Map(Object.entries(clients)));

it('merges to the newest state, in any order of sources', () => {
  fc.assert(
    fc.property(statesOf, statesOf, (left, right) => {
      const newest = (states: ClientStates): Map<string, number> =>
        new Map([...states].map(([client, { reportedAtMs }]) => [client, reportedAtMs]));
      expect(newest(mergeStates(left, right))).toEqual(newest(mergeStates(right, left)));
    }),
  );
});

describe('presenceJson', () => {
  it('aggregates to the client with the last report, without pushable', () => {
    const states: ClientStates = new Map([
      ['website', { status: 'active', reportedAtMs: 1_588_000_100_999 }],
      ['__proto__', { status: 'idle', reportedAtMs: 1_588_000_101_000 }],
    ]);
    expect(JSON.parse(JSON.stringify(presenceJson(states)))).toEqual(
      JSON.parse(
        '{"website":{"client":"website","status":"active","timestamp":1588000100,"pushable":false},' +
          '"__proto__":{"client":"__proto__","status":"idle","timestamp":1588000101,"pushable":false},' +
          '"aggregated":{"client":"__proto__","status":"idle","timestamp":1588000101}}',
      ),
    );
  });

  it('omits reports older than requested, and people without any', () => {
    const states: ClientStates = new Map([['a', { status: 'active', reportedAtMs: 5 }]]);
    expect(presenceJson(states, 5)).toBeDefined();
    expect(presenceJson(states, 6)).toBeUndefined();
  });
});
