import type { InlinePass } from './inline-run.ts';

/** Text after a run of stars, in the pieces that earlier matches left. */
type Segment = { pieces: string[]; first: string; last: string; isBarred: boolean };

function segmentOf(text: string): Segment {
  return {
    pieces: [text],
    first: text.slice(0, 1),
    last: text.slice(-1),
    isBarred: text.includes('^') || text.includes('\n'),
  };
}

function append(segment: Segment, next: Segment): void {
  for (const piece of next.pieces) segment.pieces.push(piece);
  if (segment.first === '') segment.first = next.first;
  if (next.last !== '') segment.last = next.last;
  segment.isBarred ||= next.isBarred;
}

const isBlank = (character: string): boolean => character.trim() === '';
/** Content begins and ends with something, and has no line break and no `^` in it. */
const mayBeEmphasized = ({ first, last, isBarred }: Segment): boolean =>
  !isBarred && !isBlank(first) && !isBlank(last);

/**
 * Emphasis by one star count, from left to right. A match frees the stars before it, which could not open anything across the matched ones.
 * So runs of stars wait on a stack, each with the text after it.
 */
function starPass(
  width: number,
  build: (content: string) => { outer: string; inner?: string },
): InlinePass {
  return (text, run, later) => {
    const [start = '', ...rest] = text.split(/(\*+)/);
    const bottom = { count: 0, after: segmentOf(start) };
    const open = [bottom];
    for (let index = 0; index < rest.length; index += 2) {
      let closing = rest[index]?.length ?? 0;
      let top = open.at(-1) ?? bottom;
      while (closing >= width && top.count >= width && mayBeEmphasized(top.after)) {
        let content = later(top.after.pieces.join(''));
        const { outer, inner } = build(content);
        if (inner !== undefined) {
          content = run.add({ kind: 'element', tag: inner, attributes: [], content });
        }
        const placed = run.add({ kind: 'element', tag: outer, attributes: [], content });
        top.after = segmentOf(placed);
        top.count -= width;
        closing -= width;
        if (top.count > 0) continue;
        open.pop();
        const before = open.at(-1) ?? bottom;
        append(before.after, top.after);
        top = before;
      }
      const after = segmentOf(rest[index + 1] ?? '');
      if (closing === 0) append(top.after, after);
      else open.push({ count: closing, after });
    }
    return open.map(({ count, after }) => '*'.repeat(count) + after.pieces.join('')).join('');
  };
}

/** `***x***` (reference facts, markdown 4.1). */
export const strongEmphasis = starPass(3, () => ({
  outer: 'strong',
  inner: 'em',
}));

/** `*x*`. */
export const emphasis = starPass(1, () => ({ outer: 'em' }));

/** `**x**`: the shortest content, on one line. */
export const strong: InlinePass = (text, run, later) => {
  return text.replaceAll(/\*\*([^\n]+?)\*\*/g, (_whole, content: string) =>
    run.add({ kind: 'element', tag: 'strong', attributes: [], content: later(content) }),
  );
};

/** `~~x~~` (reference facts, markdown 4.2). */
export const strikethrough: InlinePass = (text, run, later) => {
  return text.replaceAll(/(?<!~)~~([^~\n]+)~~(?!~)/g, (_whole, content: string) =>
    run.add({ kind: 'element', tag: 'del', attributes: [], content: later(content) }),
  );
};

/** Remaining newlines in a run (reference facts, markdown 4.8). */
export const lineBreaks: InlinePass = (text, run) => {
  return text.replaceAll('\n', () => run.add({ kind: 'void', tag: 'br', attributes: [] }));
};
