/**
 * Random histories of joins, leaves, sends, moves, reads and bulk marking, in real SQL, against a model with one row per user and
 * message. `PARLEY_PROPERTY_RUNS` says how many (default 200), `PARLEY_PROPERTY_SEED` repeats a run.
 */
import { createPool } from '@parley/database';
import type { Client, Pool } from '@parley/database';
import { createTestDatabase } from '@parley/test-kit';
import type { TestDatabase } from '@parley/test-kit';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { addLateReceipt, changeFlag, listFlags } from './flags.ts';
import { flagBits } from './message-sql.ts';
import {
  findFirstUnread,
  markAllRead,
  markStreamRead,
  markTopicRead,
  setStreamFloorsAtChange,
} from './read-state.ts';
import { unreadState } from './unread-state.ts';
import type { UnreadState } from './unread-state.ts';

const runs = Number(process.env['PARLEY_PROPERTY_RUNS'] ?? 200);
const seed = Number(process.env['PARLEY_PROPERTY_SEED'] ?? Math.trunc(Math.random() * 2 ** 31));

const userCount = 3;
const streamCount = 2;
const topicCount = 3;
// Conversations: topics 0..5 (stream = index / topicCount), then pairs and groups of these people.
const privateGroups = [[0], [0, 1], [1, 2], [0, 1, 2]] as const;
const conversationCount = streamCount * topicCount + privateGroups.length;

const person = fc.nat({ max: userCount - 1 });
const stream = fc.nat({ max: streamCount - 1 });
const topic = fc.nat({ max: streamCount * topicCount - 1 });
const conversation = fc.nat({ max: conversationCount - 1 });
// Messages are named from the newest backwards, which keeps most operations near the floors and watermarks.
const picks = fc.uniqueArray(fc.nat({ max: 12 }), { minLength: 1, maxLength: 6 });

