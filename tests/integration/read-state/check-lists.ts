/** Compares the lists of narrows, with flags, and their first unread messages with the model. */
import type { NarrowTerm } from '@parley/api/messages';
import { findFirstUnreadOf, flagBits, listMessages, readShownMessages } from '@parley/store';
import type { MessageListBuilder } from '@parley/store';
import { expect } from 'vitest';

import { compileNarrow } from '../../../services/messages/src/narrow/compile-narrow.ts';
import { expectedBits } from './expected-bits.ts';
import { Model, hasFlag, streamCount, topicCount } from './model.ts';
import type { ModelMessage } from './model.ts';
import type { World } from './world.ts';

const newest = 10_000_000_000_000_000;
const most = 1_000;

const flagged = {
  unread: (message: ModelMessage, user: number) => message.rows.get(user)?.read === false,
  starred: (message: ModelMessage, user: number) => hasFlag(message, user, flagBits.starred),
  mentioned: (message: ModelMessage, user: number) =>
    hasFlag(message, user, flagBits.mentioned) ||
    hasFlag(message, user, flagBits.wildcard_mentioned),
  alerted: (message: ModelMessage, user: number) => hasFlag(message, user, flagBits.has_alert_word),
} as const;

const term = (operator: string, operand: string | number): NarrowTerm => ({
  operator,
  operand,
  negated: false,
});

type Expected = {
  readonly terms: readonly NarrowTerm[];
  readonly of: (message: ModelMessage) => boolean;
};

function narrowsOf(world: World, model: Model, user: number): Expected[] {
  const holds = (message: ModelMessage): boolean => message.rows.has(user);
  // One stream and topic per user keep a check short; there are many histories.
  const streamIndex = user % streamCount;
  const topicIndex = user % topicCount;
  const inStream = (message: ModelMessage): boolean =>
    Model.streamOf(message.conversation) === streamIndex;
  const inTopic = (message: ModelMessage): boolean =>
    Model.streamOf(message.conversation) !== undefined &&
    message.conversation % topicCount === topicIndex;
  const stream = term('stream', world.streams[streamIndex] ?? 0);
  const topic = term('topic', String(topicIndex));
  const narrows: Expected[] = [
    { terms: [], of: holds },
    // A public stream's whole history is open to its members and others.
    { terms: [stream], of: inStream },
    { terms: [topic], of: (message) => holds(message) && inTopic(message) },
    { terms: [stream, topic], of: (message) => inStream(message) && inTopic(message) },
  ];
  for (const [name, has] of Object.entries(flagged)) {
    const of = (message: ModelMessage): boolean => holds(message) && has(message, user);
    narrows.push(
      { terms: [term('is', name)], of },
      {
        terms: [stream, term('is', name)],
        of: (message) => of(message) && inStream(message),
      },
    );
  }
  narrows.push({
    terms: [topic, term('is', 'unread')],
    of: (message) => holds(message) && flagged.unread(message, user) && inTopic(message),
  });
  const middle = model.messages[Math.trunc(model.messages.length / 2)]?.sentAtSecs ?? 0;
  const time = new Date(middle * 1_000).toISOString();
  const [before, after] = [term('before', time), term('after', time)];
  const isBefore = (message: ModelMessage): boolean => message.sentAtSecs < middle;
  narrows.push(
    { terms: [before], of: (message) => holds(message) && isBefore(message) },
    {
      terms: [{ ...before, negated: true }],
      of: (message) => holds(message) && !isBefore(message),
    },
    { terms: [stream, after], of: (message) => inStream(message) && !isBefore(message) },
    {
      terms: [after, term('is', 'unread')],
      of: (message) => holds(message) && flagged.unread(message, user) && !isBefore(message),
    },
    {
      terms: [{ ...after, negated: true }, term('is', 'starred')],
      of: (message) => holds(message) && flagged.starred(message, user) && isBefore(message),
    },
  );
  return narrows;
}

/** @returns the whole list: each message's id with its flags */
async function listWithFlags(world: World, list: MessageListBuilder): Promise<number[][]> {
  const { messages, flagBitsOf } = await listMessages(world.client, list, {
    anchor: newest,
    beforeMax: most,
    fromAnchorMax: 0,
  });
  const wanted = messages.map(({ id, version }) => ({
    id,
    version,
    isAbove: false,
    isNearAnchor: true,
  }));
  const { shown } = await readShownMessages(world.client, wanted, 'written');
  const flags = new Map(shown.map((message) => [message.id, flagBitsOf(message)]));
  return messages.map(({ id }) => [id, flags.get(id) ?? 0]);
}

/** Every list of one user, complete and in pages, and its first unread message. */
export async function checkLists(world: World, model: Model, user: number): Promise<void> {
  const userId = world.users[user] ?? 0;
  for (const { terms, of } of narrowsOf(world, model, user)) {
    const expected = model.messages.filter(of);
    const { list, stream } = await compileNarrow(world.client, userId, terms);
    const name = JSON.stringify(terms);
    expect([name, ...(await listWithFlags(world, list))]).toEqual([
      name,
      ...expected.map((message) => [message.id, expectedBits(message, user)]),
    ]);
    const middle = expected[Math.trunc(expected.length / 2)]?.id ?? 1;
    const { messages: page } = await listMessages(world.client, list, {
      anchor: middle,
      beforeMax: 2,
      fromAnchorMax: 2,
    });
    const ids = expected.map((message) => message.id);
    expect([name, ...page.map((row) => row.id)]).toEqual([
      name,
      ...ids.filter((id) => id < middle).slice(-2),
      ...ids.filter((id) => id >= middle).slice(0, 2),
    ]);
    const first = await findFirstUnreadOf(world.client, list, {
      stream,
      fromPointer: terms.length === 0,
    });
    const isAudible = (message: ModelMessage): boolean =>
      stream === undefined
        ? !model.isMuted(user, message.conversation)
        : !model.mutedTopics.has(`${user}/${message.conversation}`);
    expect([name, first]).toEqual([
      name,
      expected.find((message) => flagged.unread(message, user) && isAudible(message))?.id,
    ]);
  }
}
