/** Messages that wait for their time: their senders list and cancel them (decision 0023), on two replicas of each service. */
import { limits } from '@parley/api';
import { transaction } from '@parley/database';
import type { Queryable } from '@parley/database';
import { cancelDeferredMessage, takeDueDeferredMessage } from '@parley/store';
import { readObjects, settle, waitUntil } from '@parley/test-kit';
import type { JsonObject, Parameters, TestAccount } from '@parley/test-kit';
import { beforeAll, describe, expect, test } from 'vitest';

import { anyNumber } from '../support/matchers.ts';
import { useFixture } from '../support/use-fixture.ts';
import { FollowedQueue } from './follow-queue.ts';
import { refusalOf, startMessageFixture } from './message-fixture.ts';

const path = 'scheduled_messages';
const noon = '2999-07-01T12:00:00Z';
const noonSecs = Date.parse(noon) / 1000;
const unknown = { status: 400, code: 'BAD_REQUEST', msg: 'Scheduled message does not exist' };

let denmarkId: number;
const all = useFixture(() => startMessageFixture({ messages: 2, events: 2, people: 1 }));
beforeAll(async () => {
  const { organization, ann, bob, cat, guest } = all;
  denmarkId = (await organization.makeStream('Denmark', [ann, bob, cat, guest])).id;
});

let made = 0;

async function makePerson(): Promise<TestAccount> {
  made += 1;
  return all.organization.makeAccount(`Person ${made}`);
}

async function list(account: TestAccount): Promise<readonly JsonObject[]> {
  return readObjects(await account.client.get(path), path);
}

/** @returns the id */
async function schedule(account: TestAccount, change: Parameters = {}): Promise<number> {
  const before = new Set((await list(account)).map((item) => item['scheduled_message_id']));
  await account.client.post('messages', {
    type: 'stream',
    to: 'Denmark',
    topic: 'lunch',
    content: 'hello',
    delivery_type: 'send_later',
    deliver_at: noon,
    ...change,
  });
  const added = (await list(account)).map((item) => item['scheduled_message_id']);
  return Number(added.find((id) => !before.has(id)));
}

const cancel = (account: TestAccount, id: number): Promise<unknown> =>
  account.client.delete(`${path}/${id}`);

async function letTimeCome(account: TestAccount, db: Queryable = all.pool): Promise<void> {
  await db.query({
    text: 'UPDATE deferred_messages SET due_at = parley_now() WHERE sender_id = $1',
    values: [account.id],
  });
}

async function expectNoneWaits(account: TestAccount): Promise<void> {
  await settle();
  expect(await list(account)).toEqual([]);
}

async function sentBy(account: TestAccount): Promise<string[]> {
  const { rows } = await all.pool.query<{ content: string }>({
    text: 'SELECT content FROM messages WHERE sender_id = $1 ORDER BY id',
    values: [account.id],
  });
  return rows.map(({ content }) => content);
}

