const entities: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
};

/**
 * The words of a message's HTML on one line, for places that show plain text only.
 *
 * @param longest in UTF-16 units; longer texts are cut
 */
export function wordsOf(html: string, longest = 200): string {
  const words = html
    .replaceAll(/<(?:br|\/p|\/li|\/h\d|\/tr|\/blockquote)\b[^>]*>/g, ' ')
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll(/&(?:amp|lt|gt|quot|#39);/g, (entity) => entities[entity] ?? entity)
    .replaceAll(/\s+/g, ' ')
    .trim();
  return words.length > longest ? `${words.slice(0, longest)}…` : words;
}
