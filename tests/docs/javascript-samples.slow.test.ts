/** Every example of the documentation in JavaScript, run against a server. */
import { writeFileSync } from 'node:fs';

import { languages, readRecordedCalls, recordedCallsFile } from '@parley/api/samples';
import type { RecordedCall } from '@parley/api/samples';
import { afterAll } from 'vitest';

import { testSamples } from './samples/sample-suite.ts';
import { recordingOf } from './samples/recording.ts';

const recorded = new Map<string, RecordedCall>();

for (const language of languages.filter(({ label }) => label === 'JavaScript'))
  testSamples(language, ({ name }, call) => {
    recorded.set(name, call);
  });

// The documentation shows answers from such a run; with `-t`, the answers of other examples stay unchanged.
afterAll(() => {
  if (process.env['PARLEY_RECORD_ANSWERS'] === 'yes')
    writeFileSync(recordedCallsFile, recordingOf(recorded, readRecordedCalls()));
});
