export type FenceLine = { fence: string; info: string; isQuote: boolean; isTex: boolean };

/** The characters of an info word (reference facts, markdown 2.6). */
const fencePattern = /^(~{3,}|`{3,}) *\{?\.?([A-Za-z0-9_+,\-./#]*)\}?$/;

/** A pattern for spaces at the end would check each run of spaces once per space. */
function withoutSpacesAtEnd(line: string): string {
  let end = line.length;
  while (line[end - 1] === ' ') end -= 1;
  return line.slice(0, end);
}

/** Reads a line that may open or close a fenced block; anything else after the fence is text. */
export function matchFenceLine(line: string): FenceLine | undefined {
  if (!line.startsWith('```') && !line.startsWith('~~~')) return undefined;
  const match = fencePattern.exec(withoutSpacesAtEnd(line));
  if (match === null) return undefined;
  const info = match[2] ?? '';
  return {
    fence: match[1] ?? '',
    info,
    isQuote: info === 'quote' || info === 'quoted',
    isTex: info === 'math' || info === 'tex' || info === 'latex',
  };
}
