import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { pause, pauseAfter } from './back-off.ts';

const randoms = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

describe('the pause before a repeat', () => {
  test('grows from half a second to half a minute, randomly within the upper half', () => {
    expect([1, 2, 3, 20].map((failures) => pauseAfter(failures, undefined, 0))).toEqual([
      250, 500, 1_000, 15_000,
    ]);
    fc.assert(
      fc.property(fc.nat(2_000), randoms, (failures, random) => {
        const pauseMs = pauseAfter(failures + 1, undefined, random);
        expect(pauseMs).toBeGreaterThanOrEqual(250);
        expect(pauseMs).toBeLessThanOrEqual(30_000);
      }),
    );
  });

  test('is at least as long as the server requests, and bounded', () => {
    fc.assert(
      fc.property(fc.nat(2_000), fc.nat(100_000), randoms, (failures, askedSecs, random) => {
        const pauseMs = pauseAfter(failures + 1, askedSecs, random);
        expect(pauseMs).toBeGreaterThanOrEqual(Math.min(askedSecs, 300) * 1_000);
        expect(pauseMs).toBeLessThanOrEqual(330_000);
      }),
    );
  });
});

describe('a pause', () => {
  test('ends at once when its signal is aborted, also if it was aborted before', async () => {
    const stopping = new AbortController();
    const waiting = pause(3_600_000, stopping.signal);
    stopping.abort();
    await waiting;
    await pause(3_600_000, stopping.signal);
    expect(stopping.signal.aborted).toBe(true);
  });
});
