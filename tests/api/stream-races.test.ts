/** Simultaneous changes of streams, on two replicas: clients that apply events stay correct, and nobody sees hidden data. */
import type { LogEntry } from '@parley/event-log';
import { RefusedRequest, readObjects } from '@parley/test-kit';
import type { JsonObject } from '@parley/test-kit';
import { expect, test } from 'vitest';

import { meetTransaction } from '../support/held-transaction.ts';
import { useFixture } from '../support/use-fixture.ts';
import { FollowedQueue } from './follow-queue.ts';
import { fetchMessages } from './message-fixture.ts';
import { expectOneSuccess } from './refusals.ts';
import { StreamFixture } from './stream-fixture.ts';
import type { Name } from './stream-fixture.ts';
import { StreamLists } from './stream-lists.ts';

const all = useFixture(() => StreamFixture.start());

const stateOf = {
  fetch_event_types: ['stream', 'subscription'],
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
  const opened = await Promise.all(
    (
      [
        [ann, 'administrator'],
        [cat, 'member'],
      ] as const
    ).map(async ([{ id, client }, role]) => {
      const queue = await FollowedQueue.open(client, stateOf);
      return { client, queue, lists: new StreamLists({ id, role }, queue.state) };
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
  for (const { client, queue, lists } of opened) {
    for (const event of await queue.read()) lists.apply(event);
    const now = await client.post('register', stateOf);
    expect(lists.seen()).toEqual(new StreamLists(lists.account, now).seen());
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
  const listening = await FollowedQueue.open(cat.client, { event_types: ['subscription'] });
  let first = 0;
  await meetTransaction(
    pool,
    (holder) =>
      holder.query(
        'INSERT INTO membership_periods (user_id, stream_id, from_change_id) VALUES ($1, $2, 1)',
        [cat.id, id],
      ),
    () => all.join('cat', ['quiet']),
    async (holder) => {
      first = await bob.client.sendToStream('quiet', 'x', 'the first');
      await holder.query('ROLLBACK');
    },
  );
  const [added] = await listening.read();
  expect(added).toMatchObject({ op: 'add', subscriptions: [{ first_message_id: first }] });
});

test('a subscriber who leaves while a message is sent learns that it is read', async () => {
  const { bob, cat } = all.people;
  const { pool } = all.all;
  await all.join('bob', ['goodbye'], { principals: [bob.email, cat.email] });
  const before = await bob.client.sendToStream('goodbye', 'x', 'before the list');
  const id = await all.streamId('goodbye');
  const listening = await FollowedQueue.open(cat.client, {
    event_types: ['message', 'update_message_flags'],
  });
  let meanwhile = 0;
  await meetTransaction(
    pool,
    // When a leave reaches this row, it has already listed the unread messages.
    (holder) =>
      holder.query(
        'INSERT INTO read_stream_floors (user_id, stream_id, message_id) VALUES ($1, $2, 0)',
        [cat.id, id],
      ),
    () => all.leave('cat', ['goodbye']),
    async (holder) => {
      meanwhile = await bob.client.sendToStream('goodbye', 'x', 'meanwhile');
      await holder.query('ROLLBACK');
    },
  );
  // Notices about the subscription and earlier changes of streams arrive at no fixed time.
  const [sent, read] = (await listening.read()).filter(
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
  const queue = await FollowedQueue.open(dan.client, {
    event_types: ['muted_topics', 'stream'],
    fetch_event_types: ['muted_topics'],
  });
  expect(queue.state['muted_topics']).toEqual([['ajar', 'before']]);
  const muting = meetTransaction(
    pool,
    (holder) => holder.query('SELECT FROM users WHERE id = $1 FOR UPDATE', [dan.id]),
    () => muteTopic('meanwhile'),
    () => ann.client.patch(`streams/${id}`, { is_private: true }),
  );
  await expect(muting).rejects.toBeInstanceOf(RefusedRequest);
  await ann.client.patch(`streams/${id}`, { is_private: false });
  expect(await queue.read()).not.toContainEqual(expect.objectContaining({ type: 'muted_topics' }));
  const { muted_topics: muted } = await dan.client.post('register', {
    fetch_event_types: ['muted_topics'],
  });
  expect(muted).toEqual([]);
});

test('outsiders see a message exactly if the stream was public at its position', async () => {
  const { ann, bob, cat } = all.people;
  await all.join('ann', ['fickle'], { principals: [ann.email, bob.email] });
  const id = await all.streamId('fickle');
  const listening = await FollowedQueue.open(cat.client, {
    event_types: ['message'],
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
  const receivedIds = (await listening.read())
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
  const queue = await FollowedQueue.open(dan.client, { event_types: ['message'] });
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
  const delivered = (await queue.read())
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
  const paths = [await all.streamId('left side'), await all.streamId('right side')];
  await expectOneSuccess(
    paths.map((id) => ann.client.patch(`streams/${id}`, { new_name: '"middle"' })),
    "Stream name 'middle' is already taken.",
  );
  // The second one finds a private stream, which that user may not join.
  const created = await Promise.allSettled([
    all.join('bob', ['twin'], { invite_only: true }),
    all.join('cat', ['Twin'], { invite_only: true }),
  ]);
  expect(created.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
  const { rows } = await all.all.pool.query<{ count: number }>({
    text: "SELECT count(*)::int AS count FROM streams WHERE name_folded = 'TWIN'",
  });
  expect(rows[0]?.count).toBe(1);
});

test('a user who loses a stream while listing subscriptions gets no later subscribers', async () => {
  const { bob, cat } = all.people;
  await all.join('bob', ['passing'], { invite_only: true });
  const id = await all.streamId('passing');
  const listed = await meetTransaction(
    all.all.pool,
    (holder) => holder.query('LOCK TABLE membership_periods IN ACCESS EXCLUSIVE MODE'),
    () => bob.client.get('users/me/subscriptions', { include_subscribers: true }),
    // Bob leaves and Cat joins.
    (holder) =>
      holder.query(
        'UPDATE membership_periods SET user_id = $1 WHERE user_id = $2 AND stream_id = $3',
        [cat.id, bob.id, id],
      ),
  );
  const passing = readObjects(listed, 'subscriptions').find(({ name }) => name === 'passing');
  expect(passing?.['subscribers']).toEqual([bob.email]);
});
