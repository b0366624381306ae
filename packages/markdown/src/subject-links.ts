import { bareLinkUrl, findBareLinks } from './bare-links.ts';
import { compileLinkifiers, fillUrl, linkifierMatches } from './linkifiers.ts';
import type { Linkifier, RenderContext } from './render-context.ts';
import { StepBudget, StepsExceeded } from './step-budget.ts';

/** The addresses are in every row and event of the topic, so those of one topic have at most the characters of a message's HTML. */
const stepsPerUrlCharacter = 100;

/** The links of linkifiers, within the steps of a rendering. */
function linkifierUrls(topic: string, linkifiers: readonly Linkifier[]): string[] {
  const urls: string[] = [];
  const budget = new StepBudget();
  try {
    for (const linkifier of compileLinkifiers(linkifiers)) {
      for (const match of linkifierMatches(linkifier, topic, budget)) {
        const url = fillUrl(linkifier.urlFormat, match);
        budget.spend(url.length * stepsPerUrlCharacter);
        urls.push(url);
      }
    }
  } catch (error) {
    if (!(error instanceof StepsExceeded)) throw error;
  }
  return urls;
}

/**
 * The links of a topic: those of linkifiers in the realm's order, then bare ones (reference facts,
 * messages 5.3 and markdown 12). Duplicates are kept.
 */
export function findSubjectLinks(
  topic: string,
  context: Pick<RenderContext, 'linkifiers'>,
): string[] {
  const links = linkifierUrls(topic, context.linkifiers);
  for (const piece of topic.split(/[ !;?),'"]/)) {
    const [link] = findBareLinks(piece, false);
    if (link === undefined) continue;
    links.push(bareLinkUrl(piece.slice(link.start, link.end), link.isMail, 'https://'));
  }
  return links;
}
