/** What keys do in the lists of a text that is being written. */

/** Text that comes in place of what stands from `start` to `end`. */
export type Replacement = { readonly start: number; readonly end: number; readonly text: string };

/** How far the renderer indents a list within another. */
const indent = '  ';

const itemMark = /^(?<indent> *)(?:(?<bullet>[-*+])|(?<number>\d{1,9})(?<end>[.)])) +/;

function lineAt(text: string, cursor: number) {
  const start = text.lastIndexOf('\n', cursor - 1) + 1;
  return { start, mark: itemMark.exec(text.slice(start, cursor)) };
}

/**
 * What a new line begins with after an item of a list: the next item. In an item without a text it ends the list.
 *
 * @returns undefined if the cursor is in no list
 */
export function newLine(text: string, cursor: number): Replacement | undefined {
  const { start, mark } = lineAt(text, cursor);
  if (mark === null) return undefined;
  const [written] = mark;
  if (/^\s*?(?:\n|$)/.test(text.slice(start + written.length)))
    return { start, end: cursor, text: '' };
  const { number, end = '' } = mark.groups ?? {};
  const next =
    number === undefined ? written : written.replace(/\S+/, `${Number(number) + 1}${end}`);
  return { start: cursor, end: cursor, text: `\n${next}` };
}

/**
 * Moves an item into the list within its own, or out of it.
 *
 * @returns undefined if the cursor is in no list, or the item in no other list
 */
export function indentItem(text: string, cursor: number, isOut: boolean): Replacement | undefined {
  const { start, mark } = lineAt(text, cursor);
  if (mark === null) return undefined;
  if (!isOut) return { start, end: start, text: indent };
  return text.startsWith(indent, start)
    ? { start, end: start + indent.length, text: '' }
    : undefined;
}
