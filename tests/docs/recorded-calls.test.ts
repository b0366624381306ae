/**
 * The answers in the documentation come from a server, and still have the documented form. CONTRIBUTING.md says how they are
 * recorded.
 */
import { readFileSync } from 'node:fs';

import { endpoints, endpointsWithExample } from '@parley/api/endpoints';
import { interfaceDocument } from '@parley/api/interface-document';
import { answerCheckOf } from '@parley/api/openapi';
import {
  languages,
  readRecordedCalls,
  recordedCallsFile,
  sampleRequestOf,
} from '@parley/api/samples';
import type { RecordedCall } from '@parley/api/samples';
import { parleyVersion } from '@parley/server';
import { checkAnswer } from '@parley/test-kit';
import { expect, test } from 'vitest';

import { recordingOf } from './samples/recording.ts';

const recorded = readRecordedCalls();

test('a recording keeps calls that were not repeated, and drops missing endpoints', () => {
  const call = (value: number): RecordedCall => ({ values: { value } });
  const kept = new Map([
    ['get-user', call(1)],
    ['add-linkifier', call(2)],
    ['no-endpoint', call(3)],
  ]);
  const text = recordingOf(new Map([['get-user', call(4)]]), kept);
  expect(Object.entries(JSON.parse(text) as object)).toEqual([
    ['add-linkifier', call(2)],
    ['get-user', call(4)],
  ]);
});

test('the recording is formatted as written', () => {
  expect(recordingOf(new Map(), recorded)).toBe(readFileSync(recordedCallsFile, 'utf8'));
});

test('every endpoint with an example has a recorded call, and there are no others (CONTRIBUTING.md says how to record one)', () => {
  const names = endpointsWithExample.map(({ name }) => name);
  expect([...recorded.keys()].toSorted()).toEqual(names.toSorted());
});

test.each(endpointsWithExample)(
  'the recorded answer to $name matches the current documentation',
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
    expect(answerCheckOf(endpoint)(data)).toBeUndefined();
  },
);

test('no recorded answer contains a key, or an address of the machine', () => {
  const text = JSON.stringify([...recorded]);
  expect(text).not.toMatch(/127\.0\.0\.1|localhost/);
  for (const [, key] of text.matchAll(/"api_key":"([^"]*)"/g))
    expect(key).toBe('abcdefghijklmnopqrstuvwxyz012345');
});

test('each operation of the document has an example in each language, and its answer, unless only pages call it', () => {
  const { paths } = interfaceDocument(parleyVersion) as {
    readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  };
  const operations = Object.values(paths)
    .flatMap((item) => Object.values(item))
    .filter((value) => typeof value === 'object' && value !== null && 'operationId' in value);
  expect(operations).toHaveLength(endpoints.length);
  const samplesOf = new Set<unknown>(endpointsWithExample.map(({ name }) => name));
  for (const operation of operations as Readonly<Record<string, unknown>>[]) {
    expect('x-codeSamples' in operation).toBe(samplesOf.has(operation['operationId']));
    if (!samplesOf.has(operation['operationId'])) continue;
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
