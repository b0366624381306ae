export type FenceKind = 'code' | 'quote' | 'spoiler' | 'tex';

export type FenceLine = {
  readonly fence: string;
  /** The info word; of a spoiler its header. */
  readonly info: string;
  readonly kind: FenceKind;
};

/** The characters of an info word (reference facts, markdown 2.6). */
const fencePattern = /^(~{3,}|`{3,}) *\{?\.?([A-Za-z0-9_+,\-./#]*)\}?$/;

/** Later versions of the reference have it. Without a header it is code, as it was before them. */
const spoilerPattern = /^(~{3,}|`{3,}) *spoiler +([^ ~`][^~`]*)$/;

const kinds: ReadonlyMap<string, FenceKind> = new Map([
  ['quote', 'quote'],
  ['quoted', 'quote'],
  ['math', 'tex'],
  ['tex', 'tex'],
  ['latex', 'tex'],
]);

/** A pattern for spaces at the end would check each run of spaces once per space. */
function withoutSpacesAtEnd(line: string): string {
  let end = line.length;
  while (line[end - 1] === ' ') end -= 1;
  return line.slice(0, end);
}

/** Reads a line that may open or close a fenced block; anything else after the fence is text. */
export function matchFenceLine(line: string): FenceLine | undefined {
  if (!line.startsWith('```') && !line.startsWith('~~~')) return undefined;
  const trimmed = withoutSpacesAtEnd(line);
  const spoiler = spoilerPattern.exec(trimmed);
  const [, fence = '', info = ''] = spoiler ?? fencePattern.exec(trimmed) ?? [];
  if (fence === '') return undefined;
  return { fence, info, kind: spoiler === null ? (kinds.get(info) ?? 'code') : 'spoiler' };
}
