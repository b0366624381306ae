import { readObjects } from '@parley/test-kit';
import type { ApiClient, JsonObject, Parameters } from '@parley/test-kit';
import { beforeEach, describe, expect, test } from 'vitest';

import { useFixture } from '../support/use-fixture.ts';
import {
  coded,
  expectOneSuccess,
  expectRefusal,
  notAdministrator,
  success,
  uncoded,
} from './refusals.ts';
import { startSmallOrganization } from './small-organization.ts';
import type { PersonKey } from './small-organization.ts';
import { watchEveryKind, WatchedQueues } from './watched-queues.ts';

const organization = useFixture(() =>
  startSmallOrganization({ events: 2, people: 2, messages: 1 }),
);
beforeEach(async () => {
  await organization.pool.query('DELETE FROM user_groups');
  await organization.pool.query("UPDATE realm SET settings = '{}'");
});

const as = (who?: PersonKey): ApiClient => organization.client(who);
const onlyMembers = coded(
  'Only group members and organization administrators can administer this group.',
);

async function listGroups(who: PersonKey = 'ann'): Promise<readonly JsonObject[]> {
  return readObjects(await as(who).get('user_groups'), 'user_groups');
}

async function createGroup(name: string, members: readonly PersonKey[] = []): Promise<number> {
  await as('ann').post('user_groups/create', {
    name,
    description: '',
    members: members.map((who) => organization.id(who)),
  });
  const group = (await listGroups()).find((candidate) => candidate['name'] === name);
  return group?.['id'] as number;
}

const changes: readonly (readonly ['POST' | 'PATCH' | 'DELETE', string, Parameters])[] = [
  ['POST', 'user_groups/create', { name: 'crew', description: '' }],
  ['PATCH', 'user_groups/{id}', { name: 'other' }],
  ['DELETE', 'user_groups/{id}', {}],
  ['POST', 'user_groups/{id}/members', { add: [] }],
];

describe('groups', () => {
  test('are created, renamed, filled, emptied and deleted, with events for everybody', async () => {
    const queues = await watchEveryKind(organization);
    const [ann, bob, gil, bot] = (['ann', 'bob', 'gil', 'bobBot'] as const).map((who) =>
      organization.id(who),
    );
    expect(
      await as('bob').post('user_groups/create', {
        name: 'Ops',
        members: [gil, bob, gil],
        description: 'On call',
      }),
    ).toEqual(success);
    const group = { name: 'Ops', description: 'On call', members: [bob, gil] };
    const [listed] = await listGroups();
    const id = listed?.['id'] as number;
    expect(listed).toEqual({ id, ...group });
    expect(
      await as('bob').patch(`user_groups/${id}`, { name: 'SRE', description: 'Pager' }),
    ).toEqual(success);
    expect(
      await as('ann').post(`user_groups/${id}/members`, { add: [ann, bot], delete: [gil] }),
    ).toEqual(success);
    expect(await listGroups()).toEqual([
      { id, name: 'SRE', description: 'Pager', members: [ann, bob, bot] },
    ]);
    expect(await as('bob').delete(`user_groups/${id}`)).toEqual(success);
    const about = (op: string, rest: object): object => ({
      type: 'user_group',
      op,
      group_id: id,
      ...rest,
    });
    const events = [
      { type: 'user_group', op: 'add', group: { id, ...group } },
      about('update', { data: { name: 'SRE' } }),
      about('update', { data: { description: 'Pager' } }),
      about('add_members', { user_ids: [ann, bot] }),
      about('remove_members', { user_ids: [gil] }),
      about('remove', {}),
    ];
    expect(await queues.shared()).toEqual(events);
    expect(await listGroups()).toEqual([]);
  });

  test('are listed for everybody, by id, and in register', async () => {
    const first = await createGroup('zoo', ['cat', 'ann']);
    const second = await createGroup('ant');
    const groups = [
      {
        id: first,
        name: 'zoo',
        description: '',
        members: [organization.id('ann'), organization.id('cat')],
      },
      { id: second, name: 'ant', description: '', members: [] },
    ];
    for (const who of ['ann', 'bob', 'gil', 'bobBot'] as const) {
      expect(await listGroups(who)).toEqual(groups);
      const state = await as(who).post('register', { fetch_event_types: ['realm_user_groups'] });
      expect(state).toMatchObject({ realm_user_groups: groups });
    }
  });

  test('omitted and empty parameters change nothing, and no event reports unchanged values', async () => {
    const id = await createGroup('crew', ['bob']);
    await as('bob').patch(`user_groups/${id}`, { description: 'About' });
    const queues = await watchEveryKind(organization);
    await as('bob').patch(`user_groups/${id}`, { name: 'crew', description: '' });
    await as('bob').patch(`user_groups/${id}`, { name: 'team', group_id: 99 });
    const event = { type: 'user_group', op: 'update', group_id: id, data: { name: 'team' } };
    const events = [event];
    expect(await queues.shared()).toEqual(events);
    expect(await listGroups()).toMatchObject([{ name: 'team', description: 'About' }]);
  });

  test('are mentioned from the next send on, at every replica', async () => {
    await createGroup('crew', ['bob', 'gil']);
    const email = 'bob@example.com';
    await as('ann').sendPrivately([email], 'hi @*crew*');
    const { messages } = (await as('bob').get('messages', {
      anchor: 'newest',
      num_before: 1,
      num_after: 0,
    })) as { messages: readonly { flags: readonly string[]; content: string }[] };
    expect(messages[0]?.flags).toContain('mentioned');
    expect(messages[0]?.content).toContain('user-group-mention');
  });
});

