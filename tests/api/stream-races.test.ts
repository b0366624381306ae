/** Simultaneous changes of streams, on two replicas: clients that apply events stay correct, and nobody sees hidden data. */
import type { LogEntry } from '@parley/event-log';
import { RefusedRequest, readObjects, waitUntil } from '@parley/test-kit';
import type { JsonObject, TestAccount } from '@parley/test-kit';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { fetchMessages } from './message-fixture.ts';
import { StreamFixture } from './stream-fixture.ts';
import type { Name } from './stream-fixture.ts';

let all: StreamFixture;
beforeAll(async () => {
  all = await StreamFixture.start();
});
afterAll(() => all.stop());

function check(holds: boolean, otherwise: string): void {
  if (!holds) throw new Error(otherwise);
}

/** Reads a queue to its end, including all events that were acknowledged before. */
class ReadQueue {
  readonly #account: TestAccount;
  readonly #queueId: unknown;
  #lastEventId: number;
  readonly state: JsonObject;

  private constructor(account: TestAccount, state: JsonObject) {
    this.#account = account;
    this.#queueId = state['queue_id'];
    this.#lastEventId = state['last_event_id'] as number;
    this.state = state;
  }

  static async open(account: TestAccount, parameters: object): Promise<ReadQueue> {
    return new ReadQueue(account, await account.client.post('register', { ...parameters }));
  }

  async readAll(): Promise<JsonObject[]> {
    const events: JsonObject[] = [];
    for (;;) {
      const answer = await this.#account.client.get('events', {
        queue_id: this.#queueId,
        last_event_id: this.#lastEventId,
        dont_block: true,
      });
      const more = readObjects(answer, 'events').filter(({ type }) => type !== 'heartbeat');
      if (more.length === 0) return events;
      for (const event of more) {
        const id = event['id'] as number;
        check(id > this.#lastEventId, `event ${id} does not come after ${this.#lastEventId}`);
        this.#lastEventId = id;
        events.push(event);
      }
    }
  }
}

type Known = { name: string; subscribers: Set<number>; isMine: boolean };

/** The streams and subscribers of a client that applies events without checks, like the terminal client. */
class Client {
  readonly streams = new Map<number, Known>();
  readonly #userId: number;

  constructor(userId: number, state: JsonObject) {
    this.#userId = userId;
    for (const list of ['subscriptions', 'unsubscribed', 'never_subscribed'])
      for (const stream of readObjects(state, list))
        this.streams.set(stream['stream_id'] as number, {
          name: stream['name'] as string,
          subscribers: new Set(stream['subscribers'] as number[]),
          isMine: list === 'subscriptions',
        });
  }

  apply(event: JsonObject): void {
    if (event['type'] === 'stream') this.#applyToStream(event);
    else if (event['type'] === 'subscription') this.#applyToSubscription(event);
  }

  #get(streamId: unknown): Known {
    const known = this.streams.get(streamId as number);
    if (known === undefined)
      throw new Error(`an event of stream ${String(streamId)}, which is unknown`);
    return known;
  }

  #applyToStream(event: JsonObject): void {
    if (event['op'] === 'update') {
      if (event['property'] === 'name')
        this.#get(event['stream_id']).name = event['value'] as string;
      return;
    }
    for (const stream of readObjects(event, 'streams')) {
      const id = stream['stream_id'] as number;
      if (event['op'] === 'delete') check(this.streams.delete(id), 'an unknown stream is gone');
      if (event['op'] === 'create' && !this.streams.has(id))
        this.streams.set(id, {
          name: stream['name'] as string,
          subscribers: new Set(),
          isMine: false,
        });
    }
  }

  #applyToSubscription(event: JsonObject): void {
    const { op } = event;
    if (op === 'add') {
      for (const added of readObjects(event, 'subscriptions'))
        this.streams.set(added['stream_id'] as number, {
          name: added['name'] as string,
          subscribers: new Set(added['subscribers'] as number[]),
          isMine: true,
        });
    } else if (op === 'remove') {
      for (const removed of readObjects(event, 'subscriptions')) {
        const known = this.#get(removed['stream_id']);
        known.isMine = false;
        check(known.subscribers.delete(this.#userId), 'one left who was not there');
      }
    } else {
      const { subscribers } = this.#get(event['stream_id']);
      const userId = event['user_id'] as number;
      // The terminal client fails on a repeated user and on a removed user who is not there.
      if (op === 'peer_add') {
        check(!subscribers.has(userId), 'somebody joined twice');
        subscribers.add(userId);
      }
      if (op === 'peer_remove') check(subscribers.delete(userId), 'somebody left twice');
    }
  }

  seen(): unknown {
    return [...this.streams]
      .map(([id, { name, subscribers, isMine }]) => ({
        id,
        name,
        subscribers: [...subscribers].toSorted((a, b) => a - b),
        isMine,
      }))
      .toSorted((a, b) => a.id - b.id);
  }
}

