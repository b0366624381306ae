import fc from 'fast-check';
import { expect, it } from 'vitest';

import { AnswerStarts } from './answer-starts.ts';
import type { CollectedEvent } from './collect-events.ts';

const event = fc.record({ id: fc.nat(3), size: fc.nat(2) }).map(({ id, size }): CollectedEvent => ({
  id,
  text: JSON.stringify({ id, name: 'x'.repeat(size) }),
}));

it('are those of the very events, whatever was asked in the same moment', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.option(fc.array(event, { maxLength: 3 })), { maxLength: 30 }),
      async (asked) => {
        const starts = new AnswerStarts();
        for (const events of asked) {
          // Another turn of the event loop.
          if (events === null) await new Promise(setImmediate);
          else
            expect(JSON.parse(`${starts.of(events)}]}`)).toEqual({
              result: 'success',
              msg: '',
              events: events.map(({ text }) => JSON.parse(text) as unknown),
            });
        }
      },
    ),
    { numRuns: 200 },
  );
});
