import { audienceKey, badRequest, changeEntry, limits } from '@parley/contracts';
import type { ChangeContent } from '@parley/contracts';
import type { Append } from '@parley/event-log';

/** What a part of a request did, for its answer and for the log. */
export type Step<Outcome> = {
  readonly outcome: Outcome;
  /** Undefined when nothing changed. */
  readonly change: ChangeContent | undefined;
};

/**
 * Puts what a step changed into one entry, so that every effect holds for every event, and each event has an id of its own in the
 * entry's run of positions.
 *
 * @param changeId to which the rows of the change point
 */
export function appendOf(change: ChangeContent | undefined, changeId: number): Append[] {
  if (change === undefined) return [];
  return [{ entries: [{ entry: changeEntry(change), audience: audienceKey.everyone }], changeId }];
}

/** @throws ApiError when a request concerns more pairs of people and streams than one transaction should change */
export function checkSize(people: number, streams: number): void {
  if (people * streams > limits.subscriptionPairsMax) {
    throw badRequest(
      `Too many people and streams in one request (limit: ${limits.subscriptionPairsMax} pairs)`,
    );
  }
}
