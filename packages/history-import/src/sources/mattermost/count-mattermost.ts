/** Counts the records of a bulk export, line by line, and shares nothing with the reader. */
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';

type Item = {
  readonly replies?: readonly Item[] | null;
  readonly reactions?: readonly unknown[] | null;
  readonly attachments?: readonly unknown[] | null;
  readonly teams?:
    | readonly { readonly name?: string; readonly channels?: readonly unknown[] | null }[]
    | null;
};

const lengthOf = (list: unknown): number => (Array.isArray(list) ? list.length : 0);

/** @param team whose memberships count */
export async function countMattermost(
  open: () => Promise<Readable>,
  team: string,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, number>> {
  const totals = new Map<string, number>();
  const add = (kind: string, count: number): void =>
    void totals.set(kind, (totals.get(kind) ?? 0) + count);
  for await (const text of createInterface({ input: await open(), crlfDelay: Infinity })) {
    signal.throwIfAborted();
    if (text.trim() === '') continue;
    let line: Readonly<Record<string, unknown>>;
    try {
      line = JSON.parse(text) as Readonly<Record<string, unknown>>;
    } catch {
      add('line', 1);
      continue;
    }
    const type = typeof line?.['type'] === 'string' ? line['type'] : '';
    const item = (type === 'version' ? line : line?.[type]) as Item | undefined;
    if (typeof item !== 'object' || item === null || Array.isArray(item)) add('line', 1);
    else if (type === 'post' || type === 'direct_post')
      for (const message of [item, ...(item.replies ?? [])]) {
        add('message', 1);
        add('reaction', lengthOf(message.reactions));
        add('attachment', lengthOf(message.attachments));
      }
    else {
      add(type, 1);
      if (type === 'user')
        for (const { name, channels } of item.teams ?? [])
          if (name === team) add('membership', lengthOf(channels));
    }
  }
  return totals;
}
