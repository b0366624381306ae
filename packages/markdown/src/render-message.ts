import { escapeText } from './escaping.ts';
import type { RenderFindings } from './inline-run.ts';
import { mentionCandidates } from './mention-candidates.ts';
import { renderWithRules } from './message-renderer.ts';
import { UnableToRender } from './render-context.ts';
import type { RenderContext, RenderedMessage } from './render-context.ts';
import { normalisedLines } from './source-lines.ts';
import { StepBudget, StepsExceeded } from './step-budget.ts';
import type { RenderEffort } from './step-budget.ts';

/** The bound for events, rows and pages. The text alone of the longest message makes half of it. */
const htmlMaxCodePoints = 100_000;

/** Register returns all descriptions to everybody. A longer HTML is made plainer; that of the text alone may be longer. */
const descriptionHtmlMaxCodePoints = 2_048;

/**
 * Longer texts are not processed: their HTML is too long, unless they are mostly white space. In UTF-16 units, up to two for a code point.
 */
const contentMaxLength = 2 * htmlMaxCodePoints;

/** Longer texts take the full method, which checks whether their HTML is too long. */
const plainMaxLength = htmlMaxCodePoints / 2;

/** A sparing rendering takes fewer steps than a full one of the same text; an ordinary long message takes a tenth of these. */
const sparingStepsMax = 4_000_000;

/**
 * Text that no rule can change: one line of words and harmless punctuation, where every period ends a word and the start is not a list
 * marker. Linkifiers match words, so a realm with any is excluded.
 */
const plainText =
  /^(?!\p{N}+\. )[\p{L}\p{N}](?:[\p{L}\p{N} ,;?'"()/%=]|!(?!(?:gr)?avatar\()|\.(?= |$))*$/u;

function emptyFindings(): RenderFindings {
  return {
    userIds: new Set(),
    groupIds: new Set(),
    mentionsWildcard: false,
    hasLink: false,
    hasImage: false,
    attachmentPathIds: new Set(),
  };
}

/** Whether a text takes the short method; exported for the test of their equality. */
export function isPlainText(content: string, context: RenderContext): boolean {
  const { length } = content;
  return length <= plainMaxLength && context.linkifiers.length === 0 && plainText.test(content);
}

const isTooLong = (html: string, maxCodePoints: number): boolean =>
  html.length > maxCodePoints && Array.from(html).length > maxCodePoints;

/** The context and the method of rendering a text. */
type Task = {
  readonly content: string;
  readonly context: RenderContext;
  readonly withPreviews: boolean;
  readonly htmlMax: number;
};

/**
 * Renders by all rules, or sparingly.
 *
 * @throws StepsExceeded if the result or the cost exceeds a bound
 * @throws UnableToRender if a rule fails
 */
function renderOnce(
  { content, context, withPreviews, htmlMax }: Task,
  effort: RenderEffort,
): { html: string; findings: RenderFindings } {
  const findings = emptyFindings();
  let names: ReadonlySet<string> | undefined;
  const mentionedNames = (): ReadonlySet<string> => {
    names ??= new Set(mentionCandidates(content).names.map((name) => name.toLowerCase()));
    return names;
  };
  let html: string;
  try {
    html = renderWithRules(content, {
      context,
      findings,
      withPreviews,
      mentionedNames,
      stash: [],
      effort,
    });
  } catch (error) {
    if (error instanceof StepsExceeded) throw error;
    throw new UnableToRender('a rule failed', { cause: error });
  }
  if (isTooLong(html, htmlMax)) throw new StepsExceeded('the HTML is too long');
  return { html, findings };
}

/** The unchanged text, without mentions and links. */
function renderAsText(content: string): string {
  const text = normalisedLines(content).map(escapeText).join('<br>\n').trim();
  return text === '' ? '' : `<p>${text}</p>`;
}

/**
 * Renders as well as the text's length in HTML and its cost permit (reference facts, markdown 15): by all rules, otherwise sparingly,
 * otherwise as text.
 *
 * @param task.htmlMax the length above which it is made plainer
 * @param budget for several texts together
 * @throws UnableToRender if a rule fails, or if the text alone is too long
 */
function renderHtml(task: Task, budget?: StepBudget): { html: string; findings: RenderFindings } {
  if (task.content.length > contentMaxLength) throw new UnableToRender('the text is too long');
  for (const isPlain of [false, true]) {
    const own = isPlain ? new StepBudget(sparingStepsMax) : new StepBudget();
    try {
      return renderOnce(task, { budget: budget ?? own, isPlain });
    } catch (error) {
      if (!(error instanceof StepsExceeded)) throw error;
    }
  }
  const html = renderAsText(task.content);
  if (isTooLong(html, htmlMaxCodePoints)) throw new UnableToRender('the text is too long');
  return { html, findings: emptyFindings() };
}

/**
 * Renders a message to the HTML for clients, and finds its mentions and links (contract, Messages; reference facts, markdown).
 *
 * @param content In its stored form: the caller checks limits and null bytes.
 * @throws UnableToRender if a rule fails, or if the text is longer than a message may be; nothing else is thrown.
 */
export function renderMessage(content: string, context: RenderContext): RenderedMessage {
  const { inlineImagePreview: withPreviews } = context.settings;
  const { html, findings } = isPlainText(content, context)
    ? { html: `<p>${escapeText(content)}</p>`, findings: emptyFindings() }
    : renderHtml({ content, context, withPreviews, htmlMax: htmlMaxCodePoints });
  return {
    html,
    mentionedUserIds: [...findings.userIds].toSorted((first, second) => first - second),
    mentionedGroupIds: [...findings.groupIds].toSorted((first, second) => first - second),
    mentionsWildcard: findings.mentionsWildcard,
    hasLink: findings.hasLink,
    hasImage: findings.hasImage,
    attachmentPathIds: [...findings.attachmentPathIds],
    isMeMessage: content.startsWith('/me '),
  };
}

/**
 * The same without the short method for plain text, only by all rules or only sparingly, for tests of its result and cost.
 *
 * @param effort contains afterwards the cost of the rendering
 * @throws StepsExceeded
 * @throws UnableToRender
 */
export function renderHtmlByRules(
  content: string,
  context: RenderContext,
  effort: RenderEffort = { budget: new StepBudget(), isPlain: false },
): string {
  const { inlineImagePreview: withPreviews } = context.settings;
  return renderOnce({ content, context, withPreviews, htmlMax: htmlMaxCodePoints }, effort).html;
}

/**
 * Renders a description of a stream or the organization: all message syntax, no previews (reference facts, streams 3.1).
 *
 * @param budget for several descriptions together
 */
export function renderDescription(
  description: string,
  context: RenderContext,
  budget?: StepBudget,
): string {
  if (isPlainText(description, context)) return `<p>${escapeText(description)}</p>`;
  return renderHtml(
    { content: description, context, withPreviews: false, htmlMax: descriptionHtmlMaxCodePoints },
    budget,
  ).html;
}
