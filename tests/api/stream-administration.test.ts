/** Changing and deactivating streams, and deleting their topics (reference facts, streams 8 and 11.1). */
import { readObjects } from '@parley/test-kit';
import type { JsonObject, Parameters } from '@parley/test-kit';
import { beforeEach, describe, expect, test } from 'vitest';

import { useFixture } from '../support/use-fixture.ts';
import { fetchMessages, refusalOf } from './message-fixture.ts';
import { expectRefusal, missing } from './refusals.ts';
import { StreamFixture, coded, forEach, success, uncoded } from './stream-fixture.ts';
import type { Name } from './stream-fixture.ts';

const all = useFixture(() => StreamFixture.start());
beforeEach(async () => {
  await all.queues.read();
});

const members = ['ann', 'bob', 'cat', 'dan', 'bot'] as const;
const invalidId = coded('Invalid stream id');

/** Makes a stream with members, and returns its id. */
async function make(name: string, who: readonly Name[], options = {}): Promise<number> {
  const stream = await all.all.organization.makeStream(
    name,
    who.map((key) => all.people[key]),
    options,
  );
  return stream.id;
}

const change = (id: number, parameters: Parameters): Promise<JsonObject> =>
  all.people.ann.client.patch(`streams/${id}`, parameters);

describe('PATCH streams/<stream_id>', () => {
  test('a description is one line, and rendered', async () => {
    const id = await make('described', ['bob', 'guest']);
    expect(await change(id, { description: '"a\\n*b*"', stream_id: 1 })).toEqual(success);
    expect(await all.stream('described')).toMatchObject({
      description: 'a *b*',
      rendered_description: '<p>a <em>b</em></p>',
    });
    await all.queues.read();
    // Raw text is accepted; an unchanged value is announced again.
    await change(id, { description: 'a *b*' });
    expect((await all.kinds()).cat).toEqual(['stream/update description']);
    await expectRefusal(
      change(id, { description: JSON.stringify('x'.repeat(1025)) }),
      'description is too long (limit: 1024 characters)',
    );
    expect(await change(id, { description: 'é'.repeat(1024) })).toEqual(success);
  });

  test('a description mentions nobody', async () => {
    const { ann, bob } = all.people;
    await all.all.pool.query("INSERT INTO user_groups (name, description) VALUES ('crew', '')");
    const id = await make('addressed', ['bob']);
    const names = [
      'all',
      'everyone',
      'stream',
      bob.user.fullName,
      `${bob.user.fullName}|${bob.id}`,
    ];
    for (const description of [
      ...names.flatMap((name) => [`@**${name}**`, `@_**${name}**`]),
      '> @**all**',
      '@*crew*',
    ]) {
      await change(id, { description });
      const [event] = (await all.queues.read()).ann ?? [];
      expect(event?.['rendered_description']).toMatch(/@.?<(?:strong|em)>/);
      expect(event?.['rendered_description']).not.toContain('mention');
    }
    const made = { name: 'made addressed', description: '@**all** @_**everyone**' };
    await ann.client.post('users/me/subscriptions', { subscriptions: [made] });
    expect(await all.stream(made.name)).toMatchObject({
      rendered_description: '<p>@<strong>all</strong> @_<strong>everyone</strong></p>',
    });
    await all.queues.read();
  });

  test('a new name is that of the stream at once, and the old one names nothing', async () => {
    const id = await make('before', ['bob']);
    expect(await change(id, { new_name: '"  after "' })).toEqual(success);
    expect(await all.people.cat.client.get('get_stream_id', { stream: 'AFTER' })).toMatchObject({
      stream_id: id,
    });
    await all.people.cat.client.sendToStream('after', 'x', 'x');
    expect(await refusalOf(all.people.cat.client.sendToStream('before', 'x', 'x'))).toMatchObject({
      code: 'STREAM_DOES_NOT_EXIST',
    });
  });

  test('refuses names that are equal, taken, empty, too long or contain NUL; letter case may change', async () => {
    const id = await make('Mine', ['bob']);
    await make('theirs', ['bob']);
    await make('their secret', ['bob'], { inviteOnly: true });
    const rename = (name: string): Promise<JsonObject> =>
      change(id, { new_name: JSON.stringify(name) });
    await expectRefusal(rename(' Mine '), uncoded('Stream already has that name!'));
    await expectRefusal(rename('THEIRS'), "Stream name 'THEIRS' is already taken.");
    await expectRefusal(rename('their secret'), "Stream name 'their secret' is already taken.");
    await expectRefusal(rename('  '), "Invalid stream name ''");
    await expectRefusal(rename('x'.repeat(61)), 'Stream name too long (limit: 60 characters).');
    await expectRefusal(rename('a\0b'), "Stream name 'a\0b' contains NULL (0x00) characters.");
    expect(await change(id, { new_name: '"MINE"' })).toEqual(success);
    expect(await all.stream('MINE')).toBeDefined();
  });

  test('announcement-only: administrators send, others are refused', async () => {
    const id = await make('notices', ['bob']);
    expect(await change(id, { is_announcement_only: true })).toEqual(success);
    await expectRefusal(
      all.people.bob.client.sendToStream('notices', 'x', 'x'),
      'Only organization administrators can send to this stream.',
    );
    await all.people.ann.client.sendToStream('notices', 'x', 'x');
  });

  test('a stream that becomes private is removed for outsiders', async () => {
    const id = await make('closing', ['bob', 'guest']);
    const sent = await all.people.bob.client.sendToStream('closing', 'x', 'open');
    expect(await change(id, { is_private: true })).toEqual(success);
    expect(await all.kinds()).toEqual({
      ...forEach(['ann', 'bob', 'guest'], ['stream/update invite_only']),
      ...forEach(['cat', 'dan', 'bot'], ['stream/delete']),
    });
    await change(id, { description: 'still told' }).catch(() => undefined);
    const after = await all.people.bob.client.sendToStream('closing', 'x', 'closed');
    for (const who of ['cat', 'ann'] as const) {
      expect(await all.refusal(who, 'GET', `users/me/${id}/topics`)).toEqual(invalidId);
      for (const message of [sent, after])
        expect(await all.refusal(who, 'GET', `messages/${message}`)).toMatchObject({
          msg: 'Invalid message(s)',
        });
    }
    // Members keep the messages that they hold.
    const { ids } = await fetchMessages(all.people.guest, { narrow: [['stream', 'closing']] });
    expect(ids).toEqual([sent, after]);
    // Later members see only later messages.
    await all.join('bob', ['closing'], { principals: ['dan@example.com'] });
    const seen = await fetchMessages(all.people.dan, { narrow: [['stream', 'closing']] });
    expect(seen.ids).toEqual([]);
  });

  test('shared history is set together with privacy, and has no effect alone', async () => {
    const id = await make('history', ['ann', 'bob']);
    const sent = await all.people.bob.client.sendToStream('history', 'x', 'x');
    await all.queues.read();
    await change(id, { history_public_to_subscribers: false });
    expect(await all.kinds()).toEqual({});
    await change(id, { is_private: true, history_public_to_subscribers: true });
    expect((await all.queues.read()).bob).toEqual([
      {
        type: 'stream',
        op: 'update',
        property: 'invite_only',
        value: true,
        history_public_to_subscribers: true,
        stream_id: id,
        name: 'history',
      },
    ]);
    await all.join('bob', ['history'], { principals: ['dan@example.com'] });
    const { ids } = await fetchMessages(all.people.dan, { narrow: [['stream', 'history']] });
    expect(ids).toEqual([sent]);
    // A public stream always has shared history.
    await change(id, { is_private: false, history_public_to_subscribers: false });
    expect((await all.stream('history'))?.['history_public_to_subscribers']).toBe(true);
    const opened = await fetchMessages(all.people.cat, { narrow: [['stream', 'history']] });
    expect(opened.ids).toEqual([sent]);
    expect((await all.kinds()).cat).toEqual([
      'stream/create',
      'stream/update invite_only',
      ...Array.from({ length: 3 }, () => 'subscription/peer_add'),
    ]);
  });

  test('in a private stream that they are not in, administrators change everything except privacy', async () => {
    const id = await make('theirs alone', ['bob'], { inviteOnly: true });
    expect(await change(id, { description: 'new', is_announcement_only: true })).toEqual(success);
    expect(await all.kinds()).toEqual(
      forEach(['ann', 'bob'], ['stream/update description', 'stream/update is_announcement_only']),
    );
    for (const is_private of [true, false])
      await expectRefusal(change(id, { is_private, description: 'lost' }), invalidId);
    expect(await all.stream('theirs alone')).toMatchObject({ description: 'new' });
    expect(await all.kinds()).toEqual({});
  });

  test('an empty change does nothing, and a refusal changes nothing', async () => {
    const id = await make('quiet', ['bob']);
    await make('taken', ['bob']);
    expect(await change(id, {})).toEqual(success);
    await expectRefusal(
      change(id, { description: 'x', new_name: '"taken"' }),
      "Stream name 'taken' is already taken.",
    );
    expect(await all.stream('quiet')).toMatchObject({ description: '' });
    expect(await all.kinds()).toEqual({});
  });
});

