/** What was answered to the examples, as it is kept beside and shown in the documentation. */
import { readFileSync } from 'node:fs';

/** What an example was called with, and what was answered where that is JSON. */
export type RecordedCall = {
  readonly values: Readonly<Record<string, string | number>>;
  readonly answer?: Readonly<Record<string, unknown>>;
};

export const recordedCallsFile = new URL('recorded-calls.json', import.meta.url);

/** @returns the calls by the name of their endpoint */
export function readRecordedCalls(): ReadonlyMap<string, RecordedCall> {
  const calls = JSON.parse(readFileSync(recordedCallsFile, 'utf8')) as Record<string, RecordedCall>;
  return new Map(Object.entries(calls));
}
