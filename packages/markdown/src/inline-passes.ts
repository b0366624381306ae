import { stashedHtml, stashMarks } from './fences.ts';
import type { StashedBlock } from './fences.ts';
import { avatars } from './avatars.ts';
import { bareLinks } from './bare-links.ts';
import { emojiNames, emoticons, unicodeEmoji } from './emoji.ts';
import { codeSpans } from './inline-code.ts';
import { emphasis, lineBreaks, strikethrough, strong, strongEmphasis } from './inline-emphasis.ts';
import { mathFormulas } from './inline-math.ts';
import { hasPlaceholder } from './inline-run.ts';
import type { InlinePass, InlineRun } from './inline-run.ts';
import { linkifierLinks } from './linkifiers.ts';
import { namedLinks } from './links.ts';
import { groupMentions, userMentions } from './mentions.ts';
import { stashOpen } from './source-lines.ts';
import { streamLinks, streamTopicLinks } from './stream-links.ts';

/** Private-use characters of the author give way to ours, so that none can be forged. */
function ownPlaceholders(text: string, run: InlineRun): string {
  if (!hasPlaceholder(text)) return text;
  return text.replaceAll(/[\u{100000}-\u{10FFFD}]/gu, (character) =>
    run.add({ kind: 'text', text: character }),
  );
}

/** Most runs hold few marks: a pass is called only when the text has the characters it needs. */
type GuardedPass = { pass: InlinePass; needs: string | RegExp };

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
  { pass: bareLinks, needs: /[.:][^\s]/ },
  { pass: linkifierLinks, needs: '' },
  { pass: strong, needs: '**' },
  { pass: emphasis, needs: '*' },
  { pass: strikethrough, needs: '~~' },
  { pass: emojiNames, needs: ':' },
  { pass: emoticons, needs: /[:<]/ },
  { pass: lineBreaks, needs: '\n' },
  { pass: unicodeEmoji, needs: /[\u2000-\u{1F9FF}]/u },
];

function runFrom(text: string, first: number, run: InlineRun): string {
  let output = text;
  for (let index = first; index < passes.length; index += 1) {
    const guarded = passes[index];
    if (guarded === undefined) break;
    const { needs, pass } = guarded;
    if (typeof needs === 'string' ? !output.includes(needs) : !needs.test(output)) continue;
    run.budget.spend(output.length);
    output = pass(output, run, (content) => runFrom(content, index + 1, run));
  }
  return output;
}

/**
 * Applies all inline rules to a text run.
 *
 * @param stash Fenced blocks; a mark that did not get a block of its own is replaced in place.
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
      : run.add({ kind: 'html', html: stashedHtml(block, run.budget), source: block.text });
  });
  return runFrom(marked, 0, run);
}