const stateOf = {
  fetch_event_types: ['subscription'],
  event_types: ['stream', 'subscription'],
  include_subscribers: true,
};

/** Makes a request that may be refused because another one came first, but must not fail. */
async function attempt(work: Promise<unknown>): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (!(error instanceof RefusedRequest) || error.status >= 500) throw error;
  }
}

test('after concurrent joins, leaves, renames and deactivations, clients that apply events have the right state', async () => {
  const { ann, bob, cat, dan } = all.people;
  const names = ['red', 'green', 'blue'];
  await all.join('bob', names);
  const watching = { ann, cat };
  const opened = await Promise.all(
    Object.values(watching).map(async (account) => {
      const queue = await ReadQueue.open(account, stateOf);
      return { account, queue, client: new Client(account.id, queue.state) };
    }),
  );
  const principals = [bob, cat, dan].map(({ email }) => email);
  const pick = (n: number): string => names[n % names.length] ?? '';
  const act = async (who: Name, n: number): Promise<void> => {
    const name = pick(n);
    switch (n % 5) {
      case 0:
        return attempt(all.join(who, [name]));
      case 1:
        return attempt(all.leave(who, [name]));
      case 2:
        return attempt(all.join('bob', [name, pick(n + 1)], { principals }));
      case 3:
        return attempt(
          all.leave('ann', [pick(n + 1), name], { principals: principals.slice(n % 3) }),
        );
      default:
        return attempt(
          ann.client.patch('users/me/subscriptions', {
            add: [{ name: pick(n + 1) }],
            delete: [name],
          }),
        );
    }
  };
  const administer = async (n: number): Promise<void> => {
    const stream = await all.stream(pick(n)).catch(() => undefined);
    if (stream === undefined) return;
    const path = `streams/${stream['stream_id'] as number}`;
    if (n % 3 === 0) return attempt(ann.client.delete(path));
    await attempt(ann.client.patch(path, { new_name: `${pick(n)} ${n}` }));
    return attempt(ann.client.patch(path, { new_name: pick(n) }));
  };
  for (let round = 0; round < 6; round += 1) {
    await Promise.all([
      ...(['bob', 'cat', 'dan'] as const).flatMap((who, k) =>
        Array.from({ length: 4 }, (_, n) => act(who, round * 7 + k * 3 + n)),
      ),
      administer(round),
    ]);
  }
  for (const { account, queue, client } of opened) {
    for (const event of await queue.readAll()) client.apply(event);
    const now = await account.client.post('register', stateOf);
    expect(client.seen()).toEqual(new Client(account.id, now).seen());
  }
});

test('a subscriber who joins while the first message is sent learns its id', async () => {
  const { bob, cat } = all.people;
  const { pool } = all.all;
  await all.join('bob', ['quiet']);
  const id = await all.streamId('quiet');
  await pool.query({
    text: 'DELETE FROM stream_first_messages WHERE stream_id = $1',
    values: [id],
  });
  const listening = await ReadQueue.open(cat, {
    event_types: ['subscription'],
    fetch_event_types: [],
  });
  const holdingBack = await pool.connect();
  try {
    await holdingBack.query('BEGIN');
    await holdingBack.query({
      text: 'INSERT INTO membership_periods (user_id, stream_id, from_change_id) VALUES ($1, $2, 1)',
      values: [cat.id, id],
    });
    const joining = all.join('cat', ['quiet']);
    await waitUntil('the join waits', async () => {
      const { rowCount } = await pool.query(
        "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
      );
      return rowCount === 1;
    });
    const first = await bob.client.sendToStream('quiet', 'x', 'the first');
    await holdingBack.query('ROLLBACK');
    await joining;
    const [added] = await listening.readAll();
    expect(added).toMatchObject({ op: 'add', subscriptions: [{ first_message_id: first }] });
  } finally {
    holdingBack.release(true);
  }
});

