/** Properties of one's own subscriptions, and muted topics, through the gateway. */
import { readObjects } from '@parley/test-kit';
import type { JsonObject, Parameters } from '@parley/test-kit';
import { beforeEach, describe, expect, test } from 'vitest';

import { useFixture } from '../support/use-fixture.ts';
import { FollowedQueue } from './follow-queue.ts';
import { expectRefusal, success, uncoded } from './refusals.ts';
import { startSmallOrganization } from './small-organization.ts';
import type { PersonKey } from './small-organization.ts';

const organization = useFixture(() =>
  startSmallOrganization({ people: 0, presence: 0, events: 1 }),
);

let design: number;
let secret: number;
// Bob and the guest are in design, and only Bob is in secret. The services keep nothing of streams in memory.
beforeEach(async () => {
  await organization.removeStreams();
  await organization.pool.query({ text: 'TRUNCATE muted_topics' });
  const subscribe = (name: string, more: object): Promise<JsonObject> =>
    organization.client('bob').subscribe(name, { ...more });
  await subscribe('design', { principals: ['bob@example.com', 'gil@example.com'] });
  await subscribe('secret', { invite_only: true });
  const { rows } = await organization.pool.query<{ id: number }>({
    text: 'SELECT id FROM streams ORDER BY name',
  });
  [design = 0, secret = 0] = rows.map((row) => row.id);
});

const properties = 'users/me/subscriptions/properties';
const mutedTopics = 'users/me/subscriptions/muted_topics';

function answerOf(
  who: PersonKey,
  method: 'POST' | 'PATCH',
  path: string,
  parameters: Parameters,
): Promise<JsonObject> {
  return organization.client(who).call(method, path, parameters);
}

async function subscriptionOf(who: PersonKey, name: string): Promise<JsonObject | undefined> {
  const answer = await organization.client(who).get('users/me/subscriptions');
  return readObjects(answer, 'subscriptions').find((entry) => entry['name'] === name);
}

