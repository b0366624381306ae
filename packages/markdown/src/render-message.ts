import { escapeText } from './escaping.ts';
import type { RenderFindings } from './inline-run.ts';
import { mentionCandidates } from './mention-candidates.ts';
import { renderWithRules } from './message-renderer.ts';
import { UnableToRender } from './render-context.ts';
import type { RenderContext, RenderedMessage } from './render-context.ts';
import { StepBudget } from './step-budget.ts';

/** Reference facts, markdown 15. */
const htmlMaxCodePoints = 100_000;

/** Longer texts are not looked at: what they give is too long, but for white space. In UTF-16 units, up to two for a code point. */
const contentMaxLength = 2 * htmlMaxCodePoints;

/** Longer texts take the long way, which tells whether their HTML is too long. */
const plainMaxLength = htmlMaxCodePoints / 2;

/**
 * Text that no rule can touch: one line of words and harmless punctuation, where every period ends
 * a word and the start is no list marker. Linkifiers see words, so a realm with any is excluded.
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

/** Whether a text takes the short way; exported for the test of their equality. */
export function isPlainText(content: string, context: RenderContext): boolean {
  const { length } = content;
  return length <= plainMaxLength && context.linkifiers.length === 0 && plainText.test(content);
}

function renderHtml(
  content: string,
  context: RenderContext,
  findings: RenderFindings,
  withPreviews: boolean,
  budget = new StepBudget(),
): string {
  if (content.length > contentMaxLength) throw new UnableToRender('the text is too long');
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
      budget,
    });
  } catch (error) {
    if (error instanceof UnableToRender) throw error;
    throw new UnableToRender('a rule failed', { cause: error });
  }
  if (html.length > htmlMaxCodePoints && Array.from(html).length > htmlMaxCodePoints) {
    throw new UnableToRender('the HTML is too long');
  }
  return html;
}

/**
 * Renders a message to the HTML that clients get, and finds what it mentions and links (contract,
 * Messages; reference facts, markdown).
 *
 * @param content As stored: limits and null bytes are checked by the caller.
 * @throws UnableToRender when the message cannot be shown; nothing else is thrown.
 */
export function renderMessage(content: string, context: RenderContext): RenderedMessage {
  const findings = emptyFindings();
  const html = isPlainText(content, context)
    ? `<p>${escapeText(content)}</p>`
    : renderHtml(content, context, findings, context.settings.inlineImagePreview);
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
 * The same by all rules, without the short way for plain text; the two must not differ.
 *
 * @param budget tells afterwards what the rendering cost
 * @throws UnableToRender
 */
export function renderHtmlByRules(
  content: string,
  context: RenderContext,
  budget = new StepBudget(),
): string {
  const { inlineImagePreview } = context.settings;
  return renderHtml(content, context, emptyFindings(), inlineImagePreview, budget);
}

/**
 * Renders a description of a stream or the organization: all message syntax, no previews (reference facts, streams 3.1).
 *
 * @param budget of this description, or of several together
 * @returns the text itself, escaped, where its HTML would be too long or take too long: there every description is admitted
 */
export function renderDescription(
  description: string,
  context: RenderContext,
  budget = new StepBudget(),
): string {
  const asText = `<p>${escapeText(description)}</p>`;
  if (isPlainText(description, context)) return asText;
  try {
    return renderHtml(description, context, emptyFindings(), false, budget);
  } catch (error) {
    if (error instanceof UnableToRender && error.cause === undefined) return asText;
    throw error;
  }
}
