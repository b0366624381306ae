/** Events about several streams, and PATCH of subscriptions (reference facts, streams 5, 10.3 and 11); for one stream see event-types-streams.test.ts. */
import { readObjects } from '@parley/test-kit';
import type { JsonObject } from '@parley/test-kit';
import { beforeEach, describe, expect, test } from 'vitest';

import { useFixture } from '../support/use-fixture.ts';
import { StreamFixture, coded, uncoded } from './stream-fixture.ts';

const all = useFixture(() => StreamFixture.start());
beforeEach(async () => {
  await all.queues.read();
});

const path = 'users/me/subscriptions';

describe('joining', () => {
  test('several streams have all their new subscribers, who get one event', async () => {
    await all.join('bob', ['full']);
    await all.queues.read();
    await all.join('cat', ['full', 'second'], {
      principals: ['cat@example.com', 'dan@example.com', 'bob@example.com'],
    });
    const { bob, cat, dan } = await all.queues.read();
    const added = (events: readonly JsonObject[] = []): JsonObject[] =>
      events
        .filter((event) => event['op'] === 'add')
        .flatMap((event) => event['subscriptions'] as JsonObject[]);
    const ids = [all.people.bob.id, all.people.cat.id, all.people.dan.id].toSorted((a, b) => a - b);
    expect(added(cat).map(({ name, subscribers }) => ({ name, subscribers }))).toEqual([
      { name: 'full', subscribers: ids },
      { name: 'second', subscribers: ids },
    ]);
    expect(added(dan)).toHaveLength(2);
    expect(added(bob).map(({ name }) => name)).toEqual(['second']);
  });

  test('joining again, or an empty request, sends nothing', async () => {
    await all.join('bob', ['again']);
    await all.queues.read();
    expect(await all.join('bob', ['again', 'AGAIN'])).toMatchObject({
      subscribed: {},
      already_subscribed: { 'bob@example.com': ['again'] },
    });
    expect(await all.join('bob', [])).toMatchObject({ subscribed: {}, already_subscribed: {} });
    expect(await all.kinds()).toEqual({});
  });
});

describe('leaving', () => {
  test('what was marked unread by hand becomes read too', async () => {
    const { bob, cat } = all.people;
    await all.join('bob', ['reread']);
    const id = await cat.client.sendToStream('reread', 'x', 'one');
    const flags = async (): Promise<unknown> => {
      const answer = await bob.client.get('messages', {
        anchor: id,
        num_before: 0,
        num_after: 0,
        narrow: [['stream', 'reread']],
      });
      return readObjects(answer, 'messages')[0]?.['flags'];
    };
    for (const op of ['add', 'remove'])
      await bob.client.post('messages/flags', { messages: [id], op, flag: 'read' });
    expect(await flags()).toEqual([]);
    await all.leave('bob', ['reread']);
    expect(await flags()).toEqual(['read']);
    await all.queues.read();
  });

  test('several streams send one remove, and one list of read messages each', async () => {
    await all.join('dan', ['one', 'two', 'three']);
    const unread = await all.people.cat.client.sendToStream('two', 'x', 'unread');
    await all.queues.read();
    await all.leave('dan', ['one', 'two', 'three']);
    const { dan = [] } = await all.queues.read();
    expect(dan[0]).toMatchObject({ op: 'remove', subscriptions: [{}, {}, {}] });
    expect(dan[1]).toMatchObject({ type: 'stream', op: 'vacate', streams: [{}, {}, {}] });
    const lists = dan.slice(2).map((event) => event['messages'] as number[]);
    expect(lists).toHaveLength(3);
    expect(lists.filter((list) => list.includes(unread))).toHaveLength(1);
    const unreadNow = await all.people.dan.client.get('messages', {
      anchor: 'newest',
      num_before: 10,
      num_after: 0,
      narrow: [
        ['is', 'unread'],
        ['stream', 'two'],
      ],
    });
    expect(unreadNow['messages']).toEqual([]);
  });

  test('naming a stream that was left before also marks its unread messages as read', async () => {
    const { bob, cat } = all.people;
    await all.join('bob', ['earlier', 'later']);
    const unread = await cat.client.sendToStream('earlier', 'x', 'unread again');
    await all.leave('bob', ['earlier']);
    await bob.client.flag([unread], 'read', 'remove');
    await all.queues.read();
    expect(await all.leave('bob', ['earlier', 'later'])).toMatchObject({
      removed: ['later'],
      not_subscribed: ['earlier'],
    });
    const { bob: events = [] } = await all.queues.read();
    const lists = events.filter(({ type }) => type === 'update_message_flags');
    expect(lists).toMatchObject([{ messages: [unread] }, { operation: 'add', flag: 'read' }]);
    const { messages } = await bob.client.get('messages', {
      anchor: unread,
      num_before: 0,
      num_after: 0,
    });
    expect(messages).toMatchObject([{ id: unread, flags: ['read'] }]);
  });

  test('the list is complete however many messages are unread', async () => {
    await all.join('cat', ['flood']);
    const streamId = await all.streamId('flood');
    const sent: number[] = [];
    for (let n = 0; n < 1_050; n += 50) {
      const ids = await Promise.all(
        Array.from({ length: 50 }, (_, k) =>
          all.people.dan.client.sendToStream('flood', `topic ${(n + k) % 3}`, `${n + k}`),
        ),
      );
      sent.push(...ids);
    }
    await all.queues.read();
    await all.leave('cat', ['flood']);
    const { cat = [] } = await all.queues.read();
    expect(cat.map((event) => event['op'])).toEqual(['remove', 'vacate', 'add']);
    const listed = cat[2]?.['messages'] as number[];
    expect(sent.filter((id) => !listed.includes(id))).toEqual([]);
    expect(listed).toEqual(listed.toSorted((a, b) => a - b));
    const { rows } = await all.all.pool.query<{ id: number }>({
      text: 'SELECT id FROM messages WHERE stream_id = $1 ORDER BY id',
      values: [streamId],
    });
    expect(listed).toEqual(rows.map(({ id }) => id));
  });
});