describe('POST users/me/subscriptions/properties', () => {
  const set = (who: PersonKey, ...changes: object[]): Promise<JsonObject> =>
    answerOf(who, 'POST', properties, { subscription_data: changes });
  const one = (
    property: string,
    value: unknown,
    stream_id: unknown = design,
  ): Promise<JsonObject> => set('bob', { stream_id, property, value });

  test("sets every property, returns the request, and sends events only to the caller's queues", async () => {
    const queues = [
      await FollowedQueue.open(organization.client('bob')),
      await FollowedQueue.open(organization.client('bob'), { event_types: ['subscription'] }),
    ];
    const gil = await FollowedQueue.open(organization.client('gil'));
    const booleans = [
      'pin_to_top',
      'desktop_notifications',
      'audible_notifications',
      'push_notifications',
      'email_notifications',
      'wildcard_mentions_notify',
    ];
    const changes = [
      { stream_id: design, property: 'color', value: '#AbC' },
      ...booleans.map((property) => ({ stream_id: design, property, value: true })),
      { stream_id: secret, property: 'color', value: '#012345' },
    ];
    const answer = await set('bob', ...changes.map((change) => ({ ...change, more: 1 })));
    expect(answer).toEqual({ ...success, subscription_data: changes });
    expect(await subscriptionOf('bob', 'design')).toMatchObject({
      color: '#AbC',
      ...Object.fromEntries(booleans.map((property) => [property, true])),
    });
    expect(await subscriptionOf('bob', 'secret')).toMatchObject({
      color: '#012345',
      pin_to_top: false,
    });
    const expected: object[] = changes.map((change) => ({
      type: 'subscription',
      op: 'update',
      email: 'bob@example.com',
      name: change.stream_id === design ? 'design' : 'secret',
      ...change,
    }));
    for (const queue of queues) expect(await queue.next(expected.length)).toEqual(expected);
    // The guest's own change is the first event in the guest's queue.
    await set('gil', { stream_id: design, property: 'pin_to_top', value: false });
    expect(await gil.next(1)).toMatchObject([{ email: 'gil@example.com', value: false }]);
    expect(await subscriptionOf('gil', 'design')).toMatchObject({ pin_to_top: false });
  });

  test('muting has two names, and the event uses in_home_view', async () => {
    const queue = await FollowedQueue.open(organization.client('bob'));
    const changes = [
      { stream_id: design, property: 'is_muted', value: true },
      { stream_id: secret, property: 'in_home_view', value: false },
    ];
    expect(await set('bob', ...changes)).toEqual({ ...success, subscription_data: changes });
    for (const name of ['design', 'secret']) {
      expect(await subscriptionOf('bob', name)).toMatchObject({
        is_muted: true,
        in_home_view: false,
      });
    }
    await one('is_muted', false);
    expect(await subscriptionOf('bob', 'design')).toMatchObject({
      is_muted: false,
      in_home_view: true,
    });
    expect(await queue.next(3)).toMatchObject([
      { property: 'in_home_view', value: false, stream_id: design },
      { property: 'in_home_view', value: false, stream_id: secret },
      { property: 'in_home_view', value: true, stream_id: design },
    ]);
  });

  test('each element has an event, changed or not; of two the later counts', async () => {
    const queue = await FollowedQueue.open(organization.client('bob'));
    await set(
      'bob',
      { stream_id: design, property: 'color', value: '#111' },
      { stream_id: design, property: 'color', value: '#222' },
      { stream_id: design, property: 'pin_to_top', value: false },
    );
    expect((await queue.next(3)).map((event) => event['value'])).toEqual(['#111', '#222', false]);
    expect(await subscriptionOf('bob', 'design')).toMatchObject({ color: '#222' });
    expect(await set('bob')).toEqual({ ...success, subscription_data: [] });
  });

  test("the list's shape is checked first, with the documented texts", async () => {
    const shape = (subscription_data: unknown): Promise<JsonObject> =>
      answerOf('bob', 'POST', properties, { subscription_data });
    const complete = { stream_id: design, property: 'color', value: '#fff' };
    await expectRefusal(shape([1]), 'subscription_data[0] is not a dict');
    for (const key of ['stream_id', 'property', 'value']) {
      await expectRefusal(
        shape([{ ...complete, [key]: undefined }]),
        `${key} key is missing from subscription_data[0]`,
      );
    }
    await expectRefusal(
      shape([
        { ...complete, property: 'x' },
        { ...complete, stream_id: '1' },
      ]),
      'subscription_data[1]["stream_id"] is not an integer',
    );
    for (const value of [1, null, [], {}]) {
      await expectRefusal(
        shape([{ ...complete, value }]),
        'subscription_data[0]["value"] is not an allowed_type',
      );
    }
    await expectRefusal(
      shape([{ ...complete, property: 1 }]),
      'subscription_data[0]["property"] is not a string',
    );
    await expectRefusal(
      shape(Array.from({ length: 5_001 }, () => complete)),
      'subscription_data is too long (limit: 5000 items)',
    );
  });

  test('property, stream, subscription and value are checked in this order', async () => {
    const notThere = design + 1_000_000;
    await expectRefusal(
      one('x\ud800', true, notThere),
      uncoded('Unknown subscription property: x\ufffd'),
    );
    for (const id of [notThere, 0, -1, Number.MAX_SAFE_INTEGER]) {
      await expectRefusal(one('color', true, id), 'Invalid stream id');
    }
    await expectRefusal(
      set('cat', { stream_id: design, property: 'color', value: true }),
      uncoded(`Not subscribed to stream id ${design}`),
    );
    await expectRefusal(one('pin_to_top', 'true'), uncoded('pin_to_top is not a boolean'));
    await expectRefusal(one('is_muted', ''), uncoded('is_muted is not a boolean'));
    await expectRefusal(one('color', true), uncoded('color is not a string'));
    for (const color of [
      'f00',
      '#f0',
      '#ffff',
      '#fffff',
      '#1234567',
      '#ggg',
      ' #fff',
      '',
      '#fff\n',
    ]) {
      await expectRefusal(one('color', color), uncoded('color is not a valid hex color code'));
    }
  });

  test('a refusal changes nothing and sends no event', async () => {
    const before = await organization.position();
    await expectRefusal(
      set(
        'bob',
        { stream_id: design, property: 'pin_to_top', value: true },
        { stream_id: design, property: 'color', value: 'red' },
      ),
      uncoded('color is not a valid hex color code'),
    );
    expect(await subscriptionOf('bob', 'design')).toMatchObject({ pin_to_top: false });
    expect(await organization.position()).toBe(before);
  });

  test('an inaccessible stream looks missing, also to administrators and former members; bots set their own', async () => {
    const change = (who: PersonKey, stream_id: number): Promise<JsonObject> =>
      set(who, { stream_id, property: 'pin_to_top', value: true });
    await expectRefusal(change('ann', secret), 'Invalid stream id');
    await organization.client('ann').unsubscribe('design', { principals: ['gil@example.com'] });
    await expectRefusal(change('gil', design), 'Invalid stream id');
    await organization.client('bobBot').subscribe('design');
    expect(await change('bobBot', design)).toMatchObject(success);
  });
});