describe('DELETE streams/<stream_id>', () => {
  const remove = (id: number): Promise<JsonObject> => all.people.ann.client.delete(`streams/${id}`);

  test('sends an event to everybody who could see a public stream, including its guests, and frees the name', async () => {
    const id = await make('doomed', ['bob', 'guest']);
    const before = await all.stream('doomed');
    const sent = await all.people.bob.client.sendToStream('doomed', 'x', 'kept');
    expect(await remove(id)).toEqual(success);
    const { cat, ...others } = await all.queues.read();
    expect(cat).toEqual([
      {
        type: 'stream',
        op: 'delete',
        streams: [{ ...before, first_message_id: sent }],
      },
    ]);
    // There are no subscription events: clients remove the stream from their lists because of this one.
    expect(others.guest).toEqual(cat);
    expect(others.bob).toEqual(cat);
    expect(await all.stream('doomed')).toBe(undefined);
    for (const who of ['bob', 'ann'] as const) {
      const { subscriptions, unsubscribed, never_subscribed } = await all.people[who].client.post(
        'register',
        { fetch_event_types: ['subscription'] },
      );
      expect(JSON.stringify([subscriptions, unsubscribed, never_subscribed])).not.toContain(
        'doomed',
      );
    }
    expect(await all.join('cat', ['doomed'])).toMatchObject({
      subscribed: { 'cat@example.com': ['doomed'] },
    });
    expect(await all.streamId('doomed')).not.toBe(id);
    // Its messages are kept for their holders.
    expect(await all.people.bob.client.get(`messages/${sent}`)).toMatchObject({
      raw_content: 'kept',
    });
  });

  test('leaves nothing unread', async () => {
    const id = await make('unread end', ['bob', 'cat']);
    const { bob, ann, cat } = all.people;
    const first = await ann.client.sendToStream('unread end', 'x', 'one');
    await cat.client.flag([first], 'read');
    await ann.client.sendToStream('unread end', 'x', 'two');
    await cat.client.unsubscribe('unread end');
    await cat.client.flag([first], 'read', 'remove');
    const unread = async (who: Name): Promise<readonly number[]> =>
      (await fetchMessages(all.people[who], { narrow: [['is', 'unread']] })).ids;
    expect(await unread('bob')).toContain(first);
    expect(await unread('cat')).toContain(first);
    await remove(id);
    expect(await unread('bob')).not.toContain(first);
    expect(await unread('cat')).not.toContain(first);
    for (const client of [bob.client, cat.client])
      expect(await refusalOf(client.flag([first], 'read', 'remove'))).toMatchObject({
        msg: 'Invalid message(s)',
      });
  });

  test('sends an event to subscribers and administrators of a private stream', async () => {
    const id = await make('secret end', ['bob', 'guest'], { inviteOnly: true });
    await remove(id);
    expect(await all.kinds()).toEqual(forEach(['ann', 'bob', 'guest'], ['stream/delete']));
    await expectRefusal(remove(id), invalidId);
    await expectRefusal(remove(999_999), invalidId);
    expect(
      await refusalOf(all.people.bob.client.sendToStream('secret end', 'x', 'x')),
    ).toMatchObject({ code: 'STREAM_DOES_NOT_EXIST' });
  });

  test('the same name can be deactivated repeatedly', async () => {
    const name = 'n'.repeat(60);
    for (let n = 0; n < 3; n += 1) await remove(await make(name, ['bob']));
    const { rows } = await all.all.pool.query<{ name: string }>({
      text: "SELECT name FROM streams WHERE name LIKE '%DEACTIVATED:nn%' ORDER BY id",
    });
    expect(rows.map((row) => row.name)).toEqual([
      `!DEACTIVATED:${'n'.repeat(47)}`,
      `!!DEACTIVATED:${'n'.repeat(46)}`,
      `!!!DEACTIVATED:${'n'.repeat(45)}`,
    ]);
  });

  test('removes it from default streams and groups, with earlier events for members', async () => {
    const standard = await make('standard', ['bob']);
    const grouped = await make('grouped', ['bob']);
    const admin = all.people.ann.client;
    await admin.post('default_streams', { stream_name: 'standard' });
    await admin.post('default_stream_groups/create', {
      group_name: 'ends',
      description: '',
      stream_names: ['grouped'],
    });
    await all.queues.read();
    await remove(standard);
    await remove(grouped);
    expect(await all.kinds()).toEqual(
      forEach(members, [
        'default_streams',
        'stream/delete',
        'default_stream_groups',
        'stream/delete',
      ]),
    );
    const state = await admin.post('register', {
      fetch_event_types: ['default_streams', 'default_stream_groups'],
    });
    expect(readObjects(state, 'realm_default_streams')).toEqual([]);
    expect(readObjects(state, 'realm_default_stream_groups')).toMatchObject([
      { name: 'ends', streams: [] },
    ]);
  });
});

