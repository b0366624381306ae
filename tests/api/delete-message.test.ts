/** DELETE messages/<id>: who may delete, what is deleted, who gets the event, and what stays correct for everybody else. */
import { addAlertWords } from '@parley/store';
import type { JsonObject } from '@parley/test-kit';
import { RefusedRequest, readObjects } from '@parley/test-kit';
import { beforeEach, describe, expect, test } from 'vitest';

import { anyNumber } from '../support/matchers.ts';
import { useFixture } from '../support/use-fixture.ts';
import { ChangeFixture, invalidMessage } from './change-fixture.ts';
import type { Name } from './change-fixture.ts';
import { fetchMessages } from './message-fixture.ts';
import { expectRefusal, success } from './refusals.ts';

let message: number;
const fixture = useFixture(() => ChangeFixture.start(['delete_message', 'update_message']));
beforeEach(async () => {
  message = await fixture.send('bob', 'lunch', 'hi');
});

const noPermission = "You don't have permission to delete this message";
const tooLate = 'The time limit for deleting this message has passed';
const subscribers: readonly Name[] = ['ann', 'bob', 'dan', 'fay', 'member guest'];

const deletion = (id: number, more: object): unknown => ({
  type: 'delete_message',
  message_id: id,
  sender: 'bob@example.com',
  sender_id: fixture.people.bob.id,
  ...more,
});

/** The number of rows in each table that refer to the message. */
async function rowsOf(id: number): Promise<JsonObject> {
  const tables = {
    messages: 'id',
    message_flags: 'message_id',
    late_receipts: 'message_id',
    read_exceptions: 'message_id',
    reactions: 'message_id',
    submessages: 'message_id',
    message_edits: 'message_id',
    message_uploads: 'message_id',
  };
  const counts = Object.entries(tables).map(
    ([table, column]) => `(SELECT count(*) FROM ${table} WHERE ${column} = $1) AS ${table}`,
  );
  const { rows } = await fixture.all.pool.query<JsonObject>({
    text: `SELECT ${counts.join(', ')}`,
    values: [id],
  });
  return rows[0] ?? {};
}

describe('who may', () => {
  test('administrators every message that they can see; others none, unless the organization permits it', async () => {
    for (const who of ['bob', 'fay', 'cat', 'member guest'] as const)
      await expectRefusal(fixture.remove(who, message), noPermission);
    expect(await fixture.remove('ann', message)).toEqual(success);
    await expectRefusal(fixture.remove('ann', message), invalidMessage);
    await expectRefusal(fixture.remove('bob', message), invalidMessage);
  });

  test('senders their own within the limit, without grace; 0 means no limit; administrators always', async () => {
    await fixture.withSettings({ allow_message_deleting: true }, async () => {
      await expectRefusal(fixture.remove('fay', message), noPermission);
      await fixture.age([message], 605);
      await expectRefusal(fixture.remove('bob', message), tooLate);
      await fixture.age([message], 590);
      expect(await fixture.remove('bob', message)).toEqual(success);
      const old = await fixture.send('bob', 'lunch', 'old');
      await fixture.age([old], 10_000_000);
      await expectRefusal(fixture.remove('bob', old), tooLate);
      expect(await fixture.remove('ann', old)).toEqual(success);
    });
    const settings = { allow_message_deleting: true, message_content_delete_limit_seconds: 0 };
    await fixture.withSettings(settings, async () => {
      const old = await fixture.send('bot', 'lunch', 'beep');
      await fixture.age([old], 10_000_000);
      await expectRefusal(fixture.remove('bob', old), noPermission);
      expect(await fixture.remove('bot', old)).toEqual(success);
    });
  });

  test('nobody an invisible message, not even administrators', async () => {
    const secret = await fixture.send('bob', 'lunch', 'hi', 'secret');
    const pair = await fixture.people.bob.client.sendPrivately(
      [fixture.people.cat.email],
      'between us',
    );
    await expectRefusal(fixture.remove('cat', secret), invalidMessage);
    for (const id of [pair, 999_999])
      await expectRefusal(fixture.remove('ann', id), invalidMessage);
    expect(await fixture.raw('bob', pair)).toBe('between us');
  });
});

