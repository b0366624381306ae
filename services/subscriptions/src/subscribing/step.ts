import { audienceKey, changeEntry } from '@parley/event-log';
import { badRequest, limits } from '@parley/api';
import type { Append, ChangeContent, SendItem } from '@parley/event-log';

/** What a part of a request did, for its answer and for the log. */
export type Step<Outcome> = {
  readonly outcome: Outcome;
  /** Undefined when nothing changed. */
  readonly change: ChangeContent | undefined;
  /** What follows the change in the log. */
  readonly messages?: readonly SendItem[];
};

/**
 * Puts what a step changed into one entry, so that every effect holds for every event, and each event has an id of its own in the
 * entry's run of positions.
 *
 * @param changeId to which the rows of the change point
 */
export function appendOf(
  { change, messages = [] }: Omit<Step<unknown>, 'outcome'>,
  changeId: number,
): Append[] {
  if (change === undefined) return [];
  const entry = changeEntry(change);
  return [{ entries: [{ entry, audience: audienceKey.everyone }], changeId, messages }];
}

/** @throws ApiError when a request concerns more pairs of people and streams than one transaction should change */
export function checkSize(people: number, streams: number): void {
  if (people * streams > limits.subscriptionPairsMax) {
    throw badRequest(
      `Too many people and streams in one request (limit: ${limits.subscriptionPairsMax} pairs)`,
    );
  }
}

/**
 * Refuses by the length of its lists what concerns too many, before anything is looked for.
 *
 * @throws ApiError as `checkSize`
 */
export function checkLists(...lists: readonly (readonly unknown[])[]): void {
  for (const { length } of lists) checkSize(1, length);
}
