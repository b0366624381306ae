/**
 * The cost of parsing input is at most proportional to its length, whatever it contains. Each test compares the processor time of
 * this thread for inputs of one length with that for a sixteenth of it: quadratic cost would be 256 times as much.
 */
import { ApiError, findJsonBody, foldName, limits, parseJson } from '@parley/api';
import { parseContentType, parseNarrow, parseRecipients } from '@parley/api/messages';
import { parseTypingRecipients } from '@parley/api/presence';
import { cleanFileName } from '@parley/files';
import { decodeBody, decodeForm } from '@parley/server';
import {
  UnableToRender,
  alertWordMatches,
  findSubjectLinks,
  isLinkifierPattern,
  mentionCandidates,
  renderMessage,
} from '@parley/markdown';
import type { RenderContext } from '@parley/markdown';
import {
  checkDomain,
  checkEmailShape,
  checkFullName,
  checkShortName,
  isEmailShaped,
} from '@parley/people';
import { foldPhrases, foldWords, searchWords } from '@parley/store';
import { expect, test } from 'vitest';

import { parseAuthorization, parseKeyInQuery } from '../../services/gateway/src/authenticate.ts';
import { Query } from '../../services/gateway/src/query.ts';
import { canonicalPath, findRoute } from '../../services/gateway/src/routes.ts';
import { checkWidgetContent } from '../../services/messages/src/sending/check-widget.ts';
import { checkContent, checkTopic } from '../../services/messages/src/sending/message-text.ts';
import {
  fixtures,
  integrationOf,
} from '../../services/messages/src/webhooks/fixtures/read-fixture.ts';
import { withoutMentions } from '../../services/messages/src/webhooks/quiet-text.ts';
import { isHexColor } from '../../services/subscriptions/src/subscribing/subscription-properties.ts';

const kib = 1024;

/** The elements of hostile texts: each is repeated, alone and after beginnings that are never closed. */
const units = [
  'a',
  '0',
  ' ',
  '\n',
  '\r\n',
  '\t',
  '_',
  '-',
  '.',
  ',',
  ':',
  ';',
  '/',
  '\\',
  '\\"',
  '"',
  "'",
  '"a" ',

  '*',
  '**',
  '@**',
  '@*',
  '#**',
  '@**a|',
  '~~',
  '`',
  '```\n',
  '> ',
  '- ',
  '1. ',
  '|',
  'a|b\n-|-\n',
  '# ',

  '[',
  ']',
  '](',
  '[a](',
  '(',
  ')',
  '<',
  '>',
  '&',
  '&amp',
  '{',
  '}',
  ',}',
  '{"a":',
  '[1.0,',
  '1.5,',
  '$$',

  '%ff',
  '%',
  '+',
  '=',
  '&a=',
  'http://',
  'a@b.',
  'a.b',
  'q.com',
  '::1',
  ':a',
  '!avatar(',
  '%(',
  '(?P<a>',

  '\u0000',
  '\u0002',
  '\u0301',
  'ſ\u0301',
  'é',
  'ß',
  '\u{1F600}',
  '\ud800',
  '\u200b',
  'İ',
  '日',
  '--x\r\n',
] as const;
const beginnings = ['', '"', '@**', '[', '(', '<', '&', '```', '%('] as const;

const fill = (unit: string, length: number): string =>
  unit.repeat(Math.ceil(length / unit.length)).slice(0, length);

type Read = (text: string) => unknown;

/** The processor time of this many runs, in microseconds. */
async function costOf(read: Read, text: string, runs: number): Promise<number> {
  const before = process.threadCpuUsage();
  for (let run = 0; run < runs; run += 1) {
    try {
      await read(text);
    } catch (error) {
      if (!(error instanceof ApiError || error instanceof UnableToRender)) throw error;
    }
  }
  const { user, system } = process.threadCpuUsage(before);
  return user + system;
}

const step = 16;
/** A cost below this is too small for the resolution of the clock. */
const noiseUs = 8_000;
/**
 * The limit for the cost of a text relative to its sixteen parts. Linear cost gives 1, and quadratic 16, but caches and garbage
 * collection distort both.
 */
const growthMax = 8;

/**
 * If the cost seems to grow too fast, it is measured again, with more runs, because the clock has a resolution of some milliseconds, and
 * several times, because what else the machine does for a moment takes caches away from the long text rather than from the short one.
 */
