import fc from 'fast-check';
import { expect, it } from 'vitest';

import { SlotTable, Slots } from './slots.ts';

it('slots behave like a map of all numbers', () => {
  fc.assert(
    fc.property(
      fc.array(fc.option(fc.nat(30), { freq: 2 }), { maxLength: 100, size: '+1' }),
      (steps) => {
        const slots = new Slots<{ readonly step: number }>();
        const given: number[] = [];
        const expected = new Map<number, { readonly step: number }>();
        for (const [step, taken] of steps.entries()) {
          if (taken === null) {
            const value = { step };
            const number = slots.add(value);
            expect(given).not.toContain(number);
            given.push(number);
            expected.set(number, value);
          } else {
            const number = given[taken % given.length] ?? taken;
            expect(slots.take(number)).toBe(expected.get(number));
            expected.delete(number);
          }
          expect(slots.size).toBe(expected.size);
        }
        expect(new Set(slots)).toEqual(new Set(expected.values()));
      },
    ),
  );
});

it.each([-1, 0.5, NaN, Infinity, 2 ** 53])('%s is not a slot number', (number) => {
  expect(() => new SlotTable().put(number, {})).toThrow(RangeError);
});

it('an occupied slot is not reused', () => {
  const table = new SlotTable();
  table.put(3, {});
  expect(() => table.put(3, {})).toThrow(RangeError);
  expect(() => table.put(3 + 2 ** 24, {})).toThrow(RangeError);
});