describe('who may change groups', () => {
  test('a creator is not a member, and only members and administrators change a group', async () => {
    expect(await as('bob').post('user_groups/create', { name: 'crew', description: '' })).toEqual(
      success,
    );
    const [group] = await listGroups();
    const id = group?.['id'] as number;
    expect(group?.['members']).toEqual([]);
    for (const [method, parameters] of [
      ['PATCH', { name: 'x' }],
      ['DELETE', {}],
    ] as const)
      await expectRefusal(as('bob').call(method, `user_groups/${id}`, parameters), onlyMembers);
    const members = `user_groups/${id}/members`;
    const bob = organization.id('bob');
    await expectRefusal(as('bob').post(members, { add: [bob] }), onlyMembers);
    expect(await as('ann').post(members, { add: [bob] })).toEqual(success);
    expect(await as('bob').post(members, { add: [organization.id('cat')], delete: [bob] })).toEqual(
      success,
    );
    await expectRefusal(as('bob').delete(`user_groups/${id}`), onlyMembers);
    expect(await as('cat').patch(`user_groups/${id}`, { name: 'y' })).toEqual(success);
  });

  test('a policy can require administrators', async () => {
    await as('ann').patch('realm', { user_group_edit_policy: 2 });
    const id = await createGroup('crew', ['bob']);
    for (const [method, path, parameters] of changes) {
      const wanted = path.endsWith('members') ? { add: [organization.id('cat')] } : parameters;
      await expectRefusal(
        as('bob').call(method, path.replace('{id}', String(id)), wanted),
        notAdministrator,
      );
      // The role is checked before any parameter.
      const faulty = { members: 'x', add: 'x', name: 'x'.repeat(101) };
      for (const given of [{}, faulty])
        await expectRefusal(
          as('bob').call(method, path.replace('{id}', String(id)), given),
          notAdministrator,
        );
    }
    expect(await as('ann').delete(`user_groups/${id}`)).toEqual(success);
  });
});

