import { badRequest, foldName } from '@parley/contracts';
import { streamNameFault } from '@parley/store';

import { withoutNewlines } from '../streams/description.ts';

/** One entry of `subscriptions`, its name trimmed. */
export type NamedStream = {
  readonly name: string;
  readonly description?: string | undefined;
  readonly color?: string | undefined;
};

/** One that is created when it does not exist. */
export type StreamToJoin = NamedStream & {
  readonly description: string;
  readonly renderedDescription: string;
};

/**
 * Renders the descriptions, before a transaction begins: many take longer than Postgres lets one be idle.
 *
 * @param wanted of `checkStreamNames`
 * @param renderDescription gives the HTML of a description
 */
export function withDescriptions(
  wanted: ReadonlyMap<string, NamedStream>,
  renderDescription: (description: string) => string,
): Map<string, StreamToJoin> {
  return new Map(
    [...wanted].map(([folded, entry]) => {
      const description = withoutNewlines(entry.description ?? '');
      return [
        folded,
        { ...entry, description, renderedDescription: renderDescription(description) },
      ];
    }),
  );
}

/**
 * Applies the rules for names (reference facts, streams 3.5) and merges what names the same stream: the first spelling counts.
 *
 * @returns the wanted streams by folded name, in the order of the request
 * @throws ApiError for the first name that no stream can have
 */
export function checkStreamNames(wanted: readonly NamedStream[]): Map<string, NamedStream> {
  const byFoldedName = new Map<string, NamedStream>();
  for (const entry of wanted) {
    const name = entry.name.trim();
    const fault = streamNameFault(name);
    if (fault !== undefined) throw badRequest(fault);
    const folded = foldName(name);
    if (!byFoldedName.has(folded)) byFoldedName.set(folded, { ...entry, name });
  }
  return byFoldedName;
}
