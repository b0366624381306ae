/** Headers that may occur once, in the spelling of clients. Of two occurrences Node would use the first, the last, or both joined. */
const singleHeaders = [
  'Host',
  'Authorization',
  'Content-Type',
  'Content-Length',
  'Transfer-Encoding',
  'Idempotency-Key',
  'Last-Event-ID',
];

const nameOf = new Map(singleHeaders.map((name) => [name.toLowerCase(), name]));

/**
 * @param rawHeaders names and values in turn, as Node gives them
 * @returns the name of such a header that occurs twice
 */
export function findDuplicateHeader(rawHeaders: readonly string[]): string | undefined {
  const seen = new Set<string>();
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = nameOf.get(rawHeaders[index]?.toLowerCase() ?? '');
    if (name === undefined) continue;
    if (seen.has(name)) return name;
    seen.add(name);
  }
  return undefined;
}
