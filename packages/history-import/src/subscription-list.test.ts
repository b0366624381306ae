import fc from 'fast-check';
import { expect, test } from 'vitest';

import { SubscriptionList } from './subscription-list.ts';

const setting = fc.constantFrom(null, false, true);
const number = fc.nat({ max: 2 ** 31 - 1 });
const record = fc.record({
  person: number,
  stream: number,
  color: fc.option(
    fc.nat({ max: 0xffffff }).map((color) => `#${color.toString(16).padStart(6, '0')}`),
    { nil: undefined },
  ),
  isMuted: fc.boolean(),
  pinToTop: fc.boolean(),
  notifications: fc.record({
    desktop: setting,
    audible: setting,
    push: setting,
    email: setting,
    wildcardMentions: setting,
  }),
});

test('gives back what was added, and in its place what replaced it', () => {
  fc.assert(
    fc.property(
      fc.array(record),
      fc.array(fc.record({ at: fc.nat(), by: record })),
      (added, changes) => {
        const list = new SubscriptionList();
        const numbers = added.map((one) => list.add(one));
        const expected = [...added];
        for (const { at, by } of added.length === 0 ? [] : changes) {
          const index = at % added.length;
          list.replace(numbers[index] ?? -1, by);
          expected[index] = by;
        }
        expect([...list]).toEqual(expected);
      },
    ),
  );
});

test('has as many as were added', () => {
  const list = new SubscriptionList();
  const [sample] = fc.sample(record, 1);
  if (sample === undefined) throw new Error('there is no sample');
  const count = 200_000;
  for (let person = 0; person < count; person += 1) list.add({ ...sample, person });
  let next = 0;
  for (const { person, stream } of list) {
    if (person !== next || stream !== sample.stream) throw new Error(`${next} is another one`);
    next += 1;
  }
  expect(next).toBe(count);
});
