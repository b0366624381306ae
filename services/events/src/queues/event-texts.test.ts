import fc from 'fast-check';
import { expect, it } from 'vitest';

import type { CollectedEvent } from './collect-events.ts';
import { EventTexts } from './event-texts.ts';

const event = fc.record({ id: fc.nat(3), size: fc.nat(2) }).map(({ id, size }): CollectedEvent => ({
  id,
  text: JSON.stringify({ id, name: 'x'.repeat(size) }),
}));

it('polls and streams get the JSON of their events, whatever is requested at the same time', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.option(fc.array(event, { maxLength: 3 })), { maxLength: 30 }),
      async (asked) => {
        const texts = new EventTexts();
        for (const events of asked) {
          // Another turn of the event loop.
          if (events === null) await new Promise(setImmediate);
          else {
            const start = texts.answerStartOf(events);
            expect(JSON.parse(`${start}]}`)).toEqual({
              result: 'success',
              msg: '',
              events: events.map(({ text }) => JSON.parse(text) as unknown),
            });
            const parts = texts.streamPartOf(events).split('\n\n').slice(0, -1);
            expect(parts).toEqual(events.map(({ id, text }) => `id: ${id}\ndata: ${text}`));
            const datas = parts.map((part) => part.slice(part.indexOf('{')));
            expect(start.endsWith(`[${datas.join(',')}`)).toBe(true);
          }
        }
      },
    ),
  );
});