test('a subscriber who leaves while a message is sent learns that it is read', async () => {
  const { bob, cat } = all.people;
  const { pool } = all.all;
  await all.join('bob', ['goodbye'], { principals: [bob.email, cat.email] });
  const before = await bob.client.sendToStream('goodbye', 'x', 'before the list');
  const id = await all.streamId('goodbye');
  const listening = await ReadQueue.open(cat, {
    event_types: ['message', 'update_message_flags'],
    fetch_event_types: [],
  });
  const holdingBack = await pool.connect();
  try {
    await holdingBack.query('BEGIN');
    // When a leave reaches this row, it has already listed the unread messages.
    await holdingBack.query({
      text: 'INSERT INTO read_stream_floors (user_id, stream_id, message_id) VALUES ($1, $2, 0)',
      values: [cat.id, id],
    });
    const leaving = all.leave('cat', ['goodbye']);
    await waitUntil('the leaving waits', async () => {
      const { rowCount } = await pool.query(
        "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
      );
      return rowCount === 1;
    });
    const meanwhile = await bob.client.sendToStream('goodbye', 'x', 'meanwhile');
    await holdingBack.query('ROLLBACK');
    await leaving;
    // Notices about the subscription and earlier changes of streams arrive at no fixed time.
    const [sent, read] = (await listening.readAll()).filter(
      ({ message }) => message === undefined || (message as JsonObject)['stream_id'] === id,
    );
    expect(sent).toMatchObject({ type: 'message', message: { id: meanwhile }, flags: [] });
    expect(read).toMatchObject({ type: 'update_message_flags', flag: 'read' });
    expect(read?.['messages']).toEqual(
      expect.arrayContaining([
        (await all.stream('goodbye'))?.['first_message_id'],
        before,
        meanwhile,
      ]),
    );
  } finally {
    holdingBack.release(true);
  }
});

test('a user who regains a stream has no muted topics there, even if a mute was running', async () => {
  const { ann, dan } = all.people;
  const { pool } = all.all;
  await all.join('ann', ['ajar']);
  const id = await all.streamId('ajar');
  const change = { stream_id: id, op: 'add' };
  const muteTopic = (topic: string) =>
    dan.client.patch('users/me/subscriptions/muted_topics', { ...change, topic });
  await muteTopic('before');
  const queue = await ReadQueue.open(dan, { event_types: ['muted_topics', 'stream'] });
  expect(queue.state['muted_topics']).toEqual([['ajar', 'before']]);
  const holdingBack = await pool.connect();
  try {
    await holdingBack.query('BEGIN');
    await holdingBack.query({
      text: 'SELECT FROM users WHERE id = $1 FOR UPDATE',
      values: [dan.id],
    });
    const muting = muteTopic('meanwhile').then(
      () => 'muted',
      (error: unknown) => error,
    );
    await waitUntil('the mute waits', async () => {
      const { rowCount } = await pool.query(
        "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
      );
      return (rowCount ?? 0) > 0;
    });
    await ann.client.patch(`streams/${id}`, { is_private: true });
    await holdingBack.query('ROLLBACK');
    expect(await muting).toBeInstanceOf(RefusedRequest);
  } finally {
    holdingBack.release(true);
  }
  await ann.client.patch(`streams/${id}`, { is_private: false });
  expect(await queue.readAll()).not.toContainEqual(
    expect.objectContaining({ type: 'muted_topics' }),
  );
  const { muted_topics: muted } = await dan.client.post('register', {
    fetch_event_types: ['muted_topics'],
  });
  expect(muted).toEqual([]);
});

test('outsiders see a message exactly if the stream was public at its position', async () => {
  const { ann, bob, cat } = all.people;
  await all.join('ann', ['fickle'], { principals: [ann.email, bob.email] });
  const id = await all.streamId('fickle');
  const listening = await ReadQueue.open(cat, {
    event_types: ['message'],
    fetch_event_types: [],
    all_public_streams: true,
  });
  let isDone = false;
  const sending = (async () => {
    const sent: number[] = [];
    for (let n = 0; !isDone; n += 1)
      sent.push(await bob.client.sendToStream('fickle', `topic ${n % 2}`, `${n}`));
    return sent;
  })();
  for (let n = 0; n < 9; n += 1)
    await ann.client.patch(`streams/${id}`, { is_private: n % 2 === 0 });
  isDone = true;
  const sent = await sending;
  const { rows } = await all.all.pool.query<{ payload: string; message_id: number }>({
    text: 'SELECT payload, message_id FROM log_entries ORDER BY position',
  });
  let isPublic = true;
  const publicly: number[] = [];
  for (const row of rows) {
    const entry = JSON.parse(row.payload) as LogEntry;
    if (entry.kind === 'change') {
      for (const part of entry.events)
        if (
          part.form === 'same' &&
          part.event.type === 'stream' &&
          part.event.op === 'update' &&
          part.event.stream_id === id &&
          part.event.property === 'invite_only'
        )
          isPublic = !part.event.value;
    } else if (entry.kind === 'message.sent' && entry.stream?.id === id) {
      expect(entry.stream.isPublic).toBe(isPublic);
      if (isPublic) publicly.push(row.message_id);
    }
  }
  const receivedIds = (await listening.readAll())
    .map((event) => (event['message'] as JsonObject)['id'] as number)
    .filter((message) => sent.includes(message));
  expect(receivedIds).toEqual(publicly.filter((message) => sent.includes(message)));
  // It is private in the end, so a user who only saw it while it was public can no longer fetch anything of it.
  expect(await all.refusal('cat', 'GET', `users/me/${id}/topics`)).toMatchObject({
    msg: 'Invalid stream id',
  });
  const { ids } = await fetchMessages(cat, { narrow: [['streams', 'public']] });
  expect(ids.filter((message) => sent.includes(message))).toEqual([]);
});

