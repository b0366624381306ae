/** The recorded answers to the examples. */
import { endpointsWithExample } from '@parley/api/endpoints';
import type { RecordedCall } from '@parley/api/samples';

/** Keys are hidden, although their server no longer exists, so that scans for leaked keys find none. */
function withoutKeys(text: string): string {
  return text.replaceAll(/"api_key": "[^"]*"/g, '"api_key": "abcdefghijklmnopqrstuvwxyz012345"');
}

/**
 * @param kept the earlier recording, which is kept for examples that were not called now
 * @returns the text of the file, sorted by name, without endpoints that no longer exist
 */
export function recordingOf(
  calls: ReadonlyMap<string, RecordedCall>,
  kept: ReadonlyMap<string, RecordedCall>,
): string {
  const names = new Set(endpointsWithExample.map(({ name }) => name));
  const sorted = Object.fromEntries(
    [...kept, ...calls]
      .filter(([name]) => names.has(name))
      .toSorted(([one], [other]) => (one < other ? -1 : one > other ? 1 : 0)),
  );
  return `${withoutKeys(JSON.stringify(sorted, null, 2))}\n`;
}
