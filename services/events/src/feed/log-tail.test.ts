import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { LogTail } from './log-tail.ts';
import { ParsedEntry } from './parsed-entry.ts';

function entry(position: number, bytes: number): ParsedEntry {
  const payload = JSON.stringify({ v: 1, kind: 'tick', filler: 'x'.repeat(bytes) });
  return new ParsedEntry({ position, length: 1, messageId: 0, audience: 0, payload });
}

describe('LogTail', () => {
  it('keeps the newest entries within both limits', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 0, max: 2_000 }), { maxLength: 100 }),
        fc.integer({ min: 1, max: 20 }),
        fc.integer({ min: 500, max: 10_000 }),
        (sizes, entriesMax, bytesMax) => {
          const tail = new LogTail(0, { entriesMax, bytesMax });
          for (const [index, size] of sizes.entries()) {
            tail.push(entry(index + 1, size));
            const held = tail.between(tail.beginPosition, index + 1);
            expect(held.map(({ position }) => position)).toEqual(
              Array.from(
                { length: index + 1 - tail.beginPosition },
                (_, n) => tail.beginPosition + n + 1,
              ),
            );
            expect(held.length).toBeLessThanOrEqual(entriesMax);
            // The newest stays, however large it is.
            if (held.length > 1)
              expect(held.reduce((sum, { bytes }) => sum + bytes, 0)).toBeLessThanOrEqual(bytesMax);
          }
        },
      ),
    );
  });

  it('releases dropped entries at once', async () => {
    setFlagsFromString('--expose-gc');
    const collectGarbage = runInNewContext('gc') as () => void;
    const dropped: WeakRef<ParsedEntry>[] = [];
    const tail = new LogTail(0, { entriesMax: 2_000, bytesMax: 1_000_000_000 });
    const push = (position: number): void => {
      const pushed = entry(position, 0);
      if (position <= 500) dropped.push(new WeakRef(pushed));
      tail.push(pushed);
    };
    for (let position = 1; position <= 2_500; position += 1) push(position);
    await expect
      .poll(() => {
        collectGarbage();
        return dropped.filter((reference) => reference.deref() !== undefined).length;
      })
      .toBe(0);
  });
});
