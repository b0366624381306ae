import type { DiffToken } from './diff-tokens.ts';
import { voidTags } from './html-pieces.ts';
import { matchingBlocks } from './matching-blocks.ts';

/** A tag, possibly with a space after it, or text. */
type Chunk = string;
/** The deleted chunks wait for the whole new text: only then is their place in its markup known. */
type Deletion = { readonly deleted: Chunk[] };

const isTag = (chunk: Chunk): boolean => chunk.startsWith('<');
const tagName = (chunk: Chunk): string => /^<\/?([a-z0-9]+)/.exec(chunk)?.[1] ?? '';

function expand(tokens: readonly DiffToken[], isEqual: boolean): Chunk[] {
  const chunks: Chunk[] = [];
  for (const token of tokens) {
    for (const tag of token.tagsBefore) chunks.push(tag);
    if (!isEqual || !token.isHiddenWhenEqual) chunks.push(token.html);
    for (const tag of token.tagsAfter) chunks.push(tag);
  }
  return chunks;
}

type Split = { starts: Chunk[]; balanced: Chunk[]; ends: Chunk[] };

/** Removes tags without their counterpart from a run of chunks. */
function splitUnbalanced(chunks: readonly Chunk[]): Split {
  const starts: Chunk[] = [];
  const ends: Chunk[] = [];
  const balanced: (Chunk | undefined)[] = [];
  let open: { name: string; place: number; tag: Chunk }[] = [];
  for (const chunk of chunks) {
    const name = isTag(chunk) ? tagName(chunk) : '';
    if (name === '' || voidTags.has(name)) {
      balanced.push(chunk);
    } else if (!chunk.startsWith('</')) {
      open.push({ name, place: balanced.length, tag: chunk });
      balanced.push(undefined);
    } else if (open.at(-1)?.name === name) {
      const { place, tag } = open.pop() ?? { place: 0, tag: chunk };
      balanced[place] = tag;
      balanced.push(chunk);
    } else {
      for (const { tag } of open) starts.push(tag);
      open = [];
      ends.push(chunk);
    }
  }
  for (const { tag } of open) starts.push(tag);
  return { starts, balanced: balanced.filter((chunk) => chunk !== undefined), ends };
}

/** A space before the mark, and a space after it instead of inside it (reference facts, markdown 16.3). */
function pushMarked(output: (Chunk | Deletion)[], tag: 'ins' | 'del', balanced: Chunk[]): void {
  const before = output.at(-1);
  if (typeof before === 'string' && !before.endsWith(' ')) output[output.length - 1] = `${before} `;
  const last = balanced.at(-1);
  if (last?.endsWith(' ') === true) balanced[balanced.length - 1] = last.slice(0, -1);
  output.push(`<${tag}>`, ...balanced, `</${tag}> `);
}

/** The new text with insertions marked and deletions in between. */
function withDeletions(
  before: readonly DiffToken[],
  after: readonly DiffToken[],
): (Chunk | Deletion)[] {
  const output: (Chunk | Deletion)[] = [];
  const blocks = matchingBlocks(
    before.map(({ key }) => key),
    after.map(({ key }) => key),
  );
  let i = 0;
  let j = 0;
  for (const block of [...blocks, { before: before.length, after: after.length, size: 0 }]) {
    if (j < block.after) {
      const { starts, balanced, ends } = splitUnbalanced(
        expand(after.slice(j, block.after), false),
      );
      output.push(...starts);
      pushMarked(output, 'ins', balanced);
      output.push(...ends);
    }
    if (i < block.before) output.push({ deleted: expand(before.slice(i, block.before), false) });
    for (const chunk of expand(after.slice(block.after, block.after + block.size), true)) {
      output.push(chunk);
    }
    i = block.before + block.size;
    j = block.after + block.size;
  }
  return output;
}

/**
 * Makes the chunks of a difference (reference facts, markdown 16.3 to 16.5). A deletion moves across neighbouring tags that match its own
 * unbalanced ones, which are then dropped.
 */
export function diffChunks(before: readonly DiffToken[], after: readonly DiffToken[]): Chunk[] {
  const chunks = withDeletions(before, after);
  const output: Chunk[] = [];
  for (let index = 0; index < chunks.length; index += 1) {
    const chunk = chunks[index];
    if (chunk === undefined) break;
    if (typeof chunk === 'string') {
      output.push(chunk);
      continue;
    }
    const { starts, balanced, ends } = splitUnbalanced(chunk.deleted);
    for (const start of starts) {
      const next = chunks[index + 1];
      if (typeof next !== 'string' || !isTag(next) || next.startsWith('</')) break;
      const name = tagName(next);
      if (name === 'ins' || name !== tagName(start)) break;
      output.push(next);
      index += 1;
    }
    const moved: Chunk[] = [];
    for (const end of ends.toReversed()) {
      const last = output.at(-1);
      if (last === undefined || !last.startsWith('</')) break;
      const name = tagName(last);
      if (name === 'ins' || name === 'del' || name !== tagName(end)) break;
      moved.unshift(last);
      output.pop();
    }
    pushMarked(output, 'del', balanced);
    output.push(...moved);
  }
  return output;
}