describe('the list', () => {
  test('has every waiting message of its caller, in the order of their times', async () => {
    const [person, other] = [await makePerson(), await makePerson()];
    await schedule(person, { content: 'later', deliver_at: '2999-07-01T12:00:01Z' });
    const first = await schedule(person, { content: '**two** <i>' });
    await schedule(person, { type: 'private', to: [all.ann.id, other.id], content: 'to two' });
    await schedule(person, { type: 'private', to: [person.id], content: 'to myself' });
    await schedule(person, { content: 'remember', delivery_type: 'remind' });
    await schedule(other, { content: 'of another person' });
    const answer = await person.client.get(path);
    const common = {
      scheduled_message_id: anyNumber,
      scheduled_delivery_timestamp: noonSecs,
      failed: false,
      delivery_type: 'send_later',
    };
    const inStream = { ...common, type: 'stream', to: denmarkId, topic: 'lunch' };
    const inPrivate = { ...common, type: 'private' };
    expect(answer).toEqual({
      result: 'success',
      msg: '',
      scheduled_messages: [
        {
          ...inStream,
          scheduled_message_id: first,
          content: '**two** <i>',
          rendered_content: '<p><strong>two</strong> &lt;i&gt;</p>',
        },
        {
          ...inPrivate,
          to: [all.ann.id, other.id],
          content: 'to two',
          rendered_content: '<p>to two</p>',
        },
        {
          ...inPrivate,
          to: [person.id],
          content: 'to myself',
          rendered_content: '<p>to myself</p>',
        },
        {
          ...inStream,
          content: 'remember',
          rendered_content: '<p>remember</p>',
          delivery_type: 'remind',
        },
        {
          ...inStream,
          content: 'later',
          rendered_content: '<p>later</p>',
          scheduled_delivery_timestamp: noonSecs + 1,
        },
      ],
    });
    const state = await person.client.post('register', { fetch_event_types: [path] });
    expect(state[path]).toEqual(answer[path]);
  });

  test('has no more than may wait', async () => {
    const person = await makePerson();
    await all.pool.query({
      text: `INSERT INTO deferred_messages (send_key, content_hash, sender_id, is_reminder, stream_id, topic, content, client, deliver_at, due_at)
        SELECT 'many ' || n, '', $1, false, $2, 'x', 'x', 'x', $3, $3 FROM generate_series(1, $4::int) n`,
      values: [person.id, denmarkId, noon, limits.deferredMessagesMax + 1],
    });
    expect(await list(person)).toHaveLength(limits.deferredMessagesMax);
  });

  test.each(['guest', 'bot'] as const)('works for a %s', async (who) => {
    const account = all[who];
    const id = await schedule(account, { to: 'Denmark' });
    expect(await list(account)).toMatchObject([{ scheduled_message_id: id }]);
    expect(await refusalOf(cancel(all.bob, id))).toMatchObject(unknown);
    await cancel(account, id);
    expect(await list(account)).toEqual([]);
  });

  test('is refused to incoming-webhook bots, and keeps the messages of a deactivated account', async () => {
    const hook = await all.organization.makeAccount('Hook Bot', { owner: all.bob, botType: 2 });
    expect(await refusalOf(list(hook))).toMatchObject({ status: 401 });
    const person = await makePerson();
    const id = await schedule(person);
    await all.ann.client.delete(`users/${person.id}`);
    for (const request of [() => list(person), () => cancel(person, id)])
      expect(await refusalOf(request())).toMatchObject({ status: 401 });
    await all.ann.client.post(`users/${person.id}/reactivate`);
    await cancel(person, id);
    expect(await list(person)).toEqual([]);
  });
});

