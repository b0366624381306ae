/** What was answered to the examples, as it is kept beside the tests and shown in the documentation. */
import { existsSync, readFileSync } from 'node:fs';

import type { RecordedCall } from './sample-suite.ts';

export const recordedCallsFile = new URL('../recorded-calls.json', import.meta.url);

/** Keys are hidden, though they were those of a server that is gone: whoever looks for leaked ones finds none. */
function withoutKeys(text: string): string {
  return text.replaceAll(/"api_key": "[^"]*"/g, '"api_key": "abcdefghijklmnopqrstuvwxyz012345"');
}

/** @returns the text of the file, in the order of names */
export function recordingOf(calls: Readonly<Record<string, RecordedCall>>): string {
  const sorted = Object.fromEntries(
    Object.entries(calls).toSorted(([one], [other]) => (one < other ? -1 : 1)),
  );
  return `${withoutKeys(JSON.stringify(sorted, null, 2))}\n`;
}

/** @returns the calls by the name of their endpoint; none where nothing was recorded yet */
export function readRecordedCalls(): ReadonlyMap<string, RecordedCall> {
  if (!existsSync(recordedCallsFile)) return new Map();
  const calls = JSON.parse(readFileSync(recordedCallsFile, 'utf8')) as Record<string, RecordedCall>;
  return new Map(Object.entries(calls));
}
