/** The answers of register and the lists about streams and subscriptions (reference facts, streams 3, 5.1, 6 and 12). */
import { readObjects } from '@parley/test-kit';
import type { JsonObject } from '@parley/test-kit';
import { beforeAll, describe, expect, test } from 'vitest';

import { anyNumber } from '../support/matchers.ts';
import { useFixture } from '../support/use-fixture.ts';
import { StreamFixture } from './stream-fixture.ts';
import type { Name } from './stream-fixture.ts';

const all = useFixture(() => StreamFixture.start());
beforeAll(async () => {
  await all.join('bob', ['open'], { principals: ['bob@example.com', 'guest@example.com'] });
  await all.join('bob', ['closed'], { invite_only: true });
  await all.join('bob', ['left', 'left behind'], {
    principals: ['bob@example.com', 'cat@example.com'],
  });
  await all.leave('cat', ['left']);
});

const register = (who: Name, parameters: object = {}): Promise<JsonObject> =>
  all.people[who].client.post('register', {
    fetch_event_types: ['subscription', 'stream'],
    ...parameters,
  });
const lists = ['subscriptions', 'unsubscribed', 'never_subscribed'] as const;
const namesOf = (state: JsonObject): unknown[][] =>
  lists.map((list) => readObjects(state, list).map(({ name }) => name));

describe('register', () => {
  test('has three lists by name: subscribed, once subscribed, never subscribed', async () => {
    const state = await register('cat');
    expect(namesOf(state)).toEqual([['fences', 'left behind'], ['left'], ['open']]);
    expect(readObjects(state, 'streams').map(({ name }) => name)).toEqual([
      'fences',
      'left',
      'left behind',
      'open',
    ]);
    expect(state).toMatchObject({
      stream_name_max_length: 60,
      stream_description_max_length: 1024,
    });
  });

  test('hides subscribers of a private stream that the user left, except from administrators', async () => {
    await all.join('bob', ['club'], {
      invite_only: true,
      principals: ['cat@example.com', 'ann@example.com', 'bob@example.com'],
    });
    await all.leave('ann', ['club'], { principals: ['cat@example.com', 'ann@example.com'] });
    const left = async (who: Name): Promise<JsonObject | undefined> =>
      readObjects(await register(who, { include_subscribers: true }), 'unsubscribed').find(
        ({ name }) => name === 'club',
      );
    expect(await left('cat')).not.toHaveProperty('subscribers');
    expect(await left('ann')).toMatchObject({ subscribers: [all.people.bob.id] });
  });
});

test('has no traffic for young streams, and rounds it for old ones', async () => {
  const young = readObjects(
    await all.people.bob.client.get('users/me/subscriptions'),
    'subscriptions',
  );
  for (const one of young)
    expect(one).toMatchObject({ is_old_stream: false, stream_weekly_traffic: null });
  await all.all.pool.query(
    "UPDATE streams SET created_at = parley_now() - interval '30 days' WHERE name = 'open'",
  );
  const open = (await register('bob'))['subscriptions'] as JsonObject[];
  const old = open.find(({ name }) => name === 'open');
  expect(old?.['is_old_stream']).toBe(true);
  expect(old?.['stream_weekly_traffic']).toEqual(anyNumber);
});

test('shares history always in public streams, and on request in private ones', async () => {
  const made = async (name: string, more: object): Promise<unknown> => {
    await all.join('bob', [name], more as JsonObject);
    return (await all.stream(name))?.['history_public_to_subscribers'];
  };
  expect(await made('public', { history_public_to_subscribers: false })).toBe(true);
  expect(await made('private', { invite_only: true })).toBe(false);
  expect(await made('told', { invite_only: true, history_public_to_subscribers: true })).toBe(true);
});

test('colour, mute and pin survive leaving and rejoining', async () => {
  const { client } = all.people.dan;
  await all.join('dan', ['kept']);
  const id = await all.streamId('kept');
  const set = (property: string, value: unknown): JsonObject => ({
    stream_id: id,
    property,
    value,
  });
  await client.post('users/me/subscriptions/properties', {
    subscription_data: [set('color', '#123456'), set('is_muted', true), set('pin_to_top', true)],
  });
  await all.leave('dan', ['kept']);
  await client.post('users/me/subscriptions', {
    subscriptions: [{ name: 'kept', color: '#abcdef' }],
  });
  const list = readObjects(await client.get('users/me/subscriptions'), 'subscriptions');
  expect(list.find(({ name }) => name === 'kept')).toMatchObject({
    color: '#123456',
    is_muted: true,
    in_home_view: false,
    pin_to_top: true,
  });
});

test("a new person gets the palette's colours in order, in several requests or one", async () => {
  const [one, two] = await all.all.organization.makeAccounts(['Paula One', 'Paul Two']);
  const palette = ['#76ce90', '#fae589', '#a6c7e5', '#e79ab5'];
  const names = ['p1', 'p2', 'p3', 'p4'];
  for (const name of names) await one?.client.subscribe(name);
  await two?.client.post('users/me/subscriptions', {
    subscriptions: names.map((name) => ({ name })),
  });
  for (const account of [one, two]) {
    const answer = await account?.client.get('users/me/subscriptions');
    const colors = readObjects(answer ?? {}, 'subscriptions').map(({ color }) => color);
    expect(colors).toEqual(palette);
  }
});
