import { stashedHtml, stashMarks } from './fences.ts';
import type { StashedBlock } from './fences.ts';
import { avatars } from './avatars.ts';
import { bareLinks } from './bare-links.ts';
import { emojiNames, emoticons, unicodeEmoji } from './emoji.ts';
import { codeSpans } from './inline-code.ts';
import { emphasis, lineBreaks, strikethrough, strong, strongEmphasis } from './inline-emphasis.ts';
import { hasPlaceholder, wordClass } from './inline-run.ts';
import type { InlinePass, InlineRun, RunLaterPasses } from './inline-run.ts';
import { linkifierLinks } from './linkifiers.ts';
import { namedLinks } from './links.ts';
import { groupMentions, userMentions } from './mentions.ts';
import { stashOpen } from './source-lines.ts';
import { streamLinks, streamTopicLinks } from './stream-links.ts';
import { texInlineHtml } from './tex.ts';

const inlineMath = new RegExp(
  String.raw`(?<![$${wordClass}])\$\$([^\n_$](?:\\\$|[^$\n])*)\$\$(?![$${wordClass}])`,
  'gu',
);

/** `$$body$$` (reference facts, markdown 10). */
const mathFormulas: InlinePass = (text, run) => {
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

/** The author's private-use characters are replaced, so that ours cannot be forged. */
function ownPlaceholders(text: string, run: InlineRun): string {
  if (!hasPlaceholder(text)) return text;
  return text.replaceAll(/[\u{100000}-\u{10FFFD}]/gu, (character) =>
    run.add({ kind: 'text', text: character }),
  );
}

/** Most runs contain few marks, so a pass is called only if the text contains its characters. A sparing rendering omits some passes. */
type GuardedPass = { pass: InlinePass; needs: string | RegExp; isSpared?: true };

/** Their matches begin at the start of a text run or after a few characters. */
const linkPasses: readonly GuardedPass[] = [
  { pass: bareLinks, needs: /[.:][^\s]/ },
  { pass: linkifierLinks, needs: '', isSpared: true },
];

/**
 * The passes in the order of reference facts, markdown 3. Entities (13) need none, because the
 * text escaping lets them through, and a lone star (17) is literal without one.
 */
const passes: readonly GuardedPass[] = [
  { pass: codeSpans, needs: '`' },
  { pass: strongEmphasis, needs: '***' },
  { pass: userMentions, needs: '**' },
  { pass: mathFormulas, needs: '$$' },
  { pass: streamTopicLinks, needs: '#**' },
  { pass: streamLinks, needs: '#**' },
  { pass: avatars, needs: 'avatar(' },
  { pass: groupMentions, needs: '@*' },
  { pass: namedLinks, needs: '](' },
  ...linkPasses,
  { pass: strong, needs: '**' },
  { pass: emphasis, needs: '*' },
  { pass: strikethrough, needs: '~~' },
  { pass: emojiNames, needs: ':', isSpared: true },
  { pass: emoticons, needs: /[:<]/, isSpared: true },
  { pass: lineBreaks, needs: '\n' },
  { pass: unicodeEmoji, needs: /[\u2000-\u{1F9FF}]/u, isSpared: true },
];

function runPass(
  { pass, needs, isSpared }: GuardedPass,
  text: string,
  run: InlineRun,
  later: RunLaterPasses,
): string {
  if (isSpared === true && run.effort.isPlain) return text;
  if (typeof needs === 'string' ? !text.includes(needs) : !needs.test(text)) return text;
  run.budget.spend(text.length);
  return pass(text, run, later);
}

function runFrom(text: string, first: number, run: InlineRun): string {
  return passes
    .slice(first)
    .reduce(
      (output, guarded, index) =>
        runPass(guarded, output, run, (content) => runFrom(content, first + index + 1, run)),
      text,
    );
}

/** Searches a finished text for links, as in a separate run. */
export function findLinksAgain(text: string, run: InlineRun): string {
  return linkPasses.reduce(
    (output, guarded) => runPass(guarded, output, run, (content) => content),
    text,
  );
}

/**
 * Applies all inline rules to a text run.
 *
 * @param stash Fenced blocks; a mark without a separate block is replaced in place.
 */
export function runInlinePasses(
  text: string,
  run: InlineRun,
  stash: readonly StashedBlock[],
): string {
  const source = ownPlaceholders(text, run);
  if (!source.includes(stashOpen)) return runFrom(source, 0, run);
  const marked = source.replaceAll(stashMarks, (_whole, index: string) => {
    const block = stash[Number(index)];
    return block === undefined
      ? ''
      : run.add({ kind: 'html', html: stashedHtml(block, run.effort), source: block.text });
  });
  return runFrom(marked, 0, run);
}
