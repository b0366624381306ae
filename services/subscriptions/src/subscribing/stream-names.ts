import { badRequest, foldName } from '@parley/api';
import type { StreamEntry } from '@parley/api/streams';
import { StepBudget } from '@parley/markdown';
import type { DescriptionRenderer } from '@parley/markdown';
import { streamNameFault } from '@parley/store';

import { withoutNewlines } from '../streams/description.ts';

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

/**
 * Renders the descriptions before a transaction begins, because many take longer than Postgres allows a transaction to be idle.
 *
 * @param wanted of `checkStreamNames`
 * @param renderDescription gives the HTML of a description
 */
export function withDescriptions(
  wanted: ReadonlyMap<string, NamedStream>,
  renderDescription: DescriptionRenderer,
): Map<string, StreamToJoin> {
  const budget = new StepBudget();
  return new Map(
    [...wanted].map(([folded, entry]) => {
      const description = withoutNewlines(entry.description ?? '');
      return [
        folded,
        { ...entry, description, renderedDescription: renderDescription(description, budget) },
      ];
    }),
  );
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
