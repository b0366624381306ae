import type { InlinePass } from './inline-run.ts';

/**
 * Emphasis by one star count. After a match the search goes back to the star before it: it could
 * not open anything while the matched stars were in its way, and now may.
 */
function starPass(
  pattern: RegExp,
  build: (content: string) => { outer: string; inner?: string },
): InlinePass {
  return (text, run, later) => {
    let output = text;
    pattern.lastIndex = 0;
    for (let match = pattern.exec(output); match !== null; match = pattern.exec(output)) {
      let content = later(match[1] ?? '');
      const { outer, inner } = build(content);
      if (inner !== undefined) {
        content = run.add({ kind: 'element', tag: inner, attributes: [], content });
      }
      const placeholder = run.add({ kind: 'element', tag: outer, attributes: [], content });
      const end = match.index + match[0].length;
      const before = match.index === 0 ? -1 : output.lastIndexOf('*', match.index - 1);
      output = output.slice(0, match.index) + placeholder + output.slice(end);
      pattern.lastIndex = Math.max(before - 2, 0);
    }
    return output;
  };
}

/** `***x***` (reference facts, markdown 4.1). */
export const strongEmphasis = starPass(/\*\*\*(?!\s)([^*^\n]+)(?<!\s)\*\*\*/g, () => ({
  outer: 'strong',
  inner: 'em',
}));

/** `*x*`. */
export const emphasis = starPass(/\*(?!\s)([^*^\n]+)(?<!\s)\*/g, () => ({ outer: 'em' }));

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

/** Newlines left in a run (reference facts, markdown 4.8). */
export const lineBreaks: InlinePass = (text, run) => {
  return text.replaceAll('\n', () => run.add({ kind: 'void', tag: 'br', attributes: [] }));
};