describe('refuses', () => {
  test('a missing group', async () => {
    for (const id of ['2000000000', '4000000000'])
      for (const [method, path, parameters] of changes.slice(1)) {
        const wanted = path.endsWith('members') ? { add: [1] } : parameters;
        await expectRefusal(
          as('ann').call(method, path.replace('{id}', id), wanted),
          'Invalid user group',
        );
      }
    expect((await as('ann').request('DELETE', 'user_groups/x')).status).toBe(404);
  });

  test('a taken name, in this letter case', async () => {
    await createGroup('crew');
    const other = await createGroup('Crew');
    const taken = coded("User group 'crew' already exists.");
    await expectRefusal(
      as('bob').post('user_groups/create', { name: 'crew', description: '' }),
      taken,
    );
    await expectRefusal(as('ann').patch(`user_groups/${other}`, { name: 'crew' }), taken);
    expect(await listGroups()).toMatchObject([{ name: 'crew' }, { name: 'Crew' }]);
  });

  test('long texts', async () => {
    const create = (parameters: Parameters): Promise<JsonObject> =>
      as('bob').post('user_groups/create', parameters);
    await expectRefusal(
      create({ name: 'é'.repeat(101), description: '' }),
      'name is too long (limit: 100 characters)',
    );
    await expectRefusal(
      create({ name: 'x', description: 'é'.repeat(1025) }),
      'description is too long (limit: 1024 characters)',
    );
    expect(await create({ name: '😀'.repeat(100), description: '' })).toEqual(success);
    expect(await create({ name: '', description: '' })).toEqual(success);
    expect(await create({ name: 'null', members: 'null', description: '' })).toEqual(success);
  });

  test('more groups, or more members in total, than register should return', async () => {
    await organization.pool.query(
      "INSERT INTO user_groups (name, description) SELECT 'many ' || n, '' FROM generate_series(1, 999) n",
    );
    const create = (name: string): Promise<unknown> =>
      as('bob').post('user_groups/create', { name, description: '' });
    await expectOneSuccess(
      [create('one'), create('other')],
      'There may be at most 1000 user groups.',
    );
    const [id] = (await listGroups()).map((group) => group['id']);
    await organization.pool.query(
      `INSERT INTO users (email, email_folded, full_name, full_name_folded, short_name, is_active)
       SELECT 'many' || n, 'MANY' || n, 'Many', 'MANY', 'many', false FROM generate_series(1, 101) n`,
    );
    await organization.pool.query(
      `INSERT INTO user_group_members (group_id, user_id)
       SELECT g.id, u.id FROM user_groups g, users u WHERE u.short_name = 'many' AND g.id <> $1
       ORDER BY 1, 2 LIMIT 99999`,
      [id],
    );
    const add = (who: PersonKey): Promise<unknown> =>
      as('ann').post(`user_groups/${String(id)}/members`, {
        add: [organization.id(who)],
      });
    await add('bob');
    await expectRefusal(add('cat'), 'User groups may have at most 100000 members together.');
    await organization.pool.query('DELETE FROM user_groups');
    await organization.pool.query("DELETE FROM users WHERE short_name = 'many'");
  });

  test('people who do not exist', async () => {
    const id = await createGroup('crew');
    for (const unknown of [99_999, -1, 0, 5_000_000_000, Number.MAX_SAFE_INTEGER]) {
      const refusal = coded(`Invalid user ID: ${unknown}`);
      const wanted = { name: 'x', description: '', members: [organization.id('bob'), unknown] };
      await expectRefusal(as('ann').post('user_groups/create', wanted), refusal);
      for (const parameter of ['add', 'delete'])
        await expectRefusal(
          as('ann').post(`user_groups/${id}/members`, { [parameter]: [unknown] }),
          refusal,
        );
    }
    const { rows } = await organization.pool.query<{ id: number }>(
      'SELECT id FROM users WHERE is_system LIMIT 1',
    );
    const system = rows[0]?.id ?? 0;
    await expectRefusal(
      as('ann').post(`user_groups/${id}/members`, { add: [system] }),
      `Invalid user ID: ${system}`,
    );
    expect(await listGroups()).toMatchObject([{ name: 'crew', members: [] }]);
  });

  test('empty changes, and members given twice or absent, change nothing', async () => {
    const id = await createGroup('crew', ['bob']);
    const bob = organization.id('bob');
    const cat = organization.id('cat');
    const queues = await watchEveryKind(organization);
    const change = (parameters: Parameters): Promise<JsonObject> =>
      as('ann').post(`user_groups/${id}/members`, parameters);
    const nothing = uncoded('Nothing to do. Specify at least one of "add" or "delete".');
    await expectRefusal(change({}), nothing);
    await expectRefusal(change({ add: [], delete: [] }), nothing);
    await expectRefusal(
      change({ add: [cat, bob] }),
      `User ${bob} is already a member of this group`,
    );
    await expectRefusal(
      change({ add: [organization.id('gil')], delete: [cat] }),
      `There is no member '${cat}' in this user group`,
    );
    await expectRefusal(as('ann').patch(`user_groups/${id}`), uncoded('No new data supplied'));
    await expectRefusal(
      as('ann').patch(`user_groups/${id}`, { name: '', description: '' }),
      uncoded('No new data supplied'),
    );
    expect(await queues.shared()).toEqual([]);
    expect(await listGroups()).toMatchObject([{ members: [bob] }]);
    // A user in `add` can be removed in the same request.
    expect(await change({ add: [cat], delete: [cat] })).toEqual(success);
  });
});

