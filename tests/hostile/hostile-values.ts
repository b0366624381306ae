/** Values that no client should send: for each kind, texts for a parameter's value. */
import type { JsonSchema, Parameter } from '@parley/api';

import type { SeededRandom } from '../privacy/seeded-random.ts';

/** A value as text, or already percent-encoded if it cannot be text. */
export type Value = { readonly text: string } | { readonly encoded: string };

export type Place = {
  readonly parameter: Parameter;
  /** A valid value for this place. */
  readonly plausible: string;
  readonly random: SeededRandom;
  /** Ids, names and addresses of existing objects, most of them somebody else's. */
  readonly existing: readonly string[];
};

type Kind = (place: Place) => readonly Value[];

const text = (value: string): Value => ({ text: value });
const json = (value: unknown): Value => ({ text: JSON.stringify(value) });
const oneOf =
  (...values: readonly Value[]): Kind =>
  ({ random }) => [random.pick(values)];

const leaves: readonly unknown[] = [
  null,
  true,
  0,
  -1,
  1.5,
  2 ** 31,
  2 ** 53,
  -(2 ** 63),
  1e300,
  '',
  ' ',
  'x',
  '\0',
  '\ud800',
  '1',
  [],
  {},
  [null],
  [[]],
  { a: 1 },
  'x'.repeat(5_000),
];

/** A value that mostly follows the schema, with something else in one place. */
function spoiled(schema: JsonSchema, random: SeededRandom, depth = 0): unknown {
  if (depth > 4 || random.chance(0.25)) return random.pick(leaves);
  const [branch] = random.sample(schema.anyOf ?? [], 1);
  if (branch !== undefined) return spoiled(branch, random, depth + 1);
  if (schema.enum !== undefined && random.chance(0.5)) return random.pick(schema.enum);
  if (schema.properties !== undefined)
    return Object.fromEntries(
      Object.entries(schema.properties)
        .filter(() => random.chance(0.8))
        .map(([name, member]) => [name, spoiled(member, random, depth + 1)]),
    );
  if (schema.items !== undefined) {
    const { items } = schema;
    return Array.from({ length: random.below(4) }, () => spoiled(items, random, depth + 1));
  }
  return random.pick(leaves);
}

const deep = (open: string, close: string, levels: number): Value =>
  text(open.repeat(levels) + close.repeat(levels));

/** Within the limit of a request line; a body may be longer. */
const longTextChars = 9_000;

const hostileKinds: Readonly<Record<string, Kind>> = {
  absent: () => [],
  plausible: ({ plausible }) => [text(plausible)],
  empty: () => [text('')],
  blank: oneOf(text('   '), text('\t\r\n'), text('\u00a0\u2003'), json('  ')),
  long: ({ random }) => [text(random.pick(['x', 'ß', '😀', '"', '[', '%']).repeat(longTextChars))],
  longJson: () => [json('ŉ'.repeat(2_000))],
  manyItems: ({ random }) => [json(Array.from({ length: 3_000 }, () => random.below(4)))],
  nul: ({ plausible }) => [text(`${plausible}\0`)],
  nulInJson: oneOf(json('a\0b'), json(['\0']), json({ '\0': 1 }), json([{ name: 'a\0' }])),
  loneSurrogate: oneOf(
    text(String.raw`"\ud800"`),
    text(String.raw`["\udfff"]`),
    text(String.raw`{"name":"a\ud83d"}`),
    { encoded: '%ED%A0%80' },
    { encoded: '%22%ED%B0%80%22' },
  ),
  deepList: oneOf(deep('[', ']', 1_400), deep('[', ']', 40), text('['.repeat(2_000))),
  deepObject: oneOf(deep('{"a":', '}', 700), text(`${'{"a":'.repeat(700)}1${'}'.repeat(700)}`)),
  repeated: ({ plausible, existing, random }) => [
    text(plausible),
    text(random.pick(existing)),
    text('x'),
  ],
  null: () => [text('null')],
  boolean: oneOf(text('true'), text('false'), text('True')),
  zero: oneOf(text('0'), text('-0'), text('00'), text('0.0')),
  negative: oneOf(text('-1'), text('-2147483649'), text('-9223372036854775809'), text('[-1]')),
  giant: oneOf(
    text('2147483648'),
    text('9007199254740993'),
    text('9223372036854775808'),
    text('1e400'),
    text('9'.repeat(400)),
    text(`[${'9'.repeat(30)}]`),
  ),
  notInteger: oneOf(
    text('1.5'),
    text('1e2'),
    text('0x10'),
    text('NaN'),
    text('Infinity'),
    text('１'),
  ),
  string: oneOf(json('x'), json('5'), text('x')),
  list: oneOf(text('[]'), json(['x']), json([1, 'x']), json([[]]), json([null]), text('[1,]')),
  object: oneOf(text('{}'), json({ a: 1 }), json([{}]), text('{"a":1,}'), text('{"a"}')),
  prototype: oneOf(
    text('{"__proto__":{"a":1}}'),
    text('[{"constructor":{"prototype":1}}]'),
    text('__proto__'),
    text('constructor'),
    text('["toString"]'),
  ),
  spoiled: ({ parameter, random }) => [json(spoiled(parameter.schema, random))],
  spoiledAgain: ({ parameter, random }) => [json([spoiled(parameter.schema, random)])],
  brokenEscape: oneOf(
    { encoded: '%' },
    { encoded: '%zz' },
    { encoded: '%c0%80' },
    { encoded: '%ff%fe' },
  ),
  otherObject: ({ existing, random }) => [text(random.pick(existing))],
  otherObjects: ({ existing, random }) => [
    text(
      `[${random
        .sample(
          existing.filter((one) => /^\d+$/.test(one)),
          3,
        )
        .join(',')}]`,
    ),
  ],
  otherNames: ({ existing, random }) => [json(random.sample(existing, 3))],
  syntax: oneOf(
    text("'; DROP TABLE users; --"),
    text('%_\\'),
    text('(a+)+$'),
    text('(?P<x>(a|a)*)*b'),
    text('../../../etc/passwd'),
    text('<script>alert(1)</script>'),
    text('${7*7}{{7*7}}'),
  ),
  unicode: oneOf(
    text('\u202eabc\u2066'),
    text('\ufeffx'),
    text(`a${'\u0301'.repeat(500)}`),
    text('ŉẞİı'.repeat(20)),
    text('\u0085\u2028\u2029'),
    text('\ue000\uffff'),
    text('👨‍👩‍👧‍👦'.repeat(30)),
    text('\u0007\u001b[31m'),
  ),
  dates: oneOf(
    text('0000-00-00'),
    json('2020-02-30'),
    json('+275760-09-13'),
    text('1970-01-01T00:00:00Z'),
  ),
};

export const kindNames: readonly string[] = Object.keys(hostileKinds);

/** @returns the values of a kind at a place */
export function hostileValues(kind: string, place: Place): readonly Value[] {
  return hostileKinds[kind]?.(place) ?? [];
}

/** @returns a value as text for a query, a form or a path */
export function encoded(value: Value): string {
  // A lone surrogate has no UTF-8; it goes out as a replacement character, as from any client.
  return 'encoded' in value ? value.encoded : encodeURIComponent(value.text.toWellFormed());
}
