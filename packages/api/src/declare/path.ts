/** The only grammar of declared paths: `{name}` is a segment, `{name...}` all segments to the end. */

export type Segment =
  | { readonly kind: 'literal'; readonly text: string }
  | { readonly kind: 'parameter'; readonly name: string }
  | { readonly kind: 'rest'; readonly name: string };

const placeholder = /^\{(\w+)(\.\.\.)?\}$/;

function parseSegment(text: string): Segment {
  const match = placeholder.exec(text);
  if (match === null) return { kind: 'literal', text };
  return { kind: match[2] === undefined ? 'parameter' : 'rest', name: match[1] ?? '' };
}

/** @returns the segments of a declared path */
export function parsePath(path: string): readonly Segment[] {
  return path.slice(1).split('/').map(parseSegment);
}

/** @returns the names of the parameters in a declared path */
export function placeholdersOf(path: string): readonly string[] {
  return parsePath(path).flatMap((segment) => (segment.kind === 'literal' ? [] : [segment.name]));
}