describe('concurrently', () => {
  test('of two groups with one name one is created, at any replica', async () => {
    await expectOneSuccess(
      Array.from({ length: 6 }, () =>
        as('bob').post('user_groups/create', { name: 'crew', description: '' }),
      ),
      "User group 'crew' already exists.",
    );
    expect(await listGroups()).toHaveLength(1);
  });

  test('one person added by many is added once, with one event', async () => {
    const id = await createGroup('crew');
    const queues = await watchEveryKind(organization);
    const add = [organization.id('gil')];
    await expectOneSuccess(
      Array.from({ length: 6 }, () => as('ann').post(`user_groups/${id}/members`, { add })),
      `User ${organization.id('gil')} is already a member of this group`,
    );
    const events = [{ type: 'user_group', op: 'add_members', group_id: id, user_ids: add }];
    expect(await queues.shared()).toEqual(events);
  });

  test('a group that is deleted while people are added disappears, with no later events', async () => {
    for (const _turn of [1, 2, 3, 4, 5]) {
      const id = await createGroup('crew');
      const queues = await WatchedQueues.open({ gil: as('gil') }, as('cat'));
      const members = (['ann', 'bob', 'cat', 'gil'] as const).map((who) =>
        as('ann').request('POST', `user_groups/${id}/members`, { add: [organization.id(who)] }),
      );
      const answers = await Promise.all([
        ...members.slice(0, 2),
        as('ann').request('DELETE', `user_groups/${id}`),
        ...members.slice(2),
      ]);
      for (const { status, body } of answers)
        if (status !== 200) expect(body).toMatchObject({ msg: 'Invalid user group' });
      const { gil: events } = await queues.step();
      expect(events.at(-1)).toEqual({ type: 'user_group', op: 'remove', group_id: id });
      expect(events).toHaveLength(answers.filter(({ status }) => status === 200).length);
    }
  });

  test('events lead from the state of register to the current state', async () => {
    const id = await createGroup('crew', ['bob']);
    const queues = await WatchedQueues.open({ gil: as('gil') }, as('cat'));
    const others = (['ann', 'cat', 'gil', 'bobBot'] as const).map((who) => organization.id(who));
    await Promise.all(
      others.flatMap((user) => [
        as('ann').request('POST', `user_groups/${id}/members`, { add: [user] }),
        as('ann').request('POST', `user_groups/${id}/members`, { delete: [user] }),
        as('ann').request('POST', `user_groups/${id}/members`, { add: [user] }),
      ]),
    );
    const { gil: events } = await queues.step();
    const members = new Set([organization.id('bob')]);
    for (const event of events) {
      for (const user of event['user_ids'] as number[]) {
        if (event['op'] === 'add_members') members.add(user);
        else members.delete(user);
      }
    }
    const [group] = await listGroups();
    expect(group?.['members']).toEqual([...members].toSorted((a, b) => a - b));
  });
});
