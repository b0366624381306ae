/** Default streams and their groups (reference facts, streams 8.4, 8.5 and 11.4). */
import { limits } from '@parley/api';
import { readObjects } from '@parley/test-kit';
import type { JsonObject, Parameters } from '@parley/test-kit';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';

import { useFixture } from '../support/use-fixture.ts';
import { expectRefusal, missing, success, uncoded } from './refusals.ts';
import { StreamFixture, forEach } from './stream-fixture.ts';
import type { Name } from './stream-fixture.ts';

const all = useFixture(() => StreamFixture.start());
beforeAll(async () => {
  await all.join('bob', ['Beta', 'alpha', 'gamma', 'delta']);
  await all.join('bob', ['hidden'], { invite_only: true });
  await all.join('ann', ['ours'], { invite_only: true });
});
beforeEach(async () => {
  await all.queues.read();
});

const members = ['ann', 'bob', 'cat', 'dan', 'bot'] as const;

const namesOf = (list: unknown): unknown[] =>
  (list as readonly JsonObject[]).map(({ name }) => name);

async function registered(
  who: Name,
): Promise<{ streams: unknown[]; groups: readonly JsonObject[] }> {
  const state = await all.people[who].client.post('register', {
    fetch_event_types: ['default_streams', 'default_stream_groups'],
  });
  return {
    streams: namesOf(state['realm_default_streams']),
    groups: readObjects(state, 'realm_default_stream_groups'),
  };
}

describe('default_streams', () => {
  const add = (parameters: Parameters): Promise<JsonObject> =>
    all.people.ann.client.post('default_streams', parameters);
  const remove = (parameters: Parameters): Promise<JsonObject> =>
    all.people.ann.client.delete('default_streams', parameters);

  test('adding sends members the list once', async () => {
    expect(await add({ stream_name: ' ALPHA ' })).toEqual(success);
    expect(await add({ stream_id: await all.streamId('Beta') })).toEqual(success);
    expect(await add({ stream_name: 'beta' })).toEqual(success);
    expect(await all.kinds()).toEqual(forEach(members, ['default_streams', 'default_streams']));
    expect((await registered('cat')).streams).toEqual(['Beta', 'alpha']);
    expect((await registered('guest')).streams).toEqual([]);
  });

  test('removing sends the list, whether it changed or not', async () => {
    expect(await remove({ stream_name: 'beta' })).toEqual(success);
    expect(await remove({ stream_name: 'gamma' })).toEqual(success);
    const { cat } = await all.queues.read();
    expect(cat?.map((event) => namesOf(event['default_streams']))).toEqual([['alpha'], ['alpha']]);
  });

  test('a private default stream is listed to administrators only', async () => {
    await expectRefusal(add({ stream_name: 'hidden' }), "Invalid stream name 'hidden'");
    await add({ stream_name: 'ours' });
    await all.queues.read();
    expect((await registered('ann')).streams).toEqual(['alpha', 'ours']);
    expect((await registered('bob')).streams).toEqual(['alpha']);
    // They see it when it becomes public.
    const id = await all.streamId('ours');
    await all.people.ann.client.patch(`streams/${id}`, { is_private: false });
    expect((await all.kinds()).bob).toEqual([
      'stream/create',
      'stream/update invite_only',
      'subscription/peer_add',
      'default_streams',
    ]);
    expect((await registered('bob')).streams).toEqual(['alpha', 'ours']);
    await all.people.ann.client.patch(`streams/${id}`, { is_private: true });
    const again = await all.queues.read();
    expect(again.bob?.map((event) => event['type'])).toEqual(['stream', 'default_streams']);
    expect(namesOf(again.bob?.[1]?.['default_streams'])).toEqual(['alpha']);
    // Administrators can remove it without being subscribed.
    await all.leave('ann', ['alpha']).catch(() => undefined);
    await remove({ stream_name: 'OURS' });
    expect((await registered('ann')).streams).toEqual(['alpha']);
  });

  test('refuses unknown streams and missing names', async () => {
    await expectRefusal(add({ stream_name: 'Nowhere' }), "Invalid stream name 'Nowhere'");
    await expectRefusal(remove({ stream_id: 999_999 }), 'Invalid stream id');
    await expectRefusal(add({}), missing('stream_name'));
    expect(await all.kinds()).toEqual({});
  });
});