describe('PATCH users/me/subscriptions/{stream_id}', () => {
  const patch = (parameters: Record<string, unknown>, id = design): Promise<JsonObject> =>
    answerOf('bob', 'PATCH', `users/me/subscriptions/${id}`, parameters);

  test('accepts raw text, and does what the list does', async () => {
    expect(await patch({ property: 'color', value: '#fed' })).toEqual({
      ...success,
      subscription_data: [{ stream_id: design, property: 'color', value: '#fed' }],
    });
    expect(await patch({ property: 'pin_to_top', value: 'true' })).toEqual({
      ...success,
      subscription_data: [{ stream_id: design, property: 'pin_to_top', value: true }],
    });
    expect(await subscriptionOf('bob', 'design')).toMatchObject({
      color: '#fed',
      pin_to_top: true,
    });
    await expectRefusal(
      patch({ property: 'pin_to_top', value: 'True' }),
      uncoded('pin_to_top is not a boolean'),
    );
    await expectRefusal(
      patch({ property: 'color', value: 'true' }),
      uncoded('color is not a valid hex color code'),
    );
    await expectRefusal(
      patch({ property: 'x', value: 'y' }),
      uncoded('Unknown subscription property: x'),
    );
    await expectRefusal(
      patch({ property: 'color', value: '#fed' }, 999_999_999),
      'Invalid stream id',
    );
  });
});