describe('POST streams/<stream_id>/delete_topic', () => {
  const deleteTopic = (streamId: number, topic: unknown): Promise<unknown> =>
    all.people.ann.client.post(`streams/${streamId}/delete_topic`, { topic_name: topic });

  test('deletes every message in any letter case, and sends holders one event for each', async () => {
    const { organization } = all.all;
    const { bob, cat, guest } = all.people;
    const { id } = await organization.makeStream('room', [bob, guest]);
    const first = await bob.client.sendToStream('room', 'Lunch', 'one');
    const second = await bob.client.sendToStream('room', 'LUNCH', 'two');
    const kept = await bob.client.sendToStream('room', 'dinner', 'three');
    // A user who starred a message holds it too.
    await cat.client.flag([second], 'starred');
    await all.queues.read();
    expect(await deleteTopic(id, 'lunch')).toEqual(success);
    const { bob: ofBob, ...others } = await all.queues.read();
    const event = (message: number, topic: string): object => ({
      type: 'delete_message',
      message_id: message,
      sender: bob.email,
      sender_id: bob.id,
      message_type: 'stream',
      stream_id: id,
      topic,
    });
    expect(ofBob).toEqual([event(first, 'Lunch'), event(second, 'LUNCH')]);
    expect(others).toEqual({
      guest: [event(first, 'Lunch'), event(second, 'LUNCH')],
      cat: [event(second, 'LUNCH')],
    });
    expect((await fetchMessages(bob, { narrow: [['stream', 'room']] })).ids).toEqual([kept]);
    await expectRefusal(bob.client.get(`messages/${first}`), 'Invalid message(s)');
  });

  test('deletes a large topic completely, in several transactions', async () => {
    const { bob, ann } = all.people;
    const { id } = await all.all.organization.makeStream('large', [bob]);
    for (let n = 0; n < 12; n += 1)
      await Promise.all(
        Array.from({ length: 50 }, (_, k) => bob.client.sendToStream('large', 'bulk', `${n} ${k}`)),
      );
    await bob.client.sendToStream('large', 'other', 'stays');
    await all.queues.read();
    expect(await deleteTopic(id, 'bulk')).toEqual(success);
    const { bob: ofBob } = await all.queues.read();
    expect(ofBob).toHaveLength(600);
    const ids = ofBob?.map((event) => event['message_id'] as number);
    expect(new Set(ids).size).toBe(600);
    expect(await ann.client.get(`users/me/${id}/topics`)).toMatchObject({
      topics: [{ name: 'other' }],
    });
  });

  test('succeeds for a topic without messages', async () => {
    const { id } = await all.all.organization.makeStream('empty', []);
    expect(await deleteTopic(id, 'nothing')).toEqual(success);
    expect(await all.kinds()).toEqual({});
  });

  test('in a private stream without shared history deletes only what the administrator received', async () => {
    const { ann, bob } = all.people;
    const { id } = await all.all.organization.makeStream('closed', [bob], { inviteOnly: true });
    const before = await bob.client.sendToStream('closed', 'x', 'before');
    await expectRefusal(deleteTopic(id, 'x'), 'Invalid stream id');
    await all.join('bob', ['closed'], { principals: [ann.email] });
    await bob.client.sendToStream('closed', 'x', 'after');
    await all.queues.read();
    expect(await deleteTopic(id, 'x')).toEqual(success);
    expect(await all.kinds()).toEqual(forEach(['ann', 'bob'], ['delete_message']));
    expect((await fetchMessages(bob, { narrow: [['stream', 'closed']] })).ids).toEqual([before]);
  });

  test('requires an existing stream and a topic', async () => {
    const { id } = await all.all.organization.makeStream('guarded', [all.people.bob]);
    await expectRefusal(deleteTopic(999_999, 'x'), 'Invalid stream id');
    await expectRefusal(deleteTopic(id, undefined), missing('topic_name'));
    expect(await refusalOf(deleteTopic(id, 'a\0b'))).toMatchObject({
      code: 'REQUEST_VARIABLE_INVALID',
    });
  });
});
