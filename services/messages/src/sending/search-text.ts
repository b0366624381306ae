const entities: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  '#39': "'",
  nbsp: ' ',
};

/**
 * The words by which a message is found: its topic and what its HTML shows (reference facts, messages 9). Tags and attributes are
 * not words; an emoji that is a picture shows its name.
 */
export function searchText(topic: string, html: string): string {
  const shown = html
    .replaceAll(/<img [^>]*alt="(:[^":]+:)"[^>]*>/g, ' $1 ')
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(
      /&(amp|lt|gt|quot|#39|nbsp);/g,
      (whole, entity: string) => entities[entity] ?? whole,
    );
  return `${topic} ${shown}`;
}
