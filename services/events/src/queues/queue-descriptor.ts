import { badRequest } from '@parley/api';
import { distinctTerms } from '@parley/api';

export type NarrowTerm = readonly [operator: string, operand: string];

/** What a queue asked for at register; with the log and `last_event_id` it alone decides what a poll answers. */
export type QueueDescriptor = {
  /** null: every type. */
  readonly eventTypes: readonly string[] | null;
  readonly narrow: readonly NarrowTerm[];
  readonly applyMarkdown: boolean;
  readonly clientGravatar: boolean;
  readonly allPublicStreams: boolean;
  readonly includeSubscribers: boolean;
  /** The client's name, where it is a mirror by that (reference facts, events 9.4). */
  readonly mirrorClient?: string;
};

/** @returns what a queue's descriptor says of a client of this name: nothing, unless it is a mirror (reference facts, events 9.4) */
export function mirrorClientOf(clientName: string): Pick<QueueDescriptor, 'mirrorClient'> {
  return clientName.toLowerCase().includes('mirror') ? { mirrorClient: clientName } : {};
}

const supportedOperators = new Set(['stream', 'topic', 'sender', 'is']);

/**
 * Reads register's narrow: a list of pairs, or one pair as a flat list of two strings (contract, Event queues; reference facts,
 * events 3.1).
 *
 * @returns the different terms
 * @throws ApiError BAD_REQUEST for another shape, or for an operator that queues do not know; BAD_NARROW for too many terms
 */
export function parseQueueNarrow(narrow: readonly unknown[]): NarrowTerm[] {
  const isOnePair = narrow.length === 2 && narrow.every((item) => typeof item === 'string');
  const terms = (isOnePair ? [narrow] : narrow).map((pair, index): NarrowTerm => {
    if (!Array.isArray(pair)) throw badRequest(`narrow[${index}] is not a list`);
    if (pair.length !== 2) throw badRequest(`narrow[${index}] should have exactly 2 items`);
    const items: readonly unknown[] = pair;
    const [operator, operand] = items;
    if (typeof operator !== 'string') throw badRequest(`narrow[${index}][0] is not a string`);
    if (typeof operand !== 'string') throw badRequest(`narrow[${index}][1] is not a string`);
    if (!supportedOperators.has(operator)) throw badRequest(`Operator ${operator} not supported.`);
    return [operator, operand];
  });
  return distinctTerms(terms);
}
