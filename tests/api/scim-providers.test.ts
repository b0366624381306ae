/** What Okta and Microsoft Entra send, in their order and spelling (decision 0052). */
import type { JsonObject } from '@parley/test-kit';
import { beforeAll, describe, expect, test } from 'vitest';

import { useFixture } from '../support/use-fixture.ts';
import { FollowedQueue } from './follow-queue.ts';
import { ScimClient, groupSchema, patchSchema, userSchema } from './scim-client.ts';
import { startSmallOrganization } from './small-organization.ts';

const organization = useFixture(() => startSmallOrganization({ gateways: 2, events: 1 }));

async function groupNamed(name: string): Promise<JsonObject | undefined> {
  const { user_groups: groups } = await organization.client('ann').get('user_groups');
  return (groups as JsonObject[]).find((group) => group['name'] === name);
}

const json = { contentType: 'application/json' };
const utf8 = { contentType: 'application/scim+json; charset=utf-8' };

test('Okta tries, imports, assigns, updates, pushes groups, unassigns and assigns again', async () => {
  const okta = await ScimClient.open(organization, 'Okta');
  expect((await okta.get('/Users?startIndex=1&count=2')).status).toBe(200);
  expect(
    (await okta.get('/Users?filter=userName%20eq%20%22nobody%40example.com%22')).body,
  ).toMatchObject({ totalResults: 0, Resources: [] });
  const person = {
    schemas: [userSchema],
    userName: 'olga@example.com',
    name: { givenName: 'Olga', familyName: 'Ray' },
    emails: [{ primary: true, value: 'olga@example.com', type: 'work' }],
    displayName: 'Olga Ray',
    locale: 'en-US',
    externalId: '00u1',
    groups: [],
    password: 'never-kept',
    active: true,
  };
  const { status, body: made } = await okta.send('POST', '/Users', person, utf8);
  expect(status).toBe(201);
  const path = `/Users/${String(made['id'])}`;
  expect((await okta.send('POST', '/Users', person, utf8)).status).toBe(409);
  const changed = { ...person, ...made, displayName: 'Olga Ray-Lee', id: made['id'] };
  expect((await okta.send('PUT', path, changed, utf8)).body).toMatchObject({
    displayName: 'Olga Ray-Lee',
    externalId: '00u1',
  });
  const group = { schemas: [groupSchema], displayName: 'Crew', members: [] };
  const { body: crew } = await okta.send('POST', '/Groups', group, utf8);
  const groupPath = `/Groups/${String(crew['id'])}`;
  const queue = await FollowedQueue.open(organization.client('bob'), {
    event_types: ['user_group'],
  });
  const bob = String(organization.id('bob'));
  const add = { op: 'add', path: 'members', value: [{ value: made['id'] }, { value: bob }] };
  expect((await okta.patch(groupPath, add)).status).toBe(204);
  expect((await okta.get(groupPath)).body['members']).toHaveLength(2);
  const rename = { op: 'replace', value: { id: crew['id'], displayName: 'Deck crew' } };
  expect((await okta.patch(`${groupPath}?attributes=displayName`, rename)).body).toEqual({
    schemas: [groupSchema],
    id: crew['id'],
    displayName: 'Deck crew',
  });
  const remove = { op: 'remove', path: `members[value eq "${bob}"]` };
  expect((await okta.patch(groupPath, remove)).status).toBe(204);
  expect((await queue.next(3)).map(({ op }) => op)).toEqual([
    'add_members',
    'update',
    'remove_members',
  ]);
  expect(await groupNamed('Deck crew')).toMatchObject({ members: [Number(made['id'])] });
  const off = { op: 'replace', value: { active: false } };
  expect((await okta.patch(path, off)).body).toMatchObject({ active: false });
  expect(await okta.find('Users', 'userName eq "olga@example.com"')).toMatchObject([
    { active: false },
  ]);
  const again = await okta.send('PUT', path, { ...changed, active: true }, utf8);
  expect(again.body).toMatchObject({ id: made['id'], active: true });
  expect((await okta.send('DELETE', groupPath)).status).toBe(204);
  expect(await groupNamed('Deck crew')).toBeUndefined();
});

