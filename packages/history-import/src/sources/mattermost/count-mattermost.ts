/** Counts the records of a bulk export, line by line, and shares nothing with the reader. */
import { isUtf8 } from 'node:buffer';
import type { Readable } from 'node:stream';

/** Fields of a record, or of what stands in the place of one. */
type Item = { readonly [name: string]: unknown } | string | number | boolean | null | undefined;

const field = (item: Item, name: string): Item =>
  typeof item === 'object' && item !== null ? (item[name] as Item) : undefined;
const listIn = (item: Item, name: string): readonly Item[] => {
  const list: unknown = field(item, name);
  return Array.isArray(list) ? (list as Item[]) : [];
};

const newLine = 0x0a;

/** Only a line feed ends a line: texts may have the other characters that end lines elsewhere. */
async function* linesOf(stream: Readable): AsyncGenerator<Buffer> {
  let rest: Buffer[] = [];
  for await (const piece of stream as AsyncIterable<Buffer>) {
    let from = 0;
    for (let end = piece.indexOf(newLine); end >= 0; end = piece.indexOf(newLine, from)) {
      yield Buffer.concat([...rest, piece.subarray(from, end)]);
      rest = [];
      from = end + 1;
    }
    rest.push(piece.subarray(from));
  }
  yield Buffer.concat(rest);
}

/** @param team whose memberships count */
export async function countMattermost(
  open: () => Promise<Readable>,
  team: string,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, number>> {
  const totals = new Map<string, number>();
  const add = (kind: string, count: number): void =>
    void totals.set(kind, (totals.get(kind) ?? 0) + count);
  for await (const bytes of linesOf(await open())) {
    signal.throwIfAborted();
    let line: Item;
    try {
      if (!isUtf8(bytes)) throw new SyntaxError('not in UTF-8');
      const text = bytes.toString().replace(/^\uFEFF/, '');
      if (text.trim() === '') continue;
      line = JSON.parse(text) as Item;
    } catch {
      add('line', 1);
      continue;
    }
    const written = field(line, 'type');
    const type = typeof written === 'string' ? written : '';
    const item = type === 'version' ? line : field(line, type);
    if (typeof item !== 'object' || item === null || Array.isArray(item)) add('line', 1);
    else if (type === 'post' || type === 'direct_post')
      for (const message of [item, ...listIn(item, 'replies')]) {
        add('message', 1);
        add('reaction', listIn(message, 'reactions').length);
        add('attachment', listIn(message, 'attachments').length);
        add('pin', field(message, 'is_pinned') === true ? 1 : 0);
        add('thread_follower', listIn(message, 'thread_followers').length);
      }
    else {
      add(type, 1);
      const own = listIn(item, 'teams').find((entry) => field(entry, 'name') === team);
      if (type === 'user') add('membership', listIn(own, 'channels').length);
    }
  }
  return totals;
}
