import { badRequest } from '@parley/contracts';

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
};

const supportedOperators = new Set(['stream', 'topic', 'sender', 'is']);

/**
 * Reads register's narrow: a list of pairs, or one pair as a flat list of two strings (contract, Event queues; reference facts,
 * events 3.1).
 *
 * @param narrow JSON whose shape was checked: strings, or lists of two strings
 * @throws ApiError BAD_REQUEST for an operator that queues do not know
 */
export function parseQueueNarrow(narrow: readonly (string | readonly string[])[]): NarrowTerm[] {
  const [first, second] = narrow;
  const pairs =
    narrow.length === 2 && typeof first === 'string' && typeof second === 'string'
      ? [[first, second]]
      : narrow;
  return pairs.map((pair, index): NarrowTerm => {
    if (!Array.isArray(pair)) throw badRequest(`narrow[${index}] is not a list`);
    if (pair.length !== 2) throw badRequest(`narrow[${index}] should have exactly 2 items`);
    const [operator, operand] = pair as readonly unknown[];
    if (typeof operator !== 'string') throw badRequest(`narrow[${index}][0] is not a string`);
    if (typeof operand !== 'string') throw badRequest(`narrow[${index}][1] is not a string`);
    if (!supportedOperators.has(operator)) throw badRequest(`Operator ${operator} not supported.`);
    return [operator, operand];
  });
}
