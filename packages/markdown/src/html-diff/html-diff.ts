import { diffChunks } from './diff-chunks.ts';
import { diffTokens } from './diff-tokens.ts';
import { writeDiff } from './diff-tree.ts';

/**
 * Compares two renderings of a message (contract, Messages, `content_html_diff`; reference facts, markdown 16): the new one, with
 * what came in `span.highlight_text_inserted` and what went in `span.highlight_text_deleted`.
 *
 * The cost is bounded for renderings of any content that may be stored: texts that would take too many comparisons get a coarser
 * difference. Nothing is thrown, and the result holds no markup that the two sides did not.
 */
export function htmlDiff(previousHtml: string, newHtml: string): string {
  const chunks = diffChunks(diffTokens(previousHtml), diffTokens(newHtml));
  return writeDiff(chunks.join('').trim());
}