test('Entra tries, creates, patches by texts and paths, changes members, disables and deletes', async () => {
  const entra = await ScimClient.open(organization, 'Entra');
  const unknown = '/Users?filter=userName+eq+%22non-existent-71a2%22';
  expect((await entra.get(unknown)).body).toMatchObject({ totalResults: 0 });
  const { body: made } = await entra.send(
    'POST',
    '/Users',
    {
      schemas: [userSchema, 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'],
      externalId: 'erik.berg',
      userName: 'Erik.Berg@example.com',
      active: true,
      displayName: 'Erik Berg',
      emails: [{ primary: true, type: 'work', value: 'Erik.Berg@example.com' }],
      meta: { resourceType: 'User' },
      name: { formatted: 'Erik Berg', familyName: 'Berg', givenName: 'Erik' },
      roles: [],
      'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User': { department: 'Sales' },
    },
    json,
  );
  const path = `/Users/${String(made['id'])}`;
  const patched = await entra.patch(
    path,
    { op: 'Replace', path: 'emails[type eq "work"].value', value: 'erik.b@example.com' },
    { op: 'Replace', path: 'name.familyName', value: 'Bergman' },
    { op: 'Replace', path: 'displayName', value: 'Erik Bergman' },
    { op: 'Add', path: 'phoneNumbers[type eq "mobile"].value', value: '+47 555' },
    {
      op: 'Add',
      path: 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:department',
      value: 'Support',
    },
  );
  expect(patched).toMatchObject({
    status: 200,
    body: { userName: 'erik.b@example.com', displayName: 'Erik Bergman' },
  });
  const together = await entra.patch(path, {
    op: 'Replace',
    value: {
      'name.givenName': 'Eric',
      'name.familyName': 'Bergman',
      active: 'True',
      externalId: 'eb',
    },
  });
  expect(together.body).toMatchObject({ displayName: 'Eric Bergman', externalId: 'eb' });
  const { body: group } = await entra.send(
    'POST',
    '/Groups',
    { schemas: [groupSchema], externalId: 'g-1', displayName: 'Sales', meta: {} },
    json,
  );
  const groupPath = `/Groups/${String(group['id'])}`;
  expect(group).toMatchObject({ externalId: 'g-1', members: [] });
  const found = await entra.get(
    '/Groups?excludedAttributes=members&filter=displayName+eq+%22Sales%22',
  );
  expect(found.body).toMatchObject({ totalResults: 1, Resources: [{ id: group['id'] }] });
  expect((found.body['Resources'] as JsonObject[])[0]).not.toHaveProperty('members');
  const member = [{ $ref: null, value: made['id'] }];
  const added = await entra.send(
    'PATCH',
    groupPath,
    { schemas: [patchSchema], Operations: [{ op: 'Add', path: 'members', value: member }] },
    json,
  );
  expect(added).toMatchObject({ status: 204, body: {} });
  expect((await entra.get(groupPath)).body['members']).toMatchObject([
    { value: made['id'], display: 'Eric Bergman' },
  ]);
  const is = `id eq "${String(group['id'])}" and members eq "${String(made['id'])}"`;
  expect(await entra.find('Groups', is)).toHaveLength(1);
  const removed = await entra.patch(groupPath, { op: 'Remove', path: 'members', value: member });
  expect(removed.status).toBe(204);
  expect((await entra.get(groupPath)).body).toMatchObject({ members: [] });
  expect(await entra.find('Groups', is)).toEqual([]);
  const off = await entra.patch(path, { op: 'Replace', path: 'active', value: 'False' });
  expect(off.body).toMatchObject({ active: false });
  expect((await entra.send('DELETE', path)).status).toBe(204);
  expect((await entra.get(path)).status).toBe(404);
});

describe('a group', () => {
  let scim: ScimClient;
  beforeAll(async () => {
    scim = await ScimClient.open(organization, 'groups');
  });

  const create = (displayName: string, members: readonly unknown[] = []): Promise<JsonObject> =>
    scim
      .send('POST', '/Groups', { schemas: [groupSchema], displayName, members })
      .then(({ body }) => body);

  test('has a name that no other group has', async () => {
    await create('Watch');
    const other = await create('Other');
    const taken = { status: 409, body: { scimType: 'uniqueness' } };
    const given = { schemas: [groupSchema], displayName: 'Watch' };
    expect(await scim.send('POST', '/Groups', given)).toMatchObject(taken);
    expect(await scim.send('PUT', `/Groups/${String(other['id'])}`, given)).toMatchObject(taken);
    expect((await scim.get(`/Groups/${String(other['id'])}`)).body).toMatchObject({
      displayName: 'Other',
    });
  });

  test('keeps its bots and its description, which are not to be seen', async () => {
    const bot = organization.id('bobBot');
    await organization.client('ann').post('user_groups/create', {
      name: 'Mixed',
      description: 'People and a bot',
      members: [bot, organization.id('bob')],
    });
    const [group] = await scim.find('Groups', 'displayName eq "Mixed"');
    const path = `/Groups/${String(group?.['id'])}`;
    expect(group?.['members']).toMatchObject([{ value: String(organization.id('bob')) }]);
    const members = [{ value: String(organization.id('cat')) }];
    await scim.send('PUT', path, { schemas: [groupSchema], displayName: 'Mixed', members });
    expect(await groupNamed('Mixed')).toMatchObject({
      description: 'People and a bot',
      members: [organization.id('cat'), bot].toSorted((a, b) => a - b),
    });
    await scim.patch(path, { op: 'remove', path: 'members' });
    expect(await groupNamed('Mixed')).toMatchObject({ members: [bot] });
    await scim.patch(path, { op: 'remove', path: 'members', value: [{ value: String(bot) }] });
    expect(await groupNamed('Mixed')).toMatchObject({ members: [bot] });
  });

  test('gets the members that its operations leave, in their order', async () => {
    const [ann, bob, cat] = (['ann', 'bob', 'cat'] as const).map((who) => organization.id(who));
    const named = (id: number | undefined): JsonObject[] => [{ value: String(id) }];
    const { id } = await create('Ordered', named(ann));
    const path = `/Groups/${String(id)}`;
    const becomes = async (
      members: readonly unknown[],
      ...operations: unknown[]
    ): Promise<void> => {
      expect((await scim.patch(path, ...operations)).status).toBe(204);
      expect(await groupNamed('Ordered')).toMatchObject({ members });
    };
    const add = (member: number | undefined): unknown => ({
      op: 'add',
      path: 'members',
      value: named(member),
    });
    const remove = (member: number | undefined): unknown => ({
      op: 'remove',
      path: `members[value eq "${member}"]`,
    });
    await becomes([ann, bob], add(bob), add(ann));
    await becomes([bob, cat], remove(ann), add(cat), remove(999_999));
    await becomes([bob], add(ann), remove(ann), remove(cat), add(bob));
    await becomes([bob, cat], remove(bob), add(bob), add(cat));
    await becomes([ann], { op: 'replace', path: 'members', value: named(ann) }, remove(bob));
    await becomes([cat], add(bob), { op: 'remove', path: 'members' }, add(cat));
  });

  test('changes as a whole, or not at all', async () => {
    const { id } = await create('Whole', [{ value: String(organization.id('bob')) }]);
    const path = `/Groups/${String(id)}`;
    const refused = await scim.patch(
      path,
      { op: 'replace', path: 'displayName', value: 'Changed' },
      { op: 'remove', path: 'members' },
      { op: 'add', path: 'members', value: [{ value: '999999' }] },
    );
    expect(refused).toMatchObject({ status: 400, body: { scimType: 'invalidValue' } });
    expect((await scim.get(path)).body).toMatchObject({
      displayName: 'Whole',
      members: [{ value: String(organization.id('bob')) }],
    });
  });

  test('that is changed twice at once has both changes', async () => {
    const { id } = await create('Busy');
    const people = ['ann', 'bob', 'cat', 'gil'] as const;
    await Promise.all(
      people.map((who) =>
        scim.patch(`/Groups/${String(id)}`, {
          op: 'add',
          path: 'members',
          value: [{ value: String(organization.id(who)) }],
        }),
      ),
    );
    expect(await groupNamed('Busy')).toMatchObject({
      members: people.map((who) => organization.id(who)).toSorted((a, b) => a - b),
    });
  });

  test('that does not exist is not found', async () => {
    for (const method of ['GET', 'DELETE'] as const)
      expect((await scim.send(method, '/Groups/999999')).status).toBe(404);
    expect((await scim.patch('/Groups/999999', { op: 'remove', path: 'members' })).status).toBe(
      404,
    );
  });
});
