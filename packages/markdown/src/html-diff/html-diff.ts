import { diffChunks } from './diff-chunks.ts';
import { diffTokens } from './diff-tokens.ts';
import { writeDiff } from './diff-tree.ts';

/**
 * Compares two renderings of a message (contract, Messages, `content_html_diff`; reference facts, markdown 16). The result is the new one,
 * with insertions in `span.highlight_text_inserted` and deletions in `span.highlight_text_deleted`.
 *
 * The cost is bounded for renderings of any storable content: texts that need too many comparisons get a coarser difference. Nothing is
 * thrown, and all markup in the result is from the two renderings.
 */
export function htmlDiff(previousHtml: string, newHtml: string): string {
  const chunks = diffChunks(diffTokens(previousHtml), diffTokens(newHtml));
  return writeDiff(chunks.join('').trim());
}