const runsOfMeasurements = [1, 4, 16, 16, 16, 16];

/** Reports where the cost grew too fast; undefined if nowhere. */
async function findSteepness(
  read: Read,
  textOf: (length: number) => string,
  lengthMax: number,
): Promise<string | undefined> {
  for (const length of [lengthMax / 16, lengthMax / 4, lengthMax].map(Math.floor)) {
    const texts = { whole: textOf(length), sixteenth: textOf(Math.floor(length / step)) };
    let steepness: string | undefined;
    for (const runs of runsOfMeasurements) {
      steepness = undefined;
      const whole = await costOf(read, texts.whole, runs);
      if (whole < noiseUs * runs) break;
      const sixteenths = await costOf(read, texts.sixteenth, step * runs);
      if (whole < growthMax * sixteenths) break;
      steepness = `${length} units take ${whole / runs} µs, their sixteenths ${sixteenths / runs} µs`;
    }
    if (steepness !== undefined) return steepness;
  }
  return undefined;
}

/** Units whose repetition costs too much, at most a few. */
async function findSteepUnits(read: Read, lengthMax: number): Promise<string[]> {
  const found: string[] = [];
  for (const unit of units)
    for (const beginning of beginnings) {
      const textOf = (length: number): string => beginning + fill(unit, length);
      // An unclosed beginning shows quadratic cost at small lengths, if at all.
      const ownMax = beginning === '' ? lengthMax : Math.min(lengthMax, 16 * kib);
      const steepness = await findSteepness(read, textOf, ownMax);
      if (steepness === undefined) continue;
      found.push(`${JSON.stringify(beginning + unit)}: ${steepness}`);
      if (found.length === 3) return found;
    }
  return found;
}

const multipart = 'multipart/form-data; boundary=x';
const onePart = (text: string): Buffer =>
  Buffer.from(`--x\r\nContent-Disposition: form-data; name="a"\r\n\r\n${text}\r\n--x--\r\n`);

test.each<[string, Read]>([
  ['JSON', (text) => parseJson(text)],
  ['a text in JSON', (text) => parseJson(JSON.stringify(text))],
  ['JSON with checked numbers', (text) => parseJson(`[1.0,${text}`)],
  ['JSON of webhooks', (text) => findJsonBody(text)],
  [
    'invalid JSON of webhooks that is repaired',
    (text) => findJsonBody(`{"a":${JSON.stringify(text)},}`),
  ],
  ['a form', (text) => decodeForm(text)],
  ['a field of a form', (text) => decodeForm(`a=${text.replaceAll('&', '')}`)],
  ['a multipart form', (text) => decodeBody('POST', multipart, onePart(text))],
])('reading %s', { timeout: 120_000 }, async (_name, read) => {
  expect(await findSteepUnits(read, 256 * kib)).toEqual([]);
});

/** The minimum of several runs, because other work on the machine can only add to it. */
async function leastCostOf(read: Read, text: string): Promise<number> {
  const costs: number[] = [];
  for (let run = 0; run < 5; run += 1) costs.push(await costOf(read, text, 1));
  return Math.min(...costs);
}

// A multiple of the time of `JSON.parse`, which does not check how a number was written.
test.each([
  ['a million numbers, which are too many', '1.0,'.repeat(1024 * kib), undefined, 1],
  [
    'the maximum number of objects with a number',
    '{"a":1.0},'.repeat(99_000),
    expect.any(Array),
    16,
  ],
])('reading %s', async (_name, items, value: unknown, timesMax) => {
  const text = `[${items}1.0]`;
  expect(findJsonBody(text)).toEqual(value);
  const plain = await leastCostOf(JSON.parse, text);
  expect(await leastCostOf(findJsonBody, text)).toBeLessThan(timesMax * plain);
});