test('messages delivered during joins and leaves are those held afterwards', async () => {
  const { bob, dan } = all.people;
  await all.join('bob', ['revolving'], { invite_only: true });
  const queue = await ReadQueue.open(dan, { event_types: ['message'], fetch_event_types: [] });
  let isDone = false;
  const sending = (async () => {
    for (let n = 0; !isDone; n += 1) await bob.client.sendToStream('revolving', 'x', `${n}`);
  })();
  for (let n = 0; n < 8; n += 1) {
    await all.join('bob', ['revolving'], { principals: [dan.email] });
    await all.leave('dan', ['revolving']);
  }
  isDone = true;
  await sending;
  const streamId = await all.streamId('revolving');
  const delivered = (await queue.readAll())
    .map((event) => event['message'] as JsonObject)
    .filter((message) => message['stream_id'] === streamId)
    .map((message) => message['id']);
  const { messages } = await fetchMessages(dan, { num_before: 5000 });
  expect(
    messages.filter((message) => message['stream_id'] === streamId).map(({ id }) => id),
  ).toEqual(delivered);
});

test('of two concurrent renames or creations with one name, the first succeeds', async () => {
  const { ann } = all.people;
  await all.join('bob', ['left side', 'right side']);
  const rename = async (from: string): Promise<number> => {
    const { status } = await ann.client.request('PATCH', `streams/${await all.streamId(from)}`, {
      new_name: '"middle"',
    });
    return status;
  };
  const statuses = await Promise.all([rename('left side'), rename('right side')]);
  expect(statuses.toSorted((a, b) => a - b)).toEqual([200, 400]);
  const create = async (who: Name, name: string): Promise<number> => {
    const { status } = await all.people[who].client.request('POST', 'users/me/subscriptions', {
      subscriptions: [{ name }],
      invite_only: true,
    });
    return status;
  };
  // The second one finds a private stream, which that user may not join.
  const created = await Promise.all([create('bob', 'twin'), create('cat', 'Twin')]);
  expect(created.toSorted((a, b) => a - b)).toEqual([200, 400]);
  const { rows } = await all.all.pool.query<{ count: number }>({
    text: "SELECT count(*)::int AS count FROM streams WHERE name_folded = 'TWIN'",
  });
  expect(rows[0]?.count).toBe(1);
});

test('a user who loses a stream while listing subscriptions gets no later subscribers', async () => {
  const { bob, cat } = all.people;
  await all.join('bob', ['passing'], { invite_only: true });
  const id = await all.streamId('passing');
  const changing = await all.all.pool.connect();
  try {
    await changing.query('BEGIN');
    await changing.query('LOCK TABLE membership_periods IN ACCESS EXCLUSIVE MODE');
    const listing = bob.client.get('users/me/subscriptions', { include_subscribers: true });
    await waitUntil('the list waits for its subscribers', async () => {
      const { rows } = await all.all.pool.query<{ waiting: number }>(
        `SELECT count(*)::int AS waiting FROM pg_stat_activity
         WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%array_agg(u.email%'`,
      );
      return (rows[0]?.waiting ?? 0) > 0;
    });
    // Bob leaves and Cat joins.
    await changing.query({
      text: 'UPDATE membership_periods SET user_id = $1 WHERE user_id = $2 AND stream_id = $3',
      values: [cat.id, bob.id, id],
    });
    await changing.query('COMMIT');
    const listed = readObjects(await listing, 'subscriptions');
    expect(listed.find(({ name }) => name === 'passing')?.['subscribers']).toEqual([bob.email]);
  } finally {
    changing.release(true);
  }
});
