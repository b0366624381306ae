import { audienceKey } from '@parley/contracts';
import type { ChangeEntry, EventPart, LogEffect } from '@parley/contracts';

/** Entries travel in one piece on pub/sub and through every follower, so a large change is laid out in several. */
const entryMaxLength = 256 * 1024;

/**
 * Lays out the events of one change in entries of bounded size, in order. All are appended in one transaction; the effects are
 * in the first, so that they hold for every event.
 */
export function layOutEntries(
  effects: readonly LogEffect[],
  parts: readonly EventPart[],
): { entry: ChangeEntry; audience: number }[] {
  const runs: EventPart[][] = [];
  let length = Infinity;
  for (const part of parts) {
    const partLength = JSON.stringify(part).length;
    const last = runs.at(-1);
    if (last === undefined || length + partLength > entryMaxLength) {
      runs.push([part]);
      length = partLength;
    } else {
      last.push(part);
      length += partLength;
    }
  }
  return (runs.length === 0 ? [[]] : runs).map((events, n) => ({
    entry: { v: 1, kind: 'change', effects: n === 0 ? effects : [], events },
    audience: audienceKey.everyone,
  }));
}
