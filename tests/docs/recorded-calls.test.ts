/**
 * The answers that the documentation shows were given by a server, and still have the documented form. They are recorded anew with
 * `PARLEY_RECORD_ANSWERS=yes vitest run tests/docs/javascript-samples.test.ts`, and then shown by `npm run docs`.
 */
import type { Endpoint } from '@parley/http';
import { checkAnswer } from '@parley/test-kit';
import { expect, test } from 'vitest';

import { allEndpoints } from './all-endpoints.ts';
import { wholeOpenApiDocument } from './generated-pages.ts';
import { languages } from './samples/languages.ts';
import { readRecordedCalls } from './samples/recorded-calls.ts';
import { sampleRequestOf } from './samples/sample-request.ts';

const recorded = readRecordedCalls();

test('there is a recorded call of each endpoint, and none of others', () => {
  const names = allEndpoints.map(({ name }) => name);
  expect([...recorded.keys()].toSorted()).toEqual(names.toSorted());
});

test.each(allEndpoints as readonly Endpoint<never>[])(
  'what was answered to $name is as documented now',
  (endpoint) => {
    const { values = {}, answer } = recorded.get(endpoint.name) ?? {};
    const request = sampleRequestOf(endpoint);
    const named = new Set(request.variables.map(({ name }) => name));
    expect(new Set(Object.keys(values))).toEqual(named);
    expect(answer === undefined).toBe(request.answer !== 'json');
    if (answer === undefined) return;
    checkAnswer(200, answer);
    const { result, msg: _msg, ...data } = answer;
    expect(result).toBe('success');
    expect(endpoint.findAnswerFault(data)).toBeUndefined();
  },
);

test('no recorded answer holds a key, or an address of the machine', () => {
  const text = JSON.stringify([...recorded]);
  expect(text).not.toMatch(/127\.0\.0\.1|localhost/);
  for (const [, key] of text.matchAll(/"api_key":"([^"]*)"/g))
    expect(key).toBe('abcdefghijklmnopqrstuvwxyz012345');
});

test('each operation of the document has an example in each language, and its answer', () => {
  const { paths } = wholeOpenApiDocument() as {
    readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  };
  const operations = Object.values(paths)
    .flatMap((item) => Object.values(item))
    .filter((value) => typeof value === 'object' && value !== null && 'operationId' in value);
  expect(operations).toHaveLength(allEndpoints.length);
  for (const operation of operations as Readonly<Record<string, unknown>>[]) {
    const samples = operation['x-codeSamples'] as { label: string; source: string }[];
    expect(samples.map(({ label }) => label)).toEqual(languages.map(({ label }) => label));
    for (const { source } of samples) expect(source).not.toBe('');
    const { answer } = recorded.get(String(operation['operationId'])) ?? {};
    if (answer !== undefined)
      expect(operation['responses']).toMatchObject({
        200: { content: { 'application/json': { example: answer } } },
      });
  }
});
