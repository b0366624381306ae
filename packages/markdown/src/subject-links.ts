import { bareLinkUrl, findBareLinks } from './bare-links.ts';
import { compileLinkifiers, fillUrl, linkifierMatches } from './linkifiers.ts';
import type { RenderContext } from './render-context.ts';
import { StepBudget } from './step-budget.ts';

/**
 * The links of a topic: those of linkifiers in the realm's order, then bare ones (reference facts,
 * messages 5.3 and markdown 12). Duplicates are kept.
 *
 * @throws UnableToRender when linkifiers take too many steps.
 */
export function findSubjectLinks(
  topic: string,
  context: Pick<RenderContext, 'linkifiers'>,
): string[] {
  const links: string[] = [];
  const budget = new StepBudget();
  for (const linkifier of compileLinkifiers(context.linkifiers)) {
    for (const match of linkifierMatches(linkifier, topic, budget)) {
      links.push(fillUrl(linkifier.urlFormat, match));
    }
  }
  for (const piece of topic.split(/[ !;?),'"]/)) {
    const [link] = findBareLinks(piece, false);
    if (link === undefined) continue;
    links.push(bareLinkUrl(piece.slice(link.start, link.end), link.isMail, 'https://'));
  }
  return links;
}