describe('PATCH users/me/subscriptions', () => {
  const change = (who: 'bob' | 'guest', parameters: object): Promise<JsonObject> =>
    all.people[who].client.patch(path, parameters as JsonObject);

  test('joins, then leaves, and returns both results', async () => {
    await all.join('bob', ['leaving', 'held']);
    await all.queues.read();
    expect(
      await change('bob', {
        add: [{ name: 'coming', color: '#abc' }, { name: 'held' }],
        delete: ['leaving', 'fences', 'LEAVING'],
      }),
    ).toEqual({
      result: 'success',
      msg: '',
      subscribed: { 'bob@example.com': ['coming'] },
      already_subscribed: { 'bob@example.com': ['held'] },
      removed: ['leaving', 'fences'],
      not_subscribed: [],
      not_removed: [],
    });
    await all.join('bob', ['fences']);
    const { bob = [] } = await all.queues.read();
    expect(
      bob.map((event) => `${String(event['type'])}/${String(event['op'])}`).slice(0, 6),
    ).toEqual([
      'stream/create',
      'stream/occupy',
      'subscription/add',
      'subscription/remove',
      'stream/vacate',
      'update_message_flags/add',
    ]);
    expect(
      await change('bob', { add: [{ name: 'coming' }], authorization_errors_fatal: false }),
    ).toMatchObject({ unauthorized: [], removed: [] });
  });

  test('a stream that is both joined and left is left', async () => {
    expect(await change('bob', { add: [{ name: 'brief' }], delete: ['brief'] })).toMatchObject({
      subscribed: { 'bob@example.com': ['brief'] },
      removed: ['brief'],
    });
    const { bob = [], cat = [] } = await all.queues.read();
    expect(bob.map((event) => event['op'])).toEqual([
      'create',
      'occupy',
      'add',
      'remove',
      'vacate',
      'add',
    ]);
    expect(cat.map((event) => event['op'])).toEqual([
      'create',
      'occupy',
      'peer_add',
      'peer_remove',
      'vacate',
    ]);
    await all.people.cat.client.sendToStream('brief', 'x', 'unseen');
    // Private notices about earlier changes may still arrive.
    const messages = (await all.queues.readWithMessages()).bob ?? [];
    expect(messages.map(({ message }) => message)).not.toContainEqual(
      expect.objectContaining({ display_recipient: 'brief' }),
    );
  });

  test('a stream created and emptied in one request is vacated with its first message', async () => {
    await change('bob', { add: [{ name: 'fleeting' }], delete: ['fleeting'] });
    const { cat = [] } = await all.queues.read();
    const { streams } = (await all.people.cat.client.get('streams')) as { streams: JsonObject[] };
    const first = streams.find(({ name }) => name === 'fleeting')?.['first_message_id'];
    expect(first).toEqual(expect.any(Number));
    expect(cat.filter(({ type }) => type === 'stream')).toMatchObject([
      { op: 'create', streams: [{ name: 'fleeting', first_message_id: null }] },
      { op: 'occupy', streams: [{ name: 'fleeting', first_message_id: null }] },
      { op: 'vacate', streams: [{ name: 'fleeting', first_message_id: first }] },
    ]);
  });

  test('a user who joins and leaves in one request is a subscriber in between, for all clients', async () => {
    const { ann, bob, cat } = all.people;
    await all.join('ann', ['passage']);
    await all.queues.read();
    await ann.client.patch(path, {
      add: [{ name: 'passage' }],
      delete: ['passage'],
      principals: [bob.email, cat.email],
    });
    const read = await all.queues.read();
    const subscribers = [ann.id, bob.id, cat.id].toSorted((a, b) => a - b);
    for (const [who, other] of [
      ['bob', cat],
      ['cat', bob],
    ] as const)
      expect(read[who]).toMatchObject([
        { op: 'add', subscriptions: [{ name: 'passage', subscribers }] },
        { op: 'remove', subscriptions: [{ name: 'passage' }] },
        { op: 'peer_remove', user_id: other.id },
        { type: 'update_message_flags' },
      ]);
    expect(read.dan?.map(({ op, user_id: userId }) => [op, userId])).toEqual([
      ['peer_add', bob.id],
      ['peer_add', cat.id],
      ['peer_remove', bob.id],
      ['peer_remove', cat.id],
    ]);
  });

  test('without both lists there is nothing to do', async () => {
    const nothing = uncoded('Nothing to do. Specify at least one of "add" or "delete".');
    expect(await all.refusal('bob', 'PATCH', path)).toEqual(nothing);
    expect(await all.refusal('bob', 'PATCH', path, { add: [], delete: [] })).toEqual(nothing);
  });

  test('a refusal of either half changes nothing', async () => {
    expect(
      await all.refusal('bob', 'PATCH', path, { add: [{ name: 'never' }], delete: ['nowhere'] }),
    ).toMatchObject({ code: 'STREAM_DOES_NOT_EXIST', stream: 'nowhere' });
    expect(await all.stream('never')).toBe(undefined);
    expect(
      await all.refusal('bob', 'PATCH', path, {
        add: [{ name: 'never' }],
        delete: ['fences'],
        principals: ['cat@example.com'],
      }),
    ).toEqual(uncoded('This action requires administrative rights'));
    expect(await all.stream('never')).toBe(undefined);
    expect(await all.kinds()).toEqual({});
  });

  test('invalid shapes are refused with the documented texts, guests before anything else', async () => {
    const check = (parameters: JsonObject): Promise<JsonObject> =>
      all.refusal('bob', 'PATCH', path, parameters);
    for (const [parameters, msg] of [
      [{ add: ['x'] }, 'add[0] is not a dict'],
      [{ add: [{}] }, 'name key is missing from add[0]'],
      [{ add: [{ name: 1 }] }, 'add[0]["name"] is not a string'],
      [{ add: [{ name: 'x', color: 'red' }] }, 'add[0]["color"] is not a valid hex color code'],
      [{ delete: [1] }, 'delete[0] is not a string'],
      [{ delete: [''] }, "Invalid stream name ''"],
      [{ add: [{ name: 'a\0b' }] }, "Stream name 'a\0b' contains NULL (0x00) characters."],
    ] satisfies [JsonObject, string][])
      expect(await check(parameters)).toEqual(coded(msg));
    expect(await check({ add: [{ name: 'x', description: 'a\0b' }] })).toMatchObject({
      code: 'REQUEST_VARIABLE_INVALID',
    });
    expect(await all.refusal('guest', 'PATCH', path, { delete: ['fences'] })).toEqual(
      coded('Not allowed for guest users'),
    );
  });
});
