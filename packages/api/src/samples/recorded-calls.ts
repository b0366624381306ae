/** The recorded answers to the examples, as they are stored next to them and shown in the documentation. */
import { readFileSync } from 'node:fs';

/** The input of an example's call, and its answer if that is JSON. */
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
