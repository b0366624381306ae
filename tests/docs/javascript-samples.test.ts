/** Every example of the documentation in JavaScript, run against a server. */
import { writeFileSync } from 'node:fs';

import { afterAll } from 'vitest';

import { languages } from './samples/languages.ts';
import type { RecordedCall } from './samples/sample-suite.ts';
import { testSamples } from './samples/sample-suite.ts';
import { recordedCallsFile, recordingOf } from './samples/recorded-calls.ts';

const recorded: Record<string, RecordedCall> = {};

for (const language of languages.filter(({ label }) => label === 'JavaScript'))
  testSamples(language, ({ name }, call) => {
    recorded[name] = call;
  });

// The documentation shows what was answered in such a run.
afterAll(() => {
  if (process.env['PARLEY_RECORD_ANSWERS'] === 'yes')
    writeFileSync(recordedCallsFile, recordingOf(recorded));
});
