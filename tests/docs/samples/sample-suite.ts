/** Runs the example of every endpoint in one language, and checks its output. */
import { readFile, rm } from 'node:fs/promises';
import { extname, join } from 'node:path';

import type { Endpoint } from '@parley/api';
import { endpointsWithExample } from '@parley/api/endpoints';
import { answerCheckOf } from '@parley/api/openapi';
import { sampleRequestOf } from '@parley/api/samples';
import type { Language, RecordedCall, SampleRequest } from '@parley/api/samples';
import { checkAnswer } from '@parley/test-kit';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { ExampleOrganization } from './example-organization.ts';
import { SampleFolder } from './run-sample.ts';

/** It lists all fields, so it must precede the creation of one. */
const first = 'reorder-profile-fields';
/** Examples that remove what others need, and in the end the organization itself. */
const last = ['remove-profile-field', 'deactivate-realm'];
const methods = ['GET', 'POST', 'ANY', 'PUT', 'PATCH', 'DELETE'];

/** First reads, then calls that create, change and remove. */
function rankOf({ name, method }: Endpoint): number {
  if (last.includes(name)) return methods.length + last.indexOf(name);
  return method === 'GET' ? -2 : name === first ? -1 : methods.indexOf(method);
}

const ordered: readonly Endpoint[] = endpointsWithExample.toSorted(
  (one, other) => rankOf(one) - rankOf(other),
);

/** Of the files that examples request. */
const beginnings: Readonly<Record<string, string>> = { '.png': '\x89PNG', '.gz': '\x1f\x8b' };

async function checkFile(
  { path: folder }: SampleFolder,
  { savedAs }: SampleRequest,
): Promise<void> {
  const content = await readFile(join(folder, savedAs));
  expect(content.toString('latin1').startsWith(beginnings[extname(savedAs)] ?? '?')).toBe(true);
  await rm(join(folder, savedAs));
}

/** @returns the answer that the sample printed */
function checkJson(endpoint: Endpoint, output: string): Readonly<Record<string, unknown>> {
  const answer: unknown = JSON.parse(output);
  checkAnswer(200, answer);
  expect(answer['result']).toBe('success');
  const { result: _result, msg: _msg, ...data } = answer;
  expect(answerCheckOf(endpoint)(data)).toBeUndefined();
  return answer;
}

/**
 * Declares a test for each endpoint: its sample runs exactly as in the documentation, and succeeds with the documented answer.
 *
 * @param onCall called for each call
 */
export function testSamples(
  language: Language,
  onCall: (endpoint: Endpoint, call: RecordedCall) => void = () => undefined,
): void {
  let organization: ExampleOrganization;
  let folder: SampleFolder;

  beforeAll(async () => {
    organization = await ExampleOrganization.start();
    folder = await SampleFolder.make(organization.picture);
  });

  afterAll(async () => {
    await folder.remove();
    await organization.stop();
  });

  test.each(ordered)(
    `$method $path: the example in ${language.label} succeeds`,
    async (endpoint) => {
      const request = sampleRequestOf(endpoint);
      const { client, values } = await organization.prepare(request);
      const output = await folder.run(language.label, {
        source: language.write(request),
        environment: {
          PARLEY_SITE: organization.cluster.url,
          PARLEY_EMAIL: client.email ?? '',
          PARLEY_KEY: client.apiKey ?? '',
          ...Object.fromEntries(
            Object.entries(values).map(([name, value]) => [name, String(value)]),
          ),
        },
        ...(request.answer === 'stream' ? { endedAfter: /^data:.*"type":"message"/m } : {}),
      });
      if (request.answer === 'file') await checkFile(folder, request);
      const answer = request.answer === 'json' ? checkJson(endpoint, output) : undefined;
      onCall(endpoint, { values, ...(answer === undefined ? {} : { answer }) });
    },
  );
}
