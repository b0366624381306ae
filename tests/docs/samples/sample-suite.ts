/** Runs the example of every endpoint in one language, and judges what it shows. */
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';

import type { Endpoint } from '@parley/http';
import { checkAnswer } from '@parley/test-kit';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { allEndpoints } from '../all-endpoints.ts';
import { ExampleOrganization } from './example-organization.ts';
import type { PreparedCall } from './example-organization.ts';
import type { Language } from './languages.ts';
import { SampleFolder } from './run-sample.ts';
import { sampleRequestOf } from './sample-request.ts';
import type { SampleRequest } from './sample-request.ts';

type AnyEndpoint = Endpoint<never>;

/** What an example was called with, and what was answered where that is JSON. */
export type RecordedCall = {
  readonly values: PreparedCall['values'];
  readonly answer?: Readonly<Record<string, unknown>>;
};

/** It lists all fields, so it comes before one is added. */
const first = 'reorder-profile-fields';
/** What others need, and in the end the organization itself. */
const last = ['remove-profile-field', 'deactivate-realm'];
const methods = ['GET', 'POST', 'ANY', 'PUT', 'PATCH', 'DELETE'];

/** First what reads, then what makes, changes and removes. */
function rankOf({ name, method }: AnyEndpoint): number {
  if (last.includes(name)) return methods.length + last.indexOf(name);
  return method === 'GET' ? -2 : name === first ? -1 : methods.indexOf(method);
}

const ordered: readonly AnyEndpoint[] = (allEndpoints as readonly AnyEndpoint[]).toSorted(
  (one, other) => rankOf(one) - rankOf(other),
);

async function checkFile(
  { path: folder }: SampleFolder,
  { savedAs }: SampleRequest,
): Promise<void> {
  const content = await readFile(join(folder, savedAs));
  // All files that examples ask for are PNGs.
  expect(content.subarray(1, 4).toString('latin1')).toBe('PNG');
  await rm(join(folder, savedAs));
}

/** @returns the answer as the sample showed it */
function checkJson(endpoint: AnyEndpoint, output: string): Readonly<Record<string, unknown>> {
  const answer: unknown = JSON.parse(output);
  checkAnswer(200, answer);
  expect(answer['result']).toBe('success');
  const { result: _result, msg: _msg, ...data } = answer;
  expect(endpoint.findAnswerFault(data)).toBeUndefined();
  return answer;
}

/**
 * Declares a test for each endpoint: its sample is run, literally as the documentation shows it, and succeeds with the documented
 * answer.
 *
 * @param onCall is told of each call that was made
 */
export function testSamples(
  language: Language,
  onCall: (endpoint: AnyEndpoint, call: RecordedCall) => void = () => undefined,
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