describe('default_stream_groups', () => {
  const admin = (): StreamFixture['people']['ann']['client'] => all.people.ann.client;
  const create = (name: string, streams: unknown = ['gamma']): Promise<JsonObject> =>
    admin().post('default_stream_groups/create', {
      group_name: name,
      description: 'for all',
      stream_names: streams,
    });
  const groupId = async (name: string): Promise<number> => {
    const group = (await registered('ann')).groups.find((one) => one['name'] === name);
    return group?.['id'] as number;
  };

  test('are sent to members whole, by name', async () => {
    await create('zoo', ['GAMMA', 'delta', 'gamma']);
    await create('ape', []);
    const { guest, cat } = await all.queues.read();
    expect(guest).toBe(undefined);
    expect(cat?.map((event) => namesOf(event['default_stream_groups']))).toEqual([
      ['zoo'],
      ['ape', 'zoo'],
    ]);
    expect(cat?.[0]).toEqual({
      type: 'default_stream_groups',
      default_stream_groups: [
        {
          name: 'zoo',
          id: await groupId('zoo'),
          description: 'for all',
          streams: [await all.stream('gamma'), await all.stream('delta')],
        },
      ],
    });
    expect((await registered('cat')).groups).toHaveLength(2);
    expect((await registered('guest')).groups).toEqual([]);
  });

  test('lose a stream for members when it becomes private, and regain it when it becomes public', async () => {
    await all.join('ann', ['folded']);
    await create('folder', ['folded']);
    const path = `streams/${await all.streamId('folded')}`;
    for (const is_private of [true, false]) {
      await all.queues.read();
      await admin().patch(path, { is_private });
      const { ann, cat } = await all.queues.read();
      for (const [who, events] of [
        ['ann', ann],
        ['cat', cat],
      ] as const) {
        const groups = events?.findLast((event) => 'default_stream_groups' in event);
        expect(groups?.['default_stream_groups']).toEqual((await registered(who)).groups);
        const folder = (await registered(who)).groups.find(({ name }) => name === 'folder');
        expect(folder?.['streams']).toHaveLength(who === 'cat' && is_private ? 0 : 1);
      }
    }
    await admin().delete(`default_stream_groups/${await groupId('folder')}`);
  });

  test('refuses invalid streams and names with the documented texts', async () => {
    await expectRefusal(create('x', ['Nowhere']), "Invalid stream name 'Nowhere'");
    await expectRefusal(create('x', ['hidden']), "Invalid stream name 'hidden'");
    await expectRefusal(
      create('x', ['ALPHA']),
      "'alpha' is a default stream and cannot be added to 'x'",
    );
    await expectRefusal(create(''), "Invalid default stream group name ''");
    await expectRefusal(
      create('x'.repeat(61)),
      'Default stream group name too long (limit: 60 characters)',
    );
    await expectRefusal(
      create('a\0b'),
      "Default stream group name 'a\0b' contains NULL (0x00) characters.",
    );
    await expectRefusal(create('zoo'), "Default stream group 'zoo' already exists");
    await expectRefusal(create('x', [1]), 'stream_names[0] is not a string');
    const long = { group_name: 'x', stream_names: [], description: 'é'.repeat(1025) };
    await expectRefusal(
      admin().post('default_stream_groups/create', long),
      'description is too long (limit: 1024 characters)',
    );
    expect(await all.kinds()).toEqual({});
  });

  test('are renamed and described', async () => {
    const path = `default_stream_groups/${await groupId('ape')}`;
    const patch = (parameters: Parameters): Promise<JsonObject> => admin().patch(path, parameters);
    expect(
      await patch({ new_group_name: '"bee"', new_description: '"hums"', group_id: 7 }),
    ).toEqual(success);
    expect((await all.queues.read()).cat).toMatchObject([
      { default_stream_groups: [{ name: 'bee', description: 'hums' }, { name: 'zoo' }] },
    ]);
    await expectRefusal(
      patch({ new_description: 'x'.repeat(1025) }),
      'new_description is too long (limit: 1024 characters)',
    );
    await expectRefusal(patch({}), uncoded('You must pass "new_description" or "new_group_name".'));
    await expectRefusal(
      patch({ new_group_name: '""' }),
      uncoded('You must pass "new_description" or "new_group_name".'),
    );
    await expectRefusal(
      patch({ new_group_name: 'bee' }),
      "This default stream group is already named 'bee'",
    );
    await expectRefusal(
      patch({ new_group_name: 'zoo' }),
      "Default stream group 'zoo' already exists",
    );
  });

  test('add and remove streams, all or none', async () => {
    const path = `default_stream_groups/${await groupId('bee')}/streams`;
    const patch = (op: string, stream_names: unknown): Promise<JsonObject> =>
      admin().patch(path, { op, stream_names });
    expect(await patch('add', ['delta', 'Beta'])).toEqual(success);
    await expectRefusal(
      patch('add', ['gamma', 'BETA']),
      "Stream 'Beta' is already present in default stream group 'bee'",
    );
    await expectRefusal(
      patch('add', ['alpha']),
      "'alpha' is a default stream and cannot be added to 'bee'",
    );
    await expectRefusal(
      patch('remove', ['delta', 'gamma']),
      "Stream 'gamma' is not present in default stream group 'bee'",
    );
    expect(await patch('remove', ['delta'])).toEqual(success);
    await expectRefusal(
      patch('turn', ['delta']),
      uncoded('Invalid value for "op". Specify one of "add" or "remove".'),
    );
    const { cat } = await all.queues.read();
    const groups = cat?.map((event) => (event['default_stream_groups'] as JsonObject[])[0]);
    expect(groups?.map((group) => namesOf(group?.['streams']))).toEqual([
      ['delta', 'Beta'],
      ['Beta'],
    ]);
  });

  test('are no more, and have no more streams, than one event can list', async () => {
    const { pool } = all.all;
    const fill = (groups: number, streams: number): Promise<unknown> =>
      pool.query({
        text: `INSERT INTO default_stream_groups (name, description, stream_ids)
          SELECT 'filling ' || n, '', CASE WHEN n = 1 THEN array_fill(0, ARRAY[$2::int]) ELSE '{}' END FROM generate_series(1, $1::int) n`,
        values: [groups, streams],
      });
    const clear = (): Promise<unknown> =>
      pool.query("DELETE FROM default_stream_groups WHERE name LIKE 'filling %'");
    const path = `default_stream_groups/${await groupId('bee')}/streams`;
    try {
      await fill(limits.defaultStreamGroupsMax - 2, 0);
      await expectRefusal(create('x', []), 'There may be at most 100 default stream groups.');
      await clear();
      await fill(1, limits.defaultStreamGroupStreamsMax - 3);
      await expectRefusal(
        create('x', ['gamma']),
        'Default stream groups may have at most 500 streams together.',
      );
      await expectRefusal(
        admin().patch(path, { op: 'add', stream_names: ['gamma'] }),
        'Default stream groups may have at most 500 streams together.',
      );
      expect(await admin().patch(path, { op: 'remove', stream_names: ['Beta'] })).toEqual(success);
      expect(await admin().patch(path, { op: 'add', stream_names: ['Beta'] })).toEqual(success);
    } finally {
      await clear();
    }
    await all.queues.read();
  });

  test('are deleted; unknown groups are refused', async () => {
    const id = await groupId('bee');
    expect(await admin().delete(`default_stream_groups/${id}`)).toEqual(success);
    expect(await all.kinds()).toEqual(forEach(members, ['default_stream_groups']));
    const unknown = `Default stream group with id '${id}' does not exist.`;
    const path = `default_stream_groups/${id}`;
    await expectRefusal(admin().delete(path), unknown);
    await expectRefusal(admin().patch(path, { new_group_name: 'x' }), unknown);
    await expectRefusal(admin().patch(`${path}/streams`, { op: 'add', stream_names: [] }), unknown);
  });
});

test('after concurrent changes the last event has everything', async () => {
  await Promise.all([
    all.people.ann.client.post('default_streams', { stream_name: 'gamma' }),
    all.people.ann.client.post('default_streams', { stream_name: 'delta' }),
    all.people.ann.client.post('default_streams', { stream_name: 'Beta' }),
    all.people.ann.client.delete('default_streams', { stream_name: 'alpha' }),
  ]);
  const { cat = [] } = await all.queues.read();
  const last = cat.at(-1)?.['default_streams'];
  expect(namesOf(last)).toEqual(['Beta', 'delta', 'gamma']);
  expect((await registered('cat')).streams).toEqual(['Beta', 'delta', 'gamma']);
});