const send = fc.record({
  op: fc.constant('send' as const),
  sender: person,
  conversation,
  readBySender: fc.boolean(),
  named: fc.subarray([0, 1, 2]),
  wildcard: fc.boolean(),
  bot: fc.option(person, { nil: undefined }),
});
const operation = fc.oneof(
  { weight: 10, arbitrary: send },
  { weight: 3, arbitrary: fc.record({ op: fc.constant('join' as const), user: person, stream }) },
  { weight: 2, arbitrary: fc.record({ op: fc.constant('leave' as const), user: person, stream }) },
  { weight: 6, arbitrary: fc.record({ op: fc.constant('read' as const), user: person, picks }) },
  { weight: 3, arbitrary: fc.record({ op: fc.constant('unread' as const), user: person, picks }) },
  {
    weight: 2,
    arbitrary: fc.record({
      op: fc.constant('mark-topic' as const),
      user: person,
      conversation: topic,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ op: fc.constant('mark-stream' as const), user: person, stream }),
  },
  { weight: 1, arbitrary: fc.record({ op: fc.constant('mark-all' as const), user: person }) },
  {
    weight: 1,
    arbitrary: fc.record({
      op: fc.constant('star' as const),
      user: person,
      pick: fc.nat({ max: 12 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      op: fc.constant('move' as const),
      picks,
      topic: fc.nat({ max: topicCount - 1 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ op: fc.constant('mute-stream' as const), user: person, stream }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      op: fc.constant('mute-topic' as const),
      user: person,
      conversation: topic,
    }),
  },
  { weight: 1, arbitrary: fc.record({ op: fc.constant('check' as const) }) },
);
type Operation = typeof operation extends fc.Arbitrary<infer Value> ? Value : never;
const history = fc.record({
  members: fc.array(fc.tuple(person, stream), { maxLength: 5 }),
  operations: fc.array(operation, { minLength: 1, maxLength: 45, size: 'max' }),
});

type Held = { read: boolean; starred: boolean; historical: boolean };
type ModelMessage = {
  readonly id: number;
  readonly sender: number;
  readonly wildcard: boolean;
  /** Who was named has his flag from the send on; it counts from when he holds the message. */
  readonly named: readonly number[];
  conversation: number;
  readonly rows: Map<number, Held>;
};

/** What the store should say, kept in the plainest way. */
class Model {
  readonly messages: ModelMessage[] = [];
  readonly members = new Set<string>();
  readonly mutedStreams = new Set<string>();
  readonly mutedTopics = new Set<string>();

  static streamOf(conversationIndex: number): number | undefined {
    return conversationIndex < streamCount * topicCount
      ? Math.trunc(conversationIndex / topicCount)
      : undefined;
  }
  static peopleOf(conversationIndex: number): readonly number[] {
    return privateGroups[conversationIndex - streamCount * topicCount] ?? [];
  }
  isMember(user: number, streamIndex: number): boolean {
    return this.members.has(`${user}/${streamIndex}`);
  }
  isMuted(user: number, conversationIndex: number): boolean {
    const streamIndex = Model.streamOf(conversationIndex);
    if (streamIndex === undefined) return false;
    return (
      this.mutedStreams.has(`${user}/${streamIndex}`) ||
      this.mutedTopics.has(`${user}/${conversationIndex}`)
    );
  }
  pick(numbers: readonly number[]): ModelMessage[] {
    return numbers.flatMap((number) => this.messages.at(-1 - number) ?? []);
  }
  unread(user: number, condition: (message: ModelMessage) => boolean): ModelMessage[] {
    return this.messages.filter(
      (message) => message.rows.get(user)?.read === false && condition(message),
    );
  }
  markRead(user: number, messages: readonly ModelMessage[]): void {
    for (const message of messages) {
      const row = message.rows.get(user);
      if (row !== undefined) row.read = true;
    }
  }
}

type World = {
  readonly client: Client;
  readonly users: readonly number[];
  readonly streams: readonly number[];
  readonly conversations: readonly number[];
};

let database: TestDatabase;
let pool: Pool;
let sends = 0;

beforeAll(async () => {
  database = await createTestDatabase();
  pool = createPool({
    databaseUrl: database.url,
    applicationName: 'read-state-property',
    connectionsMax: 1,
    onError: () => undefined,
  });
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

async function createWorld(client: Client): Promise<World> {
  const ids = async (text: string, values: unknown[]): Promise<number[]> =>
    (await client.query<{ id: number }>({ text, values })).rows.map((row) => row.id);
  const users = await ids(
    `INSERT INTO users (email, email_folded, full_name, full_name_folded, short_name)
     SELECT u, u, u, u, u FROM (SELECT gen_random_uuid()::text AS u FROM generate_series(1, $1::int)) n RETURNING id`,
    [userCount],
  );
  const streams = await ids(
    `INSERT INTO streams (name, name_folded, email_token)
     SELECT u, u, u FROM (SELECT gen_random_uuid()::text AS u FROM generate_series(1, $1::int)) n RETURNING id`,
    [streamCount],
  );
  const topics = await ids(
    `INSERT INTO conversations (stream_id, topic_folded)
     SELECT s, t::text FROM unnest($1::int[]) WITH ORDINALITY x (s, n), generate_series(0, $2::int) t ORDER BY x.n, t RETURNING id`,
    [streams, topicCount - 1],
  );
  const privates: number[] = [];
  for (const people of privateGroups) {
    const participants = people.map((index) => users[index]);
    const [id] = await ids(
      'INSERT INTO conversations (participant_ids) VALUES ($1::int[]) RETURNING id',
      [participants],
    );
    await client.query(
      'INSERT INTO conversation_participants SELECT u, $2 FROM unnest($1::int[]) u',
      [participants, id],
    );
    privates.push(id ?? 0);
  }
  return { client, users, streams, conversations: [...topics, ...privates] };
}

/** Runs `work` as a transaction whose change gets its place from the real append function. */
async function changing(client: Client, work: (changeId: number) => Promise<void>): Promise<void> {
  await client.query('BEGIN');
  const { rows } = await client.query<{ id: number }>("SELECT nextval('change_ids') AS id");
  const changeId = rows[0]?.id ?? 0;
  await work(changeId);
  await client.query(`SELECT log_append(ARRAY[1], ARRAY[0]::bigint[], ARRAY['{}'], $1, NULL)`, [
    changeId,
  ]);
  await client.query('COMMIT');
}

async function joining(
  world: World,
  model: Model,
  user: number,
  streamIndex: number,
): Promise<void> {
  if (model.isMember(user, streamIndex)) return;
  model.members.add(`${user}/${streamIndex}`);
  const ids = [world.users[user], world.streams[streamIndex]];
  await changing(world.client, async (changeId) => {
    await world.client.query(
      `INSERT INTO subscriptions (user_id, stream_id, is_active, color) VALUES ($1, $2, true, '')
       ON CONFLICT (user_id, stream_id) DO UPDATE SET is_active = true`,
      ids,
    );
    await world.client.query(
      'INSERT INTO membership_periods (user_id, stream_id, from_change_id) VALUES ($1, $2, $3)',
      [...ids, changeId],
    );
  });
}

async function leaving(
  world: World,
  model: Model,
  user: number,
  streamIndex: number,
): Promise<void> {
  if (!model.isMember(user, streamIndex)) return;
  model.members.delete(`${user}/${streamIndex}`);
  const userId = world.users[user] ?? 0;
  const streamId = world.streams[streamIndex] ?? 0;
  const unread = model.unread(
    user,
    (message) => Model.streamOf(message.conversation) === streamIndex,
  );
  await changing(world.client, async (changeId) => {
    await world.client.query(
      'UPDATE subscriptions SET is_active = false WHERE user_id = $1 AND stream_id = $2',
      [userId, streamId],
    );
    await world.client.query(
      'UPDATE membership_periods SET until_change_id = $3 WHERE user_id = $1 AND stream_id = $2 AND until_change_id IS NULL',
      [userId, streamId, changeId],
    );
    const listed = await setStreamFloorsAtChange(world.client, [userId], streamId, changeId);
    expect(listed.get(userId)).toEqual(unread.map((message) => message.id));
  });
  model.markRead(user, unread);
}

async function sending(
  world: World,
  model: Model,
  sent: Extract<Operation, { op: 'send' }>,
): Promise<void> {
  const streamIndex = Model.streamOf(sent.conversation);
  const people = Model.peopleOf(sent.conversation);
  const sender =
    streamIndex === undefined ? (people[sent.sender % people.length] ?? 0) : sent.sender;
  const holders =
    streamIndex === undefined
      ? [...people]
      : [0, 1, 2].filter((user) => model.isMember(user, streamIndex));
  // A bot that is named holds what it is not subscribed to.
  const late =
    streamIndex !== undefined && sent.bot !== undefined && !holders.includes(sent.bot)
      ? [sent.bot]
      : [];
  sends += 1;
  const item = {
    ordinal: 1,
    send_key: `property ${sends}`,
    content_hash: '00',
    sender_id: world.users[sender],
    stream_id: streamIndex === undefined ? null : world.streams[streamIndex],
    stream_version: streamIndex === undefined ? null : 1,
    may_be_first: false,
    conversation_id: world.conversations[sent.conversation],
    recipient_id: 1,
    topic: streamIndex === undefined ? '' : `topic ${sent.conversation}`,
    content: '',
    rendered_content: '',
    client: '',
    sent_at_secs: 0,
    is_me_message: false,
    has_link: false,
    has_image: false,
    has_attachment: false,
    read_by_sender: sent.readBySender,
    mentions_wildcard: sent.wildcard,
    mentioned_ids: sent.named.map((user) => world.users[user]),
    late_receipt_ids: late.map((user) => world.users[user]),
    search_text: '',
    audience: 0,
    payload: '{}',
  };
  const { rows } = await world.client.query<{ outcome: string; message_id: number }>({
    name: 'property-send',
    text: 'SELECT outcome, message_id FROM send_messages($1)',
    values: [JSON.stringify([item])],
  });
  expect(rows[0]?.outcome).toBe('sent');
  model.messages.push({
    id: rows[0]?.message_id ?? 0,
    sender,
    wildcard: sent.wildcard,
    named: sent.named,
    conversation: sent.conversation,
    rows: new Map(
      [...holders, ...late].map((user) => [
        user,
        { read: user === sender && sent.readBySender, starred: false, historical: false },
      ]),
    ),
  });
}

/** Any set of ids may be asked for; those that the user does not hold are left out of the answer and stay as they are. */
async function marking(
  world: World,
  user: number,
  messages: readonly ModelMessage[],
  read: boolean,
): Promise<void> {
  await world.client.query('BEGIN');
  const ids = messages.map((message) => message.id);
  const applied = await changeFlag(
    world.client,
    world.users[user] ?? 0,
    ids,
    'read',
    read ? 'add' : 'remove',
  );
  await world.client.query('COMMIT');
  const held = messages.filter((message) => message.rows.has(user));
  expect(applied.toSorted((a, b) => a - b)).toEqual(
    held.map((message) => message.id).toSorted((a, b) => a - b),
  );
  for (const message of held) {
    const row = message.rows.get(user);
    if (row !== undefined) row.read = read;
  }
}

async function markingInBulk(
  world: World,
  model: Model,
  user: number,
  operationNow: Operation,
): Promise<void> {
  const userId = world.users[user] ?? 0;
  if (operationNow.op === 'mark-all') {
    await changing(world.client, (changeId) => markAllRead(world.client, userId, changeId));
    model.markRead(user, model.messages);
    return;
  }
  await world.client.query('BEGIN');
  let unread: ModelMessage[] = [];
  if (operationNow.op === 'mark-stream') {
    unread = model.unread(
      user,
      (message) => Model.streamOf(message.conversation) === operationNow.stream,
    );
    const listed = await markStreamRead(
      world.client,
      userId,
      world.streams[operationNow.stream] ?? 0,
    );
    expect(listed).toEqual(unread.map((message) => message.id));
  } else if (operationNow.op === 'mark-topic') {
    unread = model.unread(user, (message) => message.conversation === operationNow.conversation);
    const listed = await markTopicRead(
      world.client,
      userId,
      world.conversations[operationNow.conversation] ?? 0,
    );
    expect(listed).toEqual(unread.map((message) => message.id));
  }
  await world.client.query('COMMIT');
  model.markRead(user, unread);
}

async function apply(world: World, model: Model, next: Operation): Promise<void> {
  const { client } = world;
  switch (next.op) {
    case 'send':
      return sending(world, model, next);
    case 'join':
      return joining(world, model, next.user, next.stream);
    case 'leave':
      return leaving(world, model, next.user, next.stream);
    case 'read':
    case 'unread':
      return marking(world, next.user, model.pick(next.picks), next.op === 'read');
    case 'mark-all':
    case 'mark-stream':
    case 'mark-topic':
      return markingInBulk(world, model, next.user, next);
    case 'star': {
      const [message] = model.pick([next.pick]);
      if (message === undefined || Model.streamOf(message.conversation) === undefined)
        return undefined;
      const userId = world.users[next.user] ?? 0;
      await client.query('BEGIN');
      await addLateReceipt(client, userId, message.id);
      await changeFlag(client, userId, [message.id], 'starred', 'add');
      await client.query('COMMIT');
      const row = message.rows.get(next.user);
      if (row !== undefined) row.starred = true;
      else message.rows.set(next.user, { read: true, starred: true, historical: true });
      return undefined;
    }
    case 'move':
      for (const message of model.pick(next.picks)) {
        const streamIndex = Model.streamOf(message.conversation);
        if (streamIndex === undefined) continue;
        message.conversation = streamIndex * topicCount + next.topic;
        await client.query('UPDATE messages SET conversation_id = $2, topic = $3 WHERE id = $1', [
          message.id,
          world.conversations[message.conversation],
          `topic ${message.conversation}`,
        ]);
      }
      return undefined;
    case 'mute-stream':
      if (!model.isMember(next.user, next.stream)) return undefined;
      model.mutedStreams.add(`${next.user}/${next.stream}`);
      await client.query(
        'UPDATE subscriptions SET is_muted = true WHERE user_id = $1 AND stream_id = $2',
        [world.users[next.user], world.streams[next.stream]],
      );
      return undefined;
    case 'mute-topic':
      model.mutedTopics.add(`${next.user}/${next.conversation}`);
      await client.query(
        `INSERT INTO muted_topics (user_id, stream_id, topic_folded, topic)
         SELECT $1, stream_id, topic_folded, topic_folded FROM conversations WHERE id = $2 ON CONFLICT DO NOTHING`,
        [world.users[next.user], world.conversations[next.conversation]],
      );
      return undefined;
    case 'check':
      return checkAll(world, model);
  }
}

function expectedUnread(world: World, model: Model, user: number): UnreadState {
  const listed = model.unread(user, (message) => {
    const streamIndex = Model.streamOf(message.conversation);
    return streamIndex === undefined || model.isMember(user, streamIndex);
  });
  const of = (condition: (message: ModelMessage) => boolean): number[] =>
    listed.filter(condition).map((message) => message.id);
  const isPair = (message: ModelMessage): boolean =>
    Model.streamOf(message.conversation) === undefined &&
    Model.peopleOf(message.conversation).length < 3;
  const conversations = [...new Set(listed.map((message) => message.conversation))].toSorted(
    (a, b) => a - b,
  );
  return {
    pms: [...new Set(listed.filter(isPair).map((message) => message.sender))]
      .toSorted((a, b) => a - b)
      .map((sender) => ({
        sender_id: world.users[sender] ?? 0,
        unread_message_ids: of((message) => isPair(message) && message.sender === sender),
      })),
    streams: conversations
      .filter((index) => Model.streamOf(index) !== undefined)
      .map((index) => ({
        stream_id: world.streams[Model.streamOf(index) ?? 0] ?? 0,
        topic: `topic ${index}`,
        sender_ids: [
          ...new Set(
            listed
              .filter((message) => message.conversation === index)
              .map((message) => message.sender),
          ),
        ]
          .toSorted((a, b) => a - b)
          .map((sender) => world.users[sender] ?? 0),
        unread_message_ids: of((message) => message.conversation === index),
      })),
    huddles: conversations
      .filter((index) => Model.peopleOf(index).length > 2)
      .map((index) => ({
        user_ids_string: world.users.join(','),
        unread_message_ids: of((message) => message.conversation === index),
      })),
    mentions: of(
      (message) =>
        message.named.includes(user) ||
        (message.wildcard && !model.isMuted(user, message.conversation)),
    ),
    count: of((message) => !model.isMuted(user, message.conversation)).length,
  };
}

function expectedBits(message: ModelMessage, user: number): number {
  const row = message.rows.get(user);
  if (row === undefined) return flagBits.read | flagBits.historical;
  return (
    (row.read ? flagBits.read : 0) |
    (row.starred ? flagBits.starred : 0) |
    (message.named.includes(user) ? flagBits.mentioned : 0) |
    (message.wildcard ? flagBits.wildcard_mentioned : 0) |
    (row.historical ? flagBits.historical : 0)
  );
}

async function checkAll(world: World, model: Model): Promise<void> {
  const ids = model.messages.map((message) => message.id);
  for (const [user, userId] of world.users.entries()) {
    const bits = await listFlags(world.client, userId, ids);
    expect(model.messages.map((message) => [message.id, bits.get(message.id)])).toEqual(
      model.messages.map((message) => [message.id, expectedBits(message, user)]),
    );
    expect(await unreadState(world.client, userId)).toEqual(expectedUnread(world, model, user));
    const first = (condition: (message: ModelMessage) => boolean): number | undefined =>
      model.unread(user, condition)[0]?.id;
    expect(await findFirstUnread(world.client, userId)).toBe(first(() => true));
    for (const [index, streamId] of world.streams.entries()) {
      expect(await findFirstUnread(world.client, userId, { streamId })).toBe(
        first((message) => Model.streamOf(message.conversation) === index),
      );
    }
    for (const [index, conversationId] of world.conversations.entries()) {
      const streamIndex = Model.streamOf(index);
      const place =
        streamIndex === undefined
          ? { conversationId }
          : { conversationId, streamId: world.streams[streamIndex] ?? 0 };
      expect(await findFirstUnread(world.client, userId, place)).toBe(
        first((message) => message.conversation === index),
      );
    }
  }
}

test(
  `unread counts, flags and first unread agree with one row per user and message (seed ${seed}, ${runs} histories)`,
  async () => {
    const client = await pool.connect();
    try {
      await fc.assert(
        fc.asyncProperty(history, async ({ members, operations }) => {
          // What an earlier history left open when it failed; and plans are made once, not for each of thousands of histories.
          await client.query('ROLLBACK');
          await client.query('SET plan_cache_mode = force_generic_plan');
          const world = await createWorld(client);
          const model = new Model();
          for (const [user, streamIndex] of members) await joining(world, model, user, streamIndex);
          for (const next of operations) await apply(world, model, next);
          await checkAll(world, model);
        }),
        { numRuns: runs, seed },
      );
    } finally {
      client.release();
    }
  },
  60_000 + runs * 1_000,
);
