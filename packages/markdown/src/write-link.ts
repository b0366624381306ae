import { withoutDroppedCharacters } from './source-lines.ts';

/** Marks that reach beyond a link if they are not paired within its label, and what stands for them then. */
const pairedMarks = [
  ['`', "'"],
  ['$$', '$ $'],
  ['**', '* *'],
] as const;

function arePaired(mark: string, text: string): boolean {
  const pieces = text.split(mark);
  return pieces.length % 2 === 1 && pieces.every((piece, n) => n % 2 === 0 || piece !== '');
}

/** Deeper nested brackets are no label. */
const depthMax = 5;

function areBracketsPaired(text: string): boolean {
  let depth = 0;
  for (const character of text) {
    if (character === '[') depth += 1;
    if (character === ']') depth -= 1;
    if (depth < 0 || depth > depthMax) return false;
  }
  return depth === 0 && !text.includes('](');
}

function asLabel(text: string): string {
  // What the renderer drops could hide a mark until then.
  let label = withoutDroppedCharacters(text).replaceAll(/\s+/g, ' ').trim();
  if (!areBracketsPaired(label)) label = label.replaceAll('[', '(').replaceAll(']', ')');
  for (const [mark, instead] of pairedMarks)
    if (!arePaired(mark, label)) label = label.replaceAll(mark, instead);
  return label;
}

function percentEncoded(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`;
}

/**
 * Writes a link whose label and address other people or systems chose, so that neither ends it early: brackets without a partner become
 * parentheses, marks without a partner lose their meaning, and what would end the address or begin something else in it is encoded. Without an address it is the label.
 */
export function writeLink(label: string, url: string): string {
  const address = url.trim().replaceAll(/[^\S ]|[()<>"`]|\$(?=\$)/g, percentEncoded);
  return address === '' ? asLabel(label) : `[${asLabel(label)}](${address})`;
}
