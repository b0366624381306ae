import { filterReadableStreams, findTextRoom } from '@parley/store/access';
import type { TextRoom } from '@parley/store/access';
import { badRequest, foldName } from '@parley/api';
import type { Caller } from '@parley/api';
import type { StreamEntry } from '@parley/api/streams';
import { StepBudget } from '@parley/markdown';
import { findStreamsByNames, streamNameFault } from '@parley/store';

import type { SubscriptionsContext } from '../context.ts';
import { withoutNewlines } from '../streams/description.ts';

type DescriptionContext = Pick<SubscriptionsContext, 'renderDescription' | 'renderingTurns'>;

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
  /** Undefined for a stream that was there when descriptions were rendered, and so is not expected to be created. */
  readonly renderedDescription: string | undefined;
};

/** What many long descriptions need to know before they are rendered. */
export type DescriptionRoom = {
  /** The folded names of streams that are there, whose descriptions are not used. */
  readonly existing: ReadonlySet<string>;
  readonly texts: TextRoom;
};

/** A stream that the caller does not see counts as one to create. */
export async function findDescriptionRoom(
  { pool, lists }: Pick<SubscriptionsContext, 'pool' | 'lists'>,
  caller: Caller,
  wanted: ReadonlyMap<string, NamedStream>,
): Promise<DescriptionRoom> {
  const [found, texts] = await Promise.all([
    findStreamsByNames(pool, [...wanted.keys()]),
    findTextRoom(pool, lists, caller, 'streams'),
  ]);
  const existing = await filterReadableStreams(pool, caller, found);
  return { existing: new Set(existing.map(({ name }) => foldName(name))), texts };
}

/** After so many characters of descriptions, a few milliseconds, others have a turn. */
const charactersPerTurn = 2_000;

/**
 * Renders the descriptions before a transaction begins, because many take longer than Postgres allows a transaction to be idle. Those of many
 * characters are rendered only as far as there may be room for all of them.
 *
 * @param wanted of `checkStreamNames`
 * @param context.renderDescription gives the HTML of a description
 * @param findRoom is asked if they are long
 * @throws ApiError if there is no room
 */
export async function withDescriptions(
  { renderDescription, renderingTurns }: DescriptionContext,
  wanted: ReadonlyMap<string, NamedStream>,
  findRoom: () => Promise<DescriptionRoom>,
): Promise<Map<string, StreamToJoin>> {
  const described = new Map<string, StreamToJoin>(
    [...wanted].map(([folded, entry]) => {
      const description = withoutNewlines(entry.description ?? '');
      return [folded, { ...entry, description, renderedDescription: undefined }];
    }),
  );
  const all = [...described.values()].reduce((sum, { description }) => sum + description.length, 0);
  const room = all > charactersPerTurn ? await findRoom() : undefined;
  const created = [...described].filter(([folded]) => room?.existing.has(folded) !== true);
  room?.texts.take(created.flatMap(([, { name, description }]) => [name, description]));
  const budget = new StepBudget();
  let characters = 0;
  for (const [folded, entry] of created) {
    const { description } = entry;
    characters += description.length;
    if (characters > charactersPerTurn) {
      await renderingTurns.take();
      characters = 0;
    }
    const renderedDescription = renderDescription(description, budget);
    room?.texts.take([renderedDescription]);
    described.set(folded, { ...entry, renderedDescription });
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
