import { wordClass } from './inline-run.ts';
import type { InlinePass } from './inline-run.ts';
import { texInlineHtml } from './tex.ts';

const inlineMath = new RegExp(
  String.raw`(?<![$${wordClass}])\$\$([^\n_$](?:\\\$|[^$\n])*)\$\$(?![$${wordClass}])`,
  'gu',
);

/** `$$body$$` (reference facts, markdown 10). */
export const mathFormulas: InlinePass = (text, run) => {
  return text.replaceAll(inlineMath, (whole, body: string) => {
    if (run.effort.isPlain) return run.add({ kind: 'text', text: run.plainText(whole) });
    const tex = run.plainText(body);
    const html = texInlineHtml(tex, run.budget);
    if (html !== undefined) return run.add({ kind: 'html', html, source: run.plainText(whole) });
    return run.add({
      kind: 'element',
      tag: 'span',
      attributes: [['class', 'tex-error']],
      content: run.add({ kind: 'text', text: run.plainText(whole) }),
    });
  });
};