test.each<[string, Read]>([
  ['names', foldName],
  ['topics', checkTopic],
  ['contents', checkContent],
  ['full names', checkFullName],
  ['short names of bots', checkShortName],
  ['addresses of people', isEmailShaped],
  ['addresses for signing in', checkEmailShape],
  ['domains', checkDomain],
  ['colours', isHexColor],
  ['widgets', checkWidgetContent],
  ['recipients', (text) => parseRecipients(text, 'to')],
  ['recipients of typing', (text) => parseTypingRecipients(text, 'to')],
  ['narrows', (text) => parseNarrow(text, 'narrow')],
  ['operands', (text) => parseNarrow(JSON.stringify([['search', text]]), 'narrow')],
  ['operators', (text) => parseNarrow(JSON.stringify([{ operator: text, operand: '' }]), 'narrow')],
  ['phrases', (text) => foldPhrases([text, text])],
  ['words of a search', foldWords],
  ['texts that are indexed', (text) => searchWords(text, `<p>${text}</p>`)],
  ['patterns of linkifiers', isLinkifierPattern],
  ['files by name', cleanFileName],
])('%s', { timeout: 120_000 }, async (_name, read) => {
  expect(await findSteepUnits(read, 64 * kib)).toEqual([]);
});

test.each<[string, Read]>([
  ['paths', (text) => findRoute(canonicalPath(`/api/v1/${text}`) ?? '')],
  ['credentials', (text) => parseAuthorization(`Basic ${text}`)],
  ['keys in a query', (text) => parseKeyInQuery(new Query(text))],
  ['types of files', parseContentType],
  ['types of bodies', (text) => decodeBody('POST', text, Buffer.from('a=1'))],
])('headers: %s', { timeout: 120_000 }, async (_name, read) => {
  expect(await findSteepUnits(read, 16 * kib)).toEqual([]);
});

const context: RenderContext = {
  realmUri: 'https://chat.example.com',
  usersByName: (name) => (name === 'a' ? [{ id: 1, fullName: name }] : []),
  userById: () => undefined,
  hasWildcards: true,
  groupByName: (name) => (name === 'a' ? { id: 1, name } : undefined),
  streamByName: (name) => (name === 'a' ? { id: 1, name } : undefined),
  realmEmoji: (name) => (name === 'a' ? { id: '1', url: '/a.png' } : undefined),
  linkifiers: [
    { id: 1, pattern: '#(?P<n>[0-9](?:.*y)?)', urlFormat: 'https://a.example/%(n)s' },
    { id: 2, pattern: '(?P<n>(?:[a-z]+)+!)', urlFormat: 'https://a.example/%(n)s' },
  ],
  settings: { inlineImagePreview: true, fileLinks: true, translateEmoticons: true },
};

// Rendering also counts its own steps (`render-cost.test.ts`), and stops when they are used up.
test.each<[string, Read]>([
  ['messages', (text) => renderMessage(text, context)],
  ['names in mentions', mentionCandidates],
  ['links of topics', (text) => findSubjectLinks(text, context)],
  ['alert words', (text) => alertWordMatches(text, ['a', 'é', text.slice(0, 50)])],
  ['removing mentions from payloads', withoutMentions],
])('markdown: %s', { timeout: 120_000 }, async (_name, read) => {
  expect(await findSteepUnits(read, limits.contentMaxCodePoints)).toEqual([]);
});

/** A value with every text in it replaced. */
function withTexts(value: unknown, text: string): unknown {
  if (typeof value === 'string') return text;
  if (Array.isArray(value)) return value.map((element) => withTexts(element, text));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, withTexts(member, text)]),
  );
}

/** Values that each have one text replaced, for every text except those that name a kind of event. */
function withOneText(value: unknown, text: string): unknown[] {
  if (typeof value === 'string') return [text];
  if (Array.isArray(value))
    return value.flatMap((element, at) =>
      withOneText(element, text).map((replaced): unknown => value.with(at, replaced)),
    );
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) =>
    withOneText(member, text).map((replaced) => ({ ...value, [name]: replaced })),
  );
}

test.each(fixtures)(
  'webhooks: $integration $event, $about',
  { timeout: 120_000 },
  async (fixture) => {
    const integration = integrationOf(fixture.integration);
    const { payload, parameters = {}, event, stream, topic } = fixture;
    const variants = withOneText({ payload, parameters }, '').length;
    const read = (text: string): void => {
      const given = [
        ...withOneText({ payload, parameters }, text.slice(0, text.length / variants)),
        withTexts({ payload, parameters }, text),
      ] as { payload: unknown; parameters: Record<string, unknown> }[];
      for (const one of given) {
        try {
          integration.read(one.payload, event, { parameters: one.parameters, stream, topic });
        } catch (error) {
          if (!(error instanceof ApiError)) throw error;
        }
      }
    };
    expect(await findSteepUnits(read, 16 * kib)).toEqual([]);
  },
);
