/**
 * Narrows, as the terms of `GET messages`: which messages a view shows. Their addresses are those of links in messages
 * (`#narrow/stream/5-general/topic/hello/near/7`), which the server's renderer writes.
 */
import { foldName } from '@parley/api/fold';

import { isNumber, isRecord, isText } from './shapes.ts';

/** A message must match all terms of a narrow. No terms: all messages. */
export type NarrowTerm = {
  readonly operator: string;
  readonly operand: string | number | readonly number[];
  readonly negated?: boolean;
};

export type Narrow = readonly NarrowTerm[];

export type StreamConversation = {
  readonly type: 'stream';
  readonly streamId: number;
  readonly topic: string;
};

/** The ids are those of the others, ascending; the own id alone for notes to oneself. */
export type PrivateConversation = { readonly type: 'private'; readonly userIds: readonly number[] };

/** Where a message goes. */
export type Conversation = StreamConversation | PrivateConversation;

export const allMessages: Narrow = [];
export const mentions: Narrow = [{ operator: 'is', operand: 'mentioned' }];
export const starred: Narrow = [{ operator: 'is', operand: 'starred' }];
export const allPrivate: Narrow = [{ operator: 'is', operand: 'private' }];

export function streamNarrow(streamId: number): Narrow {
  return [{ operator: 'stream', operand: streamId }];
}

export function topicNarrow(streamId: number, topic: string): Narrow {
  return [...streamNarrow(streamId), { operator: 'topic', operand: topic }];
}

export function privateNarrow(userIds: readonly number[]): Narrow {
  return [{ operator: 'pm-with', operand: userIds }];
}

export function narrowOf(conversation: Conversation): Narrow {
  return conversation.type === 'stream'
    ? topicNarrow(conversation.streamId, conversation.topic)
    : privateNarrow(conversation.userIds);
}

/**
 * The people of a private conversation as `Conversation` names them: the others, or the signed-in person alone.
 *
 * @param everybody all who take part
 */
export function partnersOf(everybody: readonly number[], selfId: number): readonly number[] {
  const others = everybody.filter((id) => id !== selfId);
  return ascending(others.length === 0 ? [selfId] : others);
}

export function ascending(ids: Iterable<number>): readonly number[] {
  return [...ids].toSorted((one, other) => one - other);
}

/** The other person of a conversation of two. */
export function onlyPartnerOf(conversation: Conversation): number | undefined {
  return conversation.type === 'private' && conversation.userIds.length === 1
    ? conversation.userIds[0]
    : undefined;
}

/** The conversation that a narrow shows, if it shows exactly one. */
export function conversationOf(narrow: Narrow): Conversation | undefined {
  const [first, second] = narrow;
  const streamId = streamIdOf(narrow);
  if (narrow.some(({ negated }) => negated === true)) return undefined;
  if (narrow.length === 1 && first?.operator === 'pm-with' && typeof first.operand === 'object')
    return { type: 'private', userIds: first.operand };
  return narrow.length === 2 && streamId !== undefined && second?.operator === 'topic'
    ? { type: 'stream', streamId, topic: String(second.operand) }
    : undefined;
}

/** The stream that all messages of a narrow are in, if its first term says so. */
export function streamIdOf([first]: Narrow): number | undefined {
  return first?.operator === 'stream' && first.negated !== true && typeof first.operand === 'number'
    ? first.operand
    : undefined;
}

/** The stream that a narrow shows: all of it, or one of its topics. */
export function shownStreamIdOf(narrow: Narrow): number | undefined {
  const isShown = narrow.length === 1 || conversationOf(narrow) !== undefined;
  return isShown ? streamIdOf(narrow) : undefined;
}

/** Whether a value, such as one read from the browser's storage, is a conversation. */
export function isConversation(value: unknown): value is Conversation {
  if (!isRecord(value)) return false;
  const { type, streamId, topic, userIds } = value;
  if (type === 'stream') return isNumber(streamId) && isText(topic);
  // Nobody is chosen yet if there are none.
  return type === 'private' && Array.isArray(userIds) && userIds.every(isNumber);
}

/** A text that is equal for equal conversations. */
export function conversationKey(conversation: Conversation): string {
  return conversation.type === 'stream'
    ? `stream/${topicKey(conversation.streamId, conversation.topic)}`
    : `private/${conversation.userIds.join(',')}`;
}

/** A text that is equal for equal topics. */
export function topicKey(streamId: number, topic: string): string {
  return `${streamId}/${foldName(topic)}`;
}

export function isSameConversation(
  one: Conversation | undefined,
  other: Conversation | undefined,
): boolean {
  return (one && conversationKey(one)) === (other && conversationKey(other));
}