describe('a cancelled message', () => {
  test('is never sent', async () => {
    const person = await makePerson();
    const id = await schedule(person, { content: 'cancelled' });
    await schedule(person, { content: 'kept' });
    expect(await cancel(person, id)).toEqual({ result: 'success', msg: '' });
    expect(await list(person)).toMatchObject([{ content: 'kept' }]);
    await letTimeCome(person);
    await expectNoneWaits(person);
    expect(await sentBy(person)).toEqual(['kept']);
  });

  test.each([
    ['unknown', async () => 99_999_999],
    ['beyond all ids', async () => 2 ** 60],
    ["another person's", async () => schedule(all.ann)],
    [
      'cancelled',
      async () => {
        const id = await schedule(all.cat);
        await cancel(all.cat, id);
        return id;
      },
    ],
    [
      'sent',
      async () => {
        const id = await schedule(all.cat);
        await letTimeCome(all.cat);
        await expectNoneWaits(all.cat);
        return id;
      },
    ],
  ])('may not be %s before', async (_what, findId) => {
    expect(await refusalOf(cancel(all.cat, await findId()))).toMatchObject(unknown);
    for (const { scheduled_message_id: id } of await list(all.ann))
      await cancel(all.ann, Number(id));
  });

  test('may not be one that a process has taken: it is sent', async () => {
    const person = await makePerson();
    const id = await schedule(person);
    const refusal = await transaction(all.pool, async (client) => {
      await letTimeCome(person, client);
      expect(await takeDueDeferredMessage(client)).toMatchObject({ id });
      const refused = refusalOf(cancel(person, id));
      await waitUntil('the cancellation waits for it', async () => {
        const { rows } = await client.query(
          `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
        );
        return rows.length > 0;
      });
      return { refused };
    });
    expect(await refusal.refused).toMatchObject({
      status: 400,
      code: 'BAD_REQUEST',
      msg: 'Scheduled message is already being sent',
    });
    expect(await list(person)).toHaveLength(1);
    await letTimeCome(person);
    await expectNoneWaits(person);
    expect(await sentBy(person)).toEqual(['hello']);
  });

  test('is not taken while it is being cancelled', async () => {
    const person = await makePerson();
    const id = await schedule(person);
    await transaction(all.pool, async (client) => {
      // Nobody else sees its time before it is gone.
      await letTimeCome(person, client);
      expect(await cancelDeferredMessage(client, { id, senderId: person.id })).toBe('cancelled');
      expect(await takeDueDeferredMessage(all.pool)).toBeUndefined();
    });
    expect(await list(person)).toEqual([]);
    expect(await sentBy(person)).toEqual([]);
  });

  test('at its time is either cancelled or sent, never both and never neither', async () => {
    const wins = { cancelled: 0, sent: 0 };
    const race = async (): Promise<void> => {
      const person = await makePerson();
      const contents = Array.from({ length: 8 }, (_, n) => `message ${n}`);
      const ids: number[] = [];
      for (const content of contents) ids.push(await schedule(person, { content }));
      await letTimeCome(person);
      const sending = settle();
      const kept: string[] = [];
      // From the last, because the first is sent first.
      for (const [n, id] of [...ids.entries()].toReversed()) {
        const refusal = await cancel(person, id).then(
          () => undefined,
          (error: unknown) => refusalOf(Promise.reject(error as Error)),
        );
        if (refusal !== undefined) kept.push(contents[n] ?? '');
      }
      await sending;
      await expectNoneWaits(person);
      expect(await sentBy(person)).toEqual(kept.toReversed());
      wins.sent += kept.length;
      wins.cancelled += contents.length - kept.length;
    };
    await waitUntil('both have won several times', async () => {
      await Promise.all(Array.from({ length: 4 }, race));
      return wins.cancelled >= 5 && wins.sent >= 5;
    });
  });
});

describe('events', () => {
  test('reach exactly the queues of the sender: added, cancelled, sent, refused', async () => {
    const person = await makePerson();
    const options = { event_types: [path] };
    const own = [
      await FollowedQueue.open(person.client, options),
      await FollowedQueue.open(person.client, options),
    ];
    const others = await Promise.all(
      [all.ann, all.bob, all.guest].map(({ client }) => FollowedQueue.open(client, options)),
    );
    const { id: doomedId } = await all.organization.makeStream('doomed', [person]);
    const cancelled = await schedule(person, { content: 'cancelled' });
    const sent = await schedule(person, { content: 'sent' });
    const refused = await schedule(person, { content: 'refused', to: 'doomed' });
    const listed = await list(person);
    await cancel(person, cancelled);
    await all.pool.query({
      text: 'UPDATE streams SET is_deactivated = true, version = version + 1 WHERE id = $1',
      values: [doomedId],
    });
    await letTimeCome(person);
    await expectNoneWaits(person);
    const added = listed.map((item) => ({ type: path, op: 'add', scheduled_messages: [item] }));
    const removed = [cancelled, sent, refused].map((id) => ({
      type: path,
      op: 'remove',
      scheduled_message_id: id,
    }));
    for (const queue of own) expect(await queue.next(6)).toEqual([...added, ...removed]);
    // An event of their own shows that nothing came before it.
    for (const account of [all.ann, all.bob, all.guest]) await schedule(account);
    for (const queue of others)
      expect(await queue.next(1)).toMatchObject([
        { op: 'add', scheduled_messages: [{ content: 'hello' }] },
      ]);
  });

  test('tell of a message once, however often its request is repeated', async () => {
    const person = await makePerson();
    const queue = await FollowedQueue.open(person.client, { event_types: [path] });
    const local = { queue_id: 'a queue', local_id: '17.01' };
    const id = await schedule(person, local);
    await schedule(person, local);
    await cancel(person, id);
    expect(await queue.next(2)).toMatchObject([
      { op: 'add', scheduled_messages: [{ scheduled_message_id: id }] },
      { op: 'remove', scheduled_message_id: id },
    ]);
  });
});
