import { audienceKey, changeEntry } from '@parley/event-log';
import { badRequest, limits } from '@parley/api';
import type { Append, ChangeContent, SendItem } from '@parley/event-log';

/** The result of one part of a request, for its answer and for the log. */
export type Step<Outcome> = {
  readonly outcome: Outcome;
  /** Undefined when nothing changed. */
  readonly change: ChangeContent | undefined;
  /** Messages that follow the change in the log. */
  readonly messages?: readonly SendItem[];
};

/**
 * Makes one entry of a step, so that every effect applies to every event, and each event has its own id in the entry's run of positions.
 *
 * @param changeId the change that its rows refer to
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
 * Refuses a request whose lists are too long, before any look-up.
 *
 * @throws ApiError as `checkSize`
 */
export function checkLists(...lists: readonly (readonly unknown[])[]): void {
  for (const { length } of lists) checkSize(1, length);
}
