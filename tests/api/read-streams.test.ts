/** Ids, topics and members of streams, and who may read them (reference facts, streams 1, 4 and 10.1). */
import { readObjects } from '@parley/test-kit';
import type { JsonObject } from '@parley/test-kit';
import { beforeAll, describe, expect, test } from 'vitest';

import { useFixture } from '../support/use-fixture.ts';
import { expectRefusal } from './refusals.ts';
import { StreamFixture } from './stream-fixture.ts';
import type { Name } from './stream-fixture.ts';

const ids: Record<string, number> = {};
const all = useFixture(() => StreamFixture.start());
beforeAll(async () => {
  await all.join('bob', ['open'], { principals: ['bob@example.com', 'bot@example.com'] });
  await all.join('bob', ['guests'], { principals: ['guest@example.com'] });
  await all.join('bob', ['closed'], { invite_only: true });
  await all.join('bob', ['shared'], { invite_only: true, history_public_to_subscribers: true });
  await all.join('bob', ['gone']);
  for (const name of ['open', 'guests', 'closed', 'shared', 'gone'])
    ids[name] = await all.streamId(name);
  await all.people.ann.client.delete(`streams/${ids['gone']}`);
});

const get = (who: Name, path: string, parameters = {}): Promise<JsonObject> =>
  all.people[who].client.get(path, parameters);
const idOf = (place: string): number => ids[place] ?? 999_999;

describe('GET get_stream_id', () => {
  test('finds a stream in any letter case, with white space around it', async () => {
    expect(await get('cat', 'get_stream_id', { stream: '  OPEN ' })).toEqual({
      result: 'success',
      msg: '',
      stream_id: idOf('open'),
    });
    expect(await get('bob', 'get_stream_id', { stream: 'closed' })).toMatchObject({
      stream_id: idOf('closed'),
    });
    expect(await get('guest', 'get_stream_id', { stream: 'guests' })).toMatchObject({
      stream_id: idOf('guests'),
    });
  });

  test('inaccessible, deactivated and missing streams get the same refusal, with the name as sent', async () => {
    for (const name of [' Closed', 'gone', '!DEACTIVATED:gone', 'nowhere', '', 'x'.repeat(5000)])
      await expectRefusal(
        get('ann', 'get_stream_id', { stream: name }),
        `Invalid stream name '${name}'`,
      );
  });
});

describe('GET users/me/<stream_id>/topics', () => {
  const topicsOf = async (who: Name, place: string): Promise<unknown[]> => {
    const answer = await get(who, `users/me/${idOf(place)}/topics`);
    return readObjects(answer, 'topics').map(({ name, max_id }) => [name, max_id]);
  };
  const send = (place: string, topic: string): Promise<number> =>
    all.people.bob.client.sendToStream(place, topic, 'x');

  test('lists newest first, with letter cases merged under the newest spelling', async () => {
    await all.all.organization.makeStream('talk', [all.people.bob, all.people.guest]);
    ids['talk'] = await all.streamId('talk');
    expect(await topicsOf('cat', 'talk')).toEqual([]);
    await send('talk', 'Lunch');
    const dinner = await send('talk', 'dinner');
    const lunch = await send('talk', 'LUNCH');
    const expected = [
      ['LUNCH', lunch],
      ['dinner', dinner],
    ];
    expect(await topicsOf('cat', 'talk')).toEqual(expected);
    expect(await topicsOf('guest', 'talk')).toEqual(expected);
    expect(await topicsOf('bot', 'talk')).toEqual(expected);
    await all.people.cat.client.patch('users/me/subscriptions/muted_topics', {
      stream: 'talk',
      topic: 'dinner',
      op: 'add',
    });
    expect(await topicsOf('cat', 'talk')).toEqual(expected);
  });

  test('ignores deleted and moved messages', async () => {
    await all.all.organization.makeStream('moves', [all.people.bob]);
    ids['moves'] = await all.streamId('moves');
    const kept = await send('moves', 'a');
    const deleted = await send('moves', 'a');
    const moved = await send('moves', 'b');
    await all.people.ann.client.delete(`messages/${deleted}`);
    await all.people.ann.client.patch(`messages/${moved}`, { topic: 'c' });
    expect(await topicsOf('cat', 'moves')).toEqual([
      ['c', moved],
      ['a', kept],
    ]);
    await all.people.ann.client.delete(`messages/${kept}`);
    expect(await topicsOf('cat', 'moves')).toEqual([['c', moved]]);
  });

  test('for a private stream without shared history lists only received topics', async () => {
    const { organization } = all.all;
    const { bob, dan } = all.people;
    await organization.makeStream('protected', [bob], { inviteOnly: true });
    await organization.makeStream('told', [bob], {
      inviteOnly: true,
      historyPublicToSubscribers: true,
    });
    for (const name of ['protected', 'told']) ids[name] = await all.streamId(name);
    const before = { protected: await send('protected', 'old'), told: await send('told', 'old') };
    const shared = await send('protected', 'both');
    await all.join('bob', ['protected', 'told'], { principals: [dan.email] });
    expect(await topicsOf('dan', 'protected')).toEqual([]);
    expect(await topicsOf('dan', 'told')).toEqual([['old', before.told]]);
    const received = await send('protected', 'both');
    expect(await topicsOf('dan', 'protected')).toEqual([['both', received]]);
    expect(await topicsOf('bob', 'protected')).toEqual([
      ['both', received],
      ['old', before.protected],
    ]);
    // Nor does Dan hold messages from the time of his absence.
    await all.leave('dan', ['protected']);
    await send('protected', 'both');
    await send('protected', 'away');
    await all.join('bob', ['protected'], { principals: [dan.email] });
    expect(await topicsOf('dan', 'protected')).toEqual([['both', received]]);
    expect(shared).toBeLessThan(received);
  });
});

describe('GET streams/<stream_id>/members', () => {
  const membersOf = async (who: Name, place: string): Promise<unknown> => {
    const { subscribers } = await get(who, `streams/${idOf(place)}/members`, { stream: 'ignored' });
    return subscribers;
  };

  test('lists addresses of active people and bots, never ids', async () => {
    expect(await membersOf('cat', 'open')).toEqual(['bob@example.com', 'bot@example.com']);
    expect(await membersOf('guest', 'guests')).toEqual(['guest@example.com']);
    expect(await membersOf('bob', 'closed')).toEqual(['bob@example.com']);
  });

  test('administrators get the members of any private stream, but not its topics', async () => {
    expect(await membersOf('ann', 'closed')).toEqual(['bob@example.com']);
    await expectRefusal(get('ann', `users/me/${idOf('closed')}/topics`), 'Invalid stream id');
  });
});

test('the subscription status is readable for those who may see the members', async () => {
  const status = (who: Name, whom: Name, place: string): Promise<JsonObject> =>
    all.people[who].client.get(`users/${all.people[whom].id}/subscriptions/${idOf(place)}`);
  expect(await status('cat', 'bob', 'open')).toMatchObject({ is_subscribed: true });
  expect(await status('cat', 'dan', 'open')).toMatchObject({ is_subscribed: false });
  expect(await status('ann', 'bob', 'closed')).toMatchObject({ is_subscribed: true });
  await expectRefusal(get('cat', `users/999999/subscriptions/${idOf('open')}`), 'No such user');
});

test('stream email addresses do not exist, for those who may read the stream', async () => {
  const path = (place: string): string => `streams/${idOf(place)}/email_address`;
  expect(await get('cat', path('open'))).toEqual({ result: 'success', msg: '', email: '' });
  await expectRefusal(get('ann', path('closed')), 'Invalid stream id');
});