describe('a deletion removes', () => {
  test('the message with everything attached to it, for everybody at once', async () => {
    const { ann, cat, dan, fay } = fixture.people;
    await addAlertWords(fixture.all.pool, fay.id, ['herring']);
    const id = await fixture.send('bob', 'lunch', '/poll herring?\nyes\nno');
    await fixture.edit('bob', id, { content: '@**Fay Here** @**Robo Bot** herring' });
    await cat.client.flag([id], 'starred');
    await dan.client.flag([id], 'read');
    await dan.client.flag([id], 'read', 'remove');
    await fay.client.post(`messages/${id}/reactions`, { emoji_name: 'tada' });
    const before = await rowsOf(id);
    for (const table of [
      'messages',
      'message_flags',
      'late_receipts',
      'read_exceptions',
      'reactions',
      'submessages',
      'message_edits',
    ])
      expect([table, before[table]]).not.toEqual([table, 0]);
    await ann.client.delete(`messages/${id}`);
    expect(Object.values(await rowsOf(id))).toEqual(Object.values(before).map(() => 0));
    for (const who of ['ann', 'bob', 'cat', 'bot'] as const) {
      expect(await fixture.fetched(who, id)).toBeUndefined();
      for (const path of [`messages/${id}`, `messages/${id}/history`])
        await expectRefusal(fixture.people[who].client.get(path), invalidMessage);
      await expectRefusal(fixture.edit(who, id, { content: 'x' }), invalidMessage);
      await expectRefusal(fixture.people[who].client.flag([id], 'starred'), invalidMessage);
      const reaction = { emoji_name: 'tada' };
      await expectRefusal(
        fixture.people[who].client.post(`messages/${id}/reactions`, reaction),
        invalidMessage,
      );
    }
    expect(Object.values(await rowsOf(id))).toEqual(Object.values(before).map(() => 0));
  });

  test('neither its id nor the key of its send: a repeat returns the id and sends nothing', async () => {
    const parameters = { type: 'stream', to: 'Denmark', topic: 'lunch', content: 'once' };
    const options = { headers: { 'idempotency-key': 'deleted later' } };
    const sent = await fixture.people.bob.client.post('messages', parameters, options);
    await fixture.remove('ann', sent['id'] as number);
    await fixture.queues.read();
    const again = await fixture.people.bob.client.post('messages', parameters, options);
    expect(again['id']).toBe(sent['id']);
    expect(Object.values(await fixture.queues.readWithMessages()).flat()).toEqual([]);
    expect(await fixture.fetched('bob', again['id'] as number)).toBeUndefined();
    expect(await fixture.send('bob', 'lunch', 'next')).toBeGreaterThan(again['id'] as number);
  });

  test('it from unread counts, the first unread message and the newest message', async () => {
    const { fay } = fixture.people;
    const topic = 'counting';
    const first = await fixture.send('bob', topic, 'one');
    const second = await fixture.send('bob', topic, 'two @**Fay Here**');
    const third = await fixture.send('bob', topic, 'three');
    const ids = [first, second, third];
    const registered = async (): Promise<{ max: unknown; topics: unknown; mentions: unknown }> => {
      const answer = await fay.client.post('register', {
        fetch_event_types: ['message', 'update_message_flags'],
      });
      const unread = answer['unread_msgs'] as JsonObject;
      return {
        max: answer['max_message_id'],
        topics: readObjects(unread, 'streams').filter((entry) => entry['topic'] === topic),
        mentions: unread['mentions'],
      };
    };
    const entry = (unread: readonly number[]): unknown => ({
      stream_id: anyNumber,
      topic,
      sender_ids: [fixture.people.bob.id],
      unread_message_ids: unread,
    });
    expect(await registered()).toMatchObject({ max: third, topics: [entry(ids)] });
    await fixture.remove('ann', third);
    const after = await registered();
    expect(after).toMatchObject({ max: second, topics: [entry([first, second])] });
    expect(after.mentions).toContain(second);
    await fay.client.flag([first], 'read');
    await fixture.remove('ann', second);
    expect((await registered()).topics).toEqual([]);
    expect((await registered()).mentions).not.toContain(second);
    await fixture.remove('ann', first);
    expect((await fetchMessages(fay, { narrow: [['topic', topic]] })).ids).toEqual([]);
    const next = await fixture.send('bob', topic, 'four');
    expect((await registered()).topics).toEqual([entry([next])]);
  });
});

describe('an event goes', () => {
  test('for a stream message once to each holder, and to nobody else', async () => {
    await fixture.leave('dan', 'Denmark');
    await fixture.join('eve', 'Denmark');
    await fixture.queues.read();
    try {
      await fixture.people.cat.client.flag([message], 'starred');
      await fixture.remove('ann', message);
      expect(await fixture.queues.read()).toEqual(
        Object.fromEntries(
          [...subscribers, 'cat'].map((name) => [
            name,
            [deletion(message, { message_type: 'stream', stream_id: anyNumber, topic: 'lunch' })],
          ]),
        ),
      );
    } finally {
      await fixture.join('dan', 'Denmark');
      await fixture.leave('eve', 'Denmark');
      await fixture.queues.read();
    }
  });
});

test('only once if many delete the message at the same time', async () => {
  const answers = await Promise.all(
    Array.from({ length: 8 }, () =>
      fixture.remove('ann', message).then(
        () => 'deleted',
        (error: unknown) => {
          if (error instanceof RefusedRequest && error.status === 400) return error.body['msg'];
          throw error;
        },
      ),
    ),
  );
  expect(answers.filter((answer) => answer === 'deleted')).toHaveLength(1);
  for (const answer of answers)
    expect(['deleted', invalidMessage, 'Message already deleted']).toContain(answer);
  expect((await fixture.queues.read()).fay).toHaveLength(1);
});
