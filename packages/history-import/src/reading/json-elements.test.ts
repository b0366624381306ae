import { Readable } from 'node:stream';

import fc from 'fast-check';
import { expect, test } from 'vitest';

import { countElements } from './count-elements.ts';
import { parseRun, readElements } from './json-elements.ts';
import { readJsonLines } from './json-lines.ts';

/** The bytes in pieces of any size, as a file may come. */
function inPieces(text: string, size: number): Readable {
  const bytes = Buffer.from(text);
  const pieces: Buffer[] = [];
  for (let from = 0; from < bytes.length; from += size)
    pieces.push(bytes.subarray(from, from + size));
  return Readable.from(pieces);
}

async function readAll(text: string, size = 7): Promise<Record<string, unknown[]>> {
  const tables = new Map<string, unknown[]>();
  for await (const run of readElements('file', inPieces(text, size)))
    if (run.first >= 0)
      for (const element of parseRun(run)) {
        const table = tables.get(run.table) ?? [];
        tables.set(run.table, table);
        expect(element.index).toBe(table.length);
        table.push('value' in element ? element.value : element.fault);
      }
  return Object.fromEntries(tables);
}

const files = fc.dictionary(
  fc.string().filter((key) => key !== '__proto__'),
  fc.array(fc.jsonValue(), { minLength: 1 }),
);

test('elements are read as they were written, however the file comes, and the count agrees', async () => {
  await fc.assert(
    fc.asyncProperty(
      files,
      fc.integer({ min: 1, max: 50 }),
      fc.constantFrom(0, 4),
      async (file, size, indent) => {
        const text = JSON.stringify(file, undefined, indent);
        expect(await readAll(text, size)).toEqual(JSON.parse(text));
        const counted = new Map<string, number>();
        await countElements(inPieces(text, size), counted);
        const lengths = Object.entries(file).map(([key, list]) => [key, list.length]);
        expect(Object.fromEntries(counted)).toEqual(Object.fromEntries(lengths));
      },
    ),
  );
});

test('an array alone is one table, and values that are no arrays are apart', async () => {
  expect(await readAll('\uFEFF[1, {"a": "]"}, "x"]')).toEqual({ '': [1, { a: ']' }, 'x'] });
  expect(await readAll('{"a": "x", "b": [1], "c": {"d": [2]}, "e": true}')).toEqual({ b: [1] });
});

test('an element that is no JSON is reported alone', async () => {
  expect(await readAll('{"a": [1, {x}, 3]}', 1_000)).toEqual({ a: [1, 'it is no JSON', 3] });
});

test.each([
  ['a cut file', '{"a": [1, 2', /cut off/],
  ['something behind the end', '{"a": [1]} x', /something follows its end/],
  ['a table twice', '{"a": [1], "a": []}', /has a twice/],
  ['a text', '"text"', /no JSON object or array/],
  ['nesting', `[${'['.repeat(70)}`, /nested deeper/],
  ['a key that is no text', '{1: []}', /where a key should be/],
  [
    'many tables',
    `{${Array.from({ length: 1_001 }, (_, n) => `"k${n}": []`).join(',')}}`,
    /more than 1000 tables/,
  ],
  [
    'many small values',
    `{"a": [[${'{},'.repeat(1_100_000)}{}]]}`,
    /an element of a has too many values/,
  ],
])('%s is refused', async (_name, text, fault) => {
  await expect(readAll(text, 65_536)).rejects.toThrow(fault);
});

test.each([
  ['nesting', `${'['.repeat(65)}${']'.repeat(65)}`, /line 2 is nested deeper than 64/],
  ['small values', `[${'{},'.repeat(1_100_000)}{}]`, /line 2 has too many values/],
])('a line of %s is refused, and braces in its texts mean nothing', async (_name, line, fault) => {
  const harmless = { text: `${'[{"'.repeat(100)}\\` };
  const lines = readJsonLines('file', inPieces(`${JSON.stringify(harmless)}\n${line}\n`, 65_536));
  expect(await lines.next()).toMatchObject({ value: { value: harmless, line: 1 } });
  await expect(lines.next()).rejects.toThrow(fault);
});
