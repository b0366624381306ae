import { badRequest, foldName, listTextsAreFull } from '@parley/api';
import type { StreamEntry } from '@parley/api/streams';
import { StepBudget } from '@parley/markdown';
import { streamNameFault } from '@parley/store';

import type { SubscriptionsContext } from '../context.ts';
import { withoutNewlines } from '../streams/description.ts';

type DescriptionContext = Pick<
  SubscriptionsContext,
  'renderDescription' | 'renderingTurns' | 'lists'
>;

/** A stream of a request. */
export type NamedStream = {
  /** Trimmed. */
  readonly name: string;
  readonly description?: string | undefined;
  /** By spelling: a colour applies to the stream with this spelling (reference facts, streams 5.1). */
  readonly colors: ReadonlyMap<string, string>;
};

/** A stream that is created if it does not exist. */
export type StreamToJoin = NamedStream & {
  readonly description: string;
  readonly renderedDescription: string;
};

/** After so many characters of descriptions, a few milliseconds, others have a turn. */
const charactersPerTurn = 2_000;

/**
 * Renders the descriptions before a transaction begins, because many take longer than Postgres allows a transaction to be idle.
 *
 * @param wanted of `checkStreamNames`
 * @param context.renderDescription gives the HTML of a description
 * @throws ApiError if the descriptions alone are larger than those of all streams may be
 */
export async function withDescriptions(
  { renderDescription, renderingTurns, lists }: DescriptionContext,
  wanted: ReadonlyMap<string, NamedStream>,
): Promise<Map<string, StreamToJoin>> {
  const texts = [...wanted.values()].map(({ description = '' }) => withoutNewlines(description));
  if (texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0) > lists.textsMaxBytes)
    throw listTextsAreFull('streams', lists.textsMaxBytes);
  const budget = new StepBudget();
  const described = new Map<string, StreamToJoin>();
  let characters = 0;
  for (const [n, [folded, entry]] of [...wanted].entries()) {
    const description = texts[n] ?? '';
    characters += description.length;
    if (characters > charactersPerTurn) {
      await renderingTurns.take();
      characters = 0;
    }
    const renderedDescription = renderDescription(description, budget);
    described.set(folded, { ...entry, description, renderedDescription });
  }
  return described;
}

/**
 * Applies the rules for names (reference facts, streams 3.5) and merges names of the same stream: the first spelling counts, and each
 * spelling keeps its colour.
 *
 * @returns the wanted streams by folded name, in the order of the request
 * @throws ApiError for the first invalid name
 */
export function checkStreamNames(wanted: readonly StreamEntry[]): Map<string, NamedStream> {
  const byFoldedName = new Map<string, NamedStream & { readonly colors: Map<string, string> }>();
  for (const { description, color, ...entry } of wanted) {
    const name = entry.name.trim();
    const fault = streamNameFault(name);
    if (fault !== undefined) throw badRequest(fault);
    const folded = foldName(name);
    const named = byFoldedName.get(folded) ?? { name, description, colors: new Map() };
    if (color !== undefined) named.colors.set(name, color);
    byFoldedName.set(folded, named);
  }
  return byFoldedName;
}