describe('PATCH users/me/subscriptions/muted_topics', () => {
  const change = (who: PersonKey, parameters: Record<string, unknown>): Promise<JsonObject> =>
    answerOf(who, 'PATCH', mutedTopics, parameters);
  const add = (who: PersonKey, more: object): Promise<JsonObject> =>
    change(who, { op: 'add', ...more });
  const remove = (who: PersonKey, more: object): Promise<JsonObject> =>
    change(who, { op: 'remove', ...more });

  async function registered(who: PersonKey): Promise<unknown> {
    const answer = await organization
      .client(who)
      .post('register', { fetch_event_types: ['muted_topics'] });
    return answer['muted_topics'];
  }

  test('mutes and unmutes by name or id, in any letter case, and sends the whole list each time', async () => {
    const queue = await FollowedQueue.open(organization.client('bob'), {
      event_types: ['muted_topics'],
    });
    const cat = await FollowedQueue.open(organization.client('cat'));
    expect(await registered('bob')).toEqual([]);
    expect(await add('bob', { stream: ' DESIGN ', topic: 'Lunch' })).toEqual(success);
    expect(await add('bob', { stream_id: secret, topic: ' plans ' })).toEqual(success);
    expect(await registered('bob')).toEqual([
      ['design', 'Lunch'],
      ['secret', ' plans '],
    ]);
    expect(await remove('bob', { stream_id: design, topic: 'LUNCH' })).toEqual(success);
    expect(await remove('bob', { stream: 'secret', topic: ' PLANS ' })).toEqual(success);
    const event = (muted_topics: unknown): object => ({ type: 'muted_topics', muted_topics });
    expect(await queue.next(4)).toEqual([
      event([['design', 'Lunch']]),
      event([
        ['design', 'Lunch'],
        ['secret', ' plans '],
      ]),
      event([['secret', ' plans ']]),
      event([]),
    ]);
    // No subscription is needed, and nobody else gets an event.
    expect(await add('cat', { stream: 'design', topic: '' })).toEqual(success);
    expect(await cat.next(1)).toEqual([event([['design', '']])]);
  });

  test('accepts two thousand topics per account', async () => {
    await organization.pool.query({
      text: `INSERT INTO muted_topics (user_id, stream_id, topic_folded, topic)
        SELECT $1, $2, 'OLD ' || n, 'old ' || n FROM generate_series(1, 999) n`,
      values: [organization.id('cat'), design],
    });
    expect(await add('cat', { stream: 'design', topic: 'one' })).toEqual(success);
    await expectRefusal(
      add('cat', { stream: 'design', topic: 'other' }),
      'You may mute at most 1000 topics.',
    );
    expect(await remove('cat', { stream: 'design', topic: 'old 1' })).toEqual(success);
    expect(await add('cat', { stream: 'design', topic: 'other' })).toEqual(success);
  });

  test('a repeat is an error without a code, also in another letter case', async () => {
    await add('bob', { stream: 'design', topic: 'Straße' });
    const before = await organization.position();
    await expectRefusal(
      add('bob', { stream: 'design', topic: 'STRASSE' }),
      uncoded('Topic already muted'),
    );
    await remove('bob', { stream: 'design', topic: 'straße' });
    await expectRefusal(
      remove('bob', { stream: 'design', topic: 'straße' }),
      uncoded('Topic is not muted'),
    );
    await expectRefusal(
      remove('bob', { stream_id: design, topic: 'x'.repeat(100) }),
      uncoded('Topic is not muted'),
    );
    // There was one change, so there is one new position.
    expect(await organization.position()).toBe(before + 1);
  });

  test('requires exactly one stream, and checks operation and topic', async () => {
    const topic = 'x';
    await expectRefusal(add('bob', { topic }), "Please supply 'stream'.");
    await expectRefusal(
      add('bob', { topic, stream: 'design', stream_id: design }),
      "Please choose one: 'stream' or 'stream_id'.",
    );
    await expectRefusal(
      change('bob', { topic, stream: 'design', op: 'toggle' }),
      'Invalid value for "op". Specify one of "add" or "remove".',
    );
    await expectRefusal(
      add('bob', { stream: 'design', topic: '😀'.repeat(61) }),
      'topic is too long (limit: 60 characters)',
    );
    expect(await add('bob', { stream: 'design', topic: '😀'.repeat(60) })).toEqual(success);
  });

  test('an inaccessible stream is answered like a missing one', async () => {
    const topic = 'x';
    await expectRefusal(add('ann', { stream: 'Secret', topic }), "Invalid stream name 'Secret'");
    await expectRefusal(add('ann', { stream_id: secret, topic }), 'Invalid stream id');
    for (const which of [{ stream: 'secret' }, { stream_id: secret }]) {
      await expectRefusal(remove('cat', { ...which, topic }), 'Topic is not muted');
      await expectRefusal(remove('bob', { ...which, topic }), uncoded('Topic is not muted'));
      // An administrator knows of every stream.
      await expectRefusal(remove('ann', { ...which, topic }), uncoded('Topic is not muted'));
    }
  });

  test('unmuting requires no access, and the list excludes streams that became inaccessible', async () => {
    expect(await add('cat', { stream: 'design', topic: 'x' })).toEqual(success);
    await organization.pool.query({
      text: `UPDATE streams SET invite_only = true, name = 'hidden', name_folded = 'HIDDEN' WHERE id = $1`,
      values: [design],
    });
    expect(await registered('cat')).toEqual([]);
    expect(await remove('cat', { stream_id: design, topic: 'X' })).toEqual(success);
    await expectRefusal(remove('cat', { stream_id: design, topic: 'X' }), 'Topic is not muted');
  });

  test('after concurrent changes the last event has everything', async () => {
    const queue = await FollowedQueue.open(organization.client('bob'));
    const topics = Array.from({ length: 8 }, (_, n) => `topic ${n}`);
    await Promise.all(topics.map((topic) => add('bob', { stream: 'design', topic })));
    const events = await queue.next(topics.length);
    const lists = events.map((event) => event['muted_topics'] as unknown[]);
    expect(lists.map((list) => list.length)).toEqual(topics.map((_, n) => n + 1));
    expect(lists.at(-1)).toEqual(await registered('bob'));
  });
});

test('a deactivated account changes nothing, even if a gateway still accepts its key', async () => {
  const { person } = await organization.makePersonWithBot('late');
  const client = organization.clientOf(person);
  await client.subscribe('design');
  await organization.pool.query('UPDATE users SET is_active = false WHERE id = $1', [
    person.user.id,
  ]);
  const before = await organization.position();
  const change = { stream_id: design, property: 'pin_to_top', value: true };
  const refused = { result: 'error', msg: 'Account is deactivated' };
  for (const { status, body } of [
    await client.request('POST', properties, { subscription_data: [change] }),
    await client.request('PATCH', mutedTopics, { stream: 'design', topic: 'x', op: 'add' }),
  ]) {
    expect(status).toBe(401);
    expect(body).toEqual(refused);
  }
  expect(await organization.position()).toBe(before);
});
