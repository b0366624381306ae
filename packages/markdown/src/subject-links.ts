import { bareLinkUrl, findBareLinks } from './bare-links.ts';
import { compileLinkifiers, fillUrl, linkifierMatches } from './linkifiers.ts';
import type { RenderContext } from './render-context.ts';

/**
 * The links of a topic: those of linkifiers in the realm's order, then bare ones (reference facts,
 * messages 5.3 and markdown 12). Duplicates are kept.
 *
 * @throws UnableToRender when a linkifier takes too long.
 */
export function findSubjectLinks(
  topic: string,
  context: Pick<RenderContext, 'linkifiers'>,
): string[] {
  const links: string[] = [];
  for (const linkifier of compileLinkifiers(context.linkifiers)) {
    for (const match of linkifierMatches(linkifier, topic)) {
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
