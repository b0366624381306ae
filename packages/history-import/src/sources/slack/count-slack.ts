/** Counts the records of a workspace, element by element, and shares nothing with the reader. */
import { isUtf8 } from 'node:buffer';
import type { Readable } from 'node:stream';

import type { ZipArchive } from '../../archive/zip-archive.ts';
import { fileKind } from './files.ts';

export const messageKind = 'messages';
export const reactionKind = 'reactions';
export const pinKind = 'pins';
export const otherFileKind = 'other files';

/** What a record may have that is counted by itself. */
type Item = {
  readonly files?: unknown;
  readonly file?: unknown;
  readonly reactions?: unknown;
  readonly pins?: unknown;
} | null;

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

const opens = new Set([0x7b, 0x5b]);
const closes = new Set([0x7d, 0x5d]);
const blanks = new Set([0x20, 0x0a, 0x0d, 0x09, 0xef, 0xbb, 0xbf]);
const [quote, backslash, comma] = [0x22, 0x5c, 0x2c];

/** Cuts a file's array at the commas between its elements. */
async function* elementsOf(stream: Readable): AsyncGenerator<Buffer> {
  let [depth, inText, isEscaped, hasElement] = [0, false, false, false];
  let pieces: Buffer[] = [];
  for await (const piece of stream as AsyncIterable<Buffer>) {
    let from = 0;
    for (let at = 0; at < piece.length; at += 1) {
      const code = piece[at] ?? 0;
      if (inText) {
        if (isEscaped) isEscaped = false;
        else if (code === backslash) isEscaped = true;
        else if (code === quote) inText = false;
        continue;
      }
      if (blanks.has(code)) continue;
      const isEnd = depth === 1 && (code === comma || closes.has(code));
      if (isEnd) {
        if (hasElement) yield Buffer.concat([...pieces, piece.subarray(from, at)]);
        [pieces, hasElement] = [[], false];
        from = at + 1;
      } else if (depth === 0) from = at + 1;
      else hasElement = true;
      if (code === quote) inText = true;
      else if (opens.has(code)) depth += 1;
      else if (closes.has(code)) depth -= 1;
    }
    pieces.push(piece.subarray(from));
  }
}

/** Elements that are no JSON in UTF-8 have nothing that is counted by itself. */
function read(bytes: Buffer): Item {
  try {
    return isUtf8(bytes) ? (JSON.parse(bytes.toString()) as Item) : null;
  } catch {
    return null;
  }
}

/** @param paths files of the whole workspace, and of the days of its conversations, and how many others there are */
export async function countSlack(
  archive: ZipArchive,
  paths: {
    readonly root: readonly string[];
    readonly days: readonly string[];
    readonly others: number;
  },
  signal: AbortSignal,
): Promise<ReadonlyMap<string, number>> {
  const totals = new Map<string, number>();
  const add = (kind: string, count: number): void =>
    void totals.set(kind, (totals.get(kind) ?? 0) + count);
  for (const path of paths.root)
    for await (const bytes of elementsOf(await archive.open(path))) {
      add(path, 1);
      add(pinKind, listOf(read(bytes)?.pins).length);
    }
  add(otherFileKind, paths.others);
  for (const path of paths.days) {
    signal.throwIfAborted();
    for await (const bytes of elementsOf(await archive.open(path))) {
      add(messageKind, 1);
      const { files, file, reactions } = read(bytes) ?? {};
      const isOne = typeof file === 'object' && file !== null && !Array.isArray(file);
      add(fileKind, listOf(files).length + (isOne ? 1 : 0));
      for (const reaction of listOf(reactions))
        add(reactionKind, listOf((reaction as { users?: unknown } | null)?.users).length);
    }
  }
  return totals;
}
