/**
 * The operators of a narrow, one row each (reference facts, messages 8.2). A row looks up the name in its operand and returns a condition
 * with bound values; its hints affect only the speed of the list.
 */
import type { NarrowTerm } from '@parley/api/messages';
import { badNarrow, foldName } from '@parley/api';
import type { Queryable } from '@parley/database';
import {
  asList,
  findIdsAtTime,
  findKnownStreamId,
  findPrivateConversation,
  findUserByEmail,
  findUserById,
  findUsersByEmails,
  findUsersByIds,
  flaggedSql,
  groupsWithSql,
  mutedSql,
  publicStreamsSql,
  readSql,
  readerSql,
} from '@parley/store';
import type { ListHints, MessageCondition, MessageListBuilder } from '@parley/store';

import { readDeliveryTime } from '../deferring/delivery-time.ts';
import { compileSearch, searchOperator } from './search.ts';
import type { AssumedStream, StreamIds } from './stream-ids.ts';

export type NarrowSetting = {
  readonly db: Queryable;
  readonly userId: number;
  readonly list: MessageListBuilder;
  /** The kept ids of named streams; if absent, streams are looked up. */
  readonly streamIds: StreamIds | undefined;
};

/** The meaning of a term. */
export type Meaning = {
  /** Absent if the term restricts nothing. */
  readonly condition?: MessageCondition;
  /** Hints about the messages if the term is not negated. */
  readonly hints?: ListHints;
  /** Hints about the messages if it is negated. */
  readonly negatedHints?: ListHints;
  /** The term ignores negation. */
  readonly neverNegated?: boolean;
  /**
   * Whether the term, not negated, adds or removes messages that the user may read without holding them (reference facts, messages 6.5).
   */
  readonly history?: 'this stream' | 'public streams' | 'none';
  /** The bound id of the stream in the term, negated or not. */
  readonly stream?: string;
  /** Present if the stream was not looked up. */
  readonly assumedStream?: AssumedStream;
  /** The words to mark in the found messages. */
  readonly searchedWords?: readonly string[];
  /** Words of a search that are too common to be looked for. */
  readonly ignoredWords?: readonly string[];
};

type Operator = (
  operand: NarrowTerm['operand'],
  setting: NarrowSetting,
) => Meaning | Promise<Meaning>;

// Integer columns cannot contain a larger id, so it matches nothing.
const largestIntegerId = 2_147_483_647;

function isPossibleId(id: number): boolean {
  return id >= 0 && id <= largestIntegerId;
}

function byName<Value>(
  values: Readonly<Record<string, Value>>,
  operand: NarrowTerm['operand'],
  refuse: () => Error,
): Value {
  const name = String(operand);
  const value = Object.hasOwn(values, name) ? values[name] : undefined;
  if (value === undefined) throw refuse();
  return value;
}

async function findUserId(operand: NarrowTerm['operand'], { db }: NarrowSetting): Promise<number> {
  let user: { readonly id: number } | undefined;
  if (typeof operand !== 'number') user = await findUserByEmail(db, String(operand).trim());
  else if (isPossibleId(operand)) user = await findUserById(db, operand);
  if (user === undefined) throw badNarrow(`unknown user ${String(operand)}`);
  return user.id;
}

async function findStreamId(
  operand: NarrowTerm['operand'],
  { db, userId, streamIds }: NarrowSetting,
): Promise<number> {
  const name = String(operand).trim();
  const which = typeof operand === 'number' ? { streamId: operand } : { name };
  const found = await findKnownStreamId(db, userId, which);
  if (found === undefined) throw badNarrow(`unknown stream ${String(operand)}`);
  if ('name' in which) streamIds?.keep(userId, name, found);
  return found;
}

const stream: Operator = async (operand, setting) => {
  const name = typeof operand === 'number' ? undefined : String(operand).trim();
  const kept = name === undefined ? undefined : setting.streamIds?.find(setting.userId, name);
  const id = setting.list.bind(kept ?? (await findStreamId(operand, setting)), 'integer');
  return {
    condition: (message) => `${message}.scope = ${id}`,
    hints: { stream: id },
    history: 'this stream',
    stream: id,
    ...(name === undefined || kept === undefined ? {} : { assumedStream: { name, id: kept } }),
  };
};

const streams: Operator = (operand) => {
  if (operand !== 'public') throw badNarrow(`unknown streams operand ${String(operand)}`);
  return {
    condition: (message) => asList(`${message}.scope IN (${publicStreamsSql})`),
    hints: { publicStreams: true },
    negatedHints: { notPublicStreams: true },
    history: 'public streams',
  };
};

const topic: Operator = (operand, { list }) => {
  const folded = list.bind(foldName(String(operand)), 'text');
  return {
    condition: (message) =>
      asList(
        `${message}.conversation_id IN (SELECT c.id FROM conversations c WHERE c.topic_folded = ${folded})`,
      ),
    hints: { topic: folded },
  };
};

const sender: Operator = async (operand, setting) => {
  const id = setting.list.bind(await findUserId(operand, setting), 'integer');
  return { condition: (message) => `${message}.sender_id = ${id}`, hints: { sender: id } };
};