/** Operators whose operand is a name. */
const named: ReadonlySet<string> = new Set(['stream', 'topic', 'sender']);

/** A text that is equal for narrows that show the same, however their names are spelled. */
export function narrowKey(narrow: Narrow): string {
  return JSON.stringify(
    narrow.map(({ operator, operand, negated }) => [
      operator,
      typeof operand === 'string' && named.has(operator) ? foldName(operand) : operand,
      negated === true,
    ]),
  );
}

/** The words that a narrow searches for. */
export function wordsOf(narrow: Narrow): string {
  const search = narrow.filter(({ operator }) => operator === 'search');
  return search.map(({ operand }) => String(operand)).join(' ');
}

const views: ReadonlySet<string> = new Set(
  [allMessages, mentions, starred, allPrivate].map(narrowKey),
);

/** Whether a narrow was searched for: it is no view, no stream and no conversation. What it shows does not count as read. */
export function isSearch(narrow: Narrow): boolean {
  const isOne = shownStreamIdOf(narrow) !== undefined || conversationOf(narrow) !== undefined;
  return !isOne && !views.has(narrowKey(narrow));
}

// Addresses percent-encode with `.` instead of `%`, so that they survive programs that take links out of texts.
function encodePart(text: string): string {
  return encodeURIComponent(text)
    .replaceAll(/[.()!'*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)
    .replaceAll('%', '.');
}

function decodePart(part: string): string | undefined {
  try {
    return decodeURIComponent(part.replaceAll('.', '%'));
  } catch {
    return undefined;
  }
}

/** Names for the readable part of an address; ids decide. */
export type AddressNames = {
  readonly streams: { get(id: number): { readonly name: string } | undefined };
  readonly people: { get(id: number): { readonly full_name: string } | undefined };
};

function slugOf(id: string, name: string | undefined): string {
  return encodePart(name === undefined ? id : `${id}-${name.replaceAll(' ', '-')}`);
}

function partOf({ operator, operand }: NarrowTerm, names: AddressNames): string {
  if (operator === 'stream' && typeof operand === 'number')
    return slugOf(String(operand), names.streams.get(operand)?.name);
  if (typeof operand === 'object') {
    const [only, second] = operand;
    return slugOf(
      operand.join(','),
      second === undefined && only !== undefined ? names.people.get(only)?.full_name : 'group',
    );
  }
  return encodePart(String(operand));
}

/**
 * The address of a narrow, as a fragment.
 *
 * @param near the id of the message to show
 */
export function addressOfNarrow(narrow: Narrow, names: AddressNames, near?: number): string {
  const parts = narrow.flatMap((term) => [
    `${term.negated === true ? '-' : ''}${term.operator}`,
    partOf(term, names),
  ]);
  if (near !== undefined) parts.push('near', String(near));
  return parts.length === 0 ? '#all' : `#narrow/${parts.join('/')}`;
}

function operandOf(operator: string, part: string): NarrowTerm['operand'] | undefined {
  const text = decodePart(part);
  if (text === undefined) return undefined;
  if (operator === 'stream') {
    const id = /^\d{1,15}(?=-|$)/.exec(text);
    return id === null ? text : Number(id[0]);
  }
  if (operator === 'pm-with' || operator === 'group-pm-with') {
    const ids = /^\d{1,15}(?:,\d{1,15})*(?=-|$)/.exec(text);
    return ids === null ? text : ascending(ids[0].split(',').map(Number));
  }
  return text;
}

const operatorAliases: ReadonlyMap<string, string> = new Map([
  ['subject', 'topic'],
  ['channel', 'stream'],
  ['dm', 'pm-with'],
]);

/**
 * Reads the fragment of an address.
 *
 * @returns undefined if it is not one of a narrow
 */
export function parseNarrowAddress(
  fragment: string,
): { readonly narrow: Narrow; readonly near: number | undefined } | undefined {
  if (fragment === '#all') return { narrow: allMessages, near: undefined };
  const [start, ...parts] = fragment.replace(/\/$/, '').split('/');
  if (start !== '#narrow' || parts.length % 2 !== 0) return undefined;
  const narrow: NarrowTerm[] = [];
  let near: number | undefined;
  for (let index = 0; index < parts.length; index += 2) {
    const name = decodePart(parts[index] ?? '') ?? '';
    const negated = name.startsWith('-');
    const written = negated ? name.slice(1) : name;
    const operator = operatorAliases.get(written) ?? written;
    const operand = operandOf(operator, parts[index + 1] ?? '');
    if (operand === undefined || operator === '') return undefined;
    if (operator === 'near' && /^\d{1,15}$/.test(String(operand))) near = Number(operand);
    else narrow.push({ operator, operand, ...(negated && { negated }) });
  }
  return { narrow, near };
}
