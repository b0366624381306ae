import { appendElement } from './block-tree.ts';
import type { BlockElement, BlockRule } from './block-tree.ts';

/** The steps for making a cell: the header decides the number of cells of each row, however short the row is. */
const stepsPerCell = 600;

type TableShape = { hasBorder: boolean; separator: string[] };

const endBorder = /(?<!\\)(?:\\\\)*\|$/;
const cellMarks = /\\\\|\\(`+)|(`+)|\\\||\|/g;

function trimSpaces(text: string): string {
  return text.replace(/^ +/, '').replace(/(?<! ) +$/, '');
}

function withoutBorder(row: string): string {
  return row.replace(/^\|/, '').replace(endBorder, '');
}

/** A run of backticks; the first one of a run after a backslash opens no code, but may close some. */
type Ticks = { start: number; end: number; length: number; isEscaped: boolean };

/** The positions of code spans in a row: pipes there do not split (reference facts, markdown 2.9). */
function codeRegions(ticks: readonly Ticks[]): [number, number][] {
  const regions: [number, number][] = [];
  const positions = new Map<number, number[]>();
  for (const [index, tick] of ticks.entries()) {
    const list = positions.get(tick.length) ?? [];
    list.push(index);
    positions.set(tick.length, list);
  }
  let index = 0;
  while (index < ticks.length) {
    const opening = ticks[index];
    if (opening === undefined) break;
    const list = positions.get(opening.length - (opening.isEscaped ? 1 : 0)) ?? [];
    while (list[0] !== undefined && list[0] <= index) list.shift();
    const closingIndex = list[0];
    const closing = closingIndex === undefined ? undefined : ticks[closingIndex];
    if (closing === undefined || closingIndex === undefined) {
      index += 1;
    } else {
      regions.push([opening.start, closing.end]);
      index = closingIndex + 1;
    }
  }
  return regions;
}

function splitCells(row: string): string[] {
  const ticks: Ticks[] = [];
  const pipes: number[] = [];
  for (const match of row.matchAll(cellMarks)) {
    const run = match[1] ?? match[2];
    if (run !== undefined) {
      const end = match.index + match[0].length - 1;
      const isEscaped = match[1] !== undefined;
      ticks.push({ start: match.index, end, length: run.length, isEscaped });
    } else if (match[0] === '|') {
      pipes.push(match.index);
    }
  }
  const regions = codeRegions(ticks);
  const cells: string[] = [];
  let position = 0;
  let region = 0;
  for (const pipe of pipes) {
    while ((regions[region]?.[1] ?? Number.POSITIVE_INFINITY) < pipe) region += 1;
    if ((regions[region]?.[0] ?? Number.POSITIVE_INFINITY) < pipe) continue;
    cells.push(row.slice(position, pipe));
    position = pipe + 1;
  }
  cells.push(row.slice(position));
  return cells;
}

const isBordered = (row: string): boolean => row.startsWith('|') || endBorder.test(row);

/** Reads the two lines from one on; undefined if no table begins there. A header of one cell needs borders from there to the end. */
function findTableShape(
  lines: readonly string[],
  from: number,
  borderedFrom: () => number,
): TableShape | undefined {
  const separatorLine = trimSpaces(lines[from + 1] ?? 'none');
  if (!/^[|:\- ]*$/.test(separatorLine)) return undefined;
  const header = trimSpaces(lines[from] ?? '');
  const hasBorder = isBordered(header);
  const cells = (row: string): string[] => splitCells(hasBorder ? withoutBorder(row) : row);
  const headerCount = cells(header).length;
  if (headerCount === 1 && from < borderedFrom()) return undefined;
  const separator = cells(separatorLine);
  return separator.length === headerCount ? { hasBorder, separator } : undefined;
}

function firstOfBorderedEnd(lines: readonly string[]): number {
  return lines.findLastIndex((row) => !isBordered(trimSpaces(row))) + 1;
}

function tableShapeAtStart(lines: readonly string[]): TableShape | undefined {
  return findTableShape(lines, 0, () => firstOfBorderedEnd(lines));
}

const separatorCell = /^ *:?-+:? *$/;

/** @returns the line at which a table begins behind other lines; -1 if none does */
export function findTableBelow(lines: readonly string[]): number {
  let known: number | undefined;
  const borderedFrom = (): number => (known ??= firstOfBorderedEnd(lines));
  return lines.findIndex(
    (line, n) =>
      n > 0 &&
      line.includes('|') &&
      splitCells(withoutBorder(trimSpaces(lines[n + 1] ?? ''))).every((cell) =>
        separatorCell.test(cell),
      ) &&
      findTableShape(lines, n, borderedFrom) !== undefined,
  );
}

function columnAlignment(cell: string): string | undefined {
  const text = trimSpaces(cell);
  const left = text.startsWith(':');
  const right = text.endsWith(':');
  if (left && right) return 'center';
  if (left) return 'left';
  return right ? 'right' : undefined;
}

/** Tables at the start of a block (reference facts, markdown 2.9). */
export const tableRule: BlockRule = {
  test: (_parser, _parent, block) =>
    block.includes('|') && tableShapeAtStart(block.split('\n')) !== undefined,
  run(parser, parent, blocks) {
    const block = blocks.shift() ?? '';
    const lines = block.split('\n');
    const shape = tableShapeAtStart(lines);
    if (shape === undefined) return;
    const [header = '', , ...rows] = lines;
    const alignments = shape.separator.map((cell) => columnAlignment(cell));

    const appendRow = (section: BlockElement, tag: 'th' | 'td', line: string): void => {
      parser.spend(stepsPerCell * alignments.length);
      const row = appendElement(section, 'tr');
      const trimmed = trimSpaces(line);
      const cells = splitCells(shape.hasBorder ? withoutBorder(trimmed) : trimmed);
      for (const [index, alignment] of alignments.entries()) {
        const cell = appendElement(row, tag, trimSpaces(cells[index] ?? ''));
        if (alignment !== undefined) cell.attributes.push(['align', alignment]);
      }
    };

    const table = appendElement(parent, 'table');
    appendRow(appendElement(table, 'thead'), 'th', header);
    const body = appendElement(table, 'tbody');
    for (const row of rows.length === 0 ? [''] : rows) appendRow(body, 'td', row);
  },
};