async function findPeople(
  operand: NarrowTerm['operand'],
  { db, userId }: NarrowSetting,
): Promise<number[]> {
  const isList = typeof operand !== 'string' && typeof operand !== 'number';
  const shown = isList ? `[${operand.join(', ')}]` : String(operand);
  const unknown = badNarrow(`unknown user in ${shown}`);
  const keys: readonly (string | number)[] = isList
    ? [...new Set(operand)]
    : String(operand)
        .split(',')
        .map((email) => email.trim());
  if (
    keys.length === 0 ||
    keys.some((key) => (typeof key === 'number' ? !isPossibleId(key) : key === ''))
  )
    throw unknown;
  if (isList) {
    const found = await findUsersByIds(db, operand);
    if (found.length !== keys.length) throw unknown;
    return [...found.map((user) => user.id), userId];
  }
  const emails = [...new Set(keys.map((key) => foldName(String(key))))];
  const found = await findUsersByEmails(db, emails);
  if (found.length !== emails.length) throw unknown;
  return [...found.map((user) => user.id), userId];
}

const pmWith: Operator = async (operand, setting) => {
  const people = await findPeople(operand, setting);
  const id = await findPrivateConversation(setting.db, people);
  const ids = setting.list.bind(id === undefined ? [] : [id], 'bigint[]');
  return {
    condition: (message) => `${message}.conversation_id = ANY (${ids})`,
    hints: { conversations: ids },
  };
};

const groupPmWith: Operator = async (operand, setting) => {
  const id = setting.list.bind(await findUserId(operand, setting), 'integer');
  return {
    condition: (message) => asList(`${message}.conversation_id IN (${groupsWithSql(id)})`),
    hints: { groupWith: id },
  };
};

const isPrivate: Meaning = {
  condition: (message) => `${message}.scope < 0`,
  hints: { privateOnly: true },
};
const flagged = (flag: NonNullable<ListHints['flag']>): Meaning => ({
  condition: (message) => flaggedSql(flag, message),
  hints: { flag },
});
const isMeanings: Readonly<Record<string, Meaning>> = {
  private: isPrivate,
  dm: isPrivate,
  starred: flagged('starred'),
  unread: {
    condition: (message) => `NOT ${readSql(message, readerSql)}`,
    hints: { unread: true },
  },
  mentioned: flagged('mentioned'),
  alerted: flagged('alerted'),
};

const is: Operator = (operand) => ({
  ...byName(isMeanings, operand, () => badNarrow(`unknown 'is' operand ${String(operand)}`)),
  history: 'none',
});

const carrying = (property: NonNullable<ListHints['carrying']>): Meaning => ({
  condition: (message) => `${message}.${property}`,
  hints: { carrying: property },
});
const hasMeanings: Readonly<Record<string, Meaning>> = {
  link: carrying('has_link'),
  image: carrying('has_image'),
  attachment: carrying('has_attachment'),
};

const has: Operator = (operand) =>
  byName(hasMeanings, operand, () => badNarrow(`unknown 'has' operand ${String(operand)}`));

const inMeanings: Readonly<Record<string, Meaning>> = {
  home: {
    condition: (message) => `NOT ${mutedSql(message, { streams: true })}`,
    hints: { notMuted: true },
    neverNegated: true,
  },
  all: { neverNegated: true },
};

const inOperator: Operator = (operand) =>
  byName(inMeanings, operand, () => badNarrow(`unknown 'in' operand ${String(operand)}`));

const id: Operator = (operand, { list }) => {
  if (!/^\d+$/.test(String(operand))) throw badNarrow('Invalid message ID');
  const number = Number(operand);
  if (!Number.isSafeInteger(number)) return { condition: () => 'false' };
  const bound = list.bind(number, 'bigint');
  return { condition: (message) => `${message}.id = ${bound}`, hints: { id: bound } };
};

/** A time without an offset is one of the account's own zone. */
const sent =
  (side: 'before' | 'after'): Operator =>
  async (operand, { db, userId, list }) => {
    const findOwnZone = async (): Promise<string | undefined> =>
      (await findUserById(db, userId))?.timezone;
    const read = await readDeliveryTime(String(operand), undefined, findOwnZone);
    if (read === undefined) throw badNarrow(`not a time: ${String(operand)}`);
    const moment = new Date(read.epochMilliseconds);
    const ids = await findIdsAtTime(db, moment);
    const time = list.bind(moment, 'timestamptz');
    const from = list.bind(ids.from, 'bigint');
    const below = list.bind(ids.below, 'bigint');
    const isBefore: MessageCondition = (message) =>
      `(${message}.id < ${from} OR ${message}.id < ${below} AND ${message}.sent_at < ${time})`;
    if (side === 'before') return { condition: isBefore, hints: { below }, negatedHints: { from } };
    const isAfter: MessageCondition = (message) => `NOT ${isBefore(message)}`;
    return { condition: isAfter, hints: { from }, negatedHints: { below } };
  };

const near: Operator = () => ({ neverNegated: true });

/** Every operator by name. */
export const narrowOperators: ReadonlyMap<string, Operator> = new Map([
  ['stream', stream],
  ['streams', streams],
  ['topic', topic],
  ['sender', sender],
  ['pm-with', pmWith],
  ['group-pm-with', groupPmWith],
  ['is', is],
  ['has', has],
  ['in', inOperator],
  ['id', id],
  ['near', near],
  ['before', sent('before')],
  ['after', sent('after')],
  [searchOperator, (operand, setting) => compileSearch(String(operand), setting)],
]);
