/** People kept by SCIM 2.0 (RFC 7643 and 7644; decision 0052). */
import type { JsonObject } from '@parley/test-kit';
import { beforeAll, describe, expect, test } from 'vitest';

import { Browser } from '../support/browser.ts';
import type { BrowserAnswer } from '../support/browser.ts';
import { anyNumber, anyString, textMatching } from '../support/matchers.ts';
import { useFixture } from '../support/use-fixture.ts';
import { FollowedQueue } from './follow-queue.ts';
import { ScimClient, scimError, searchSchema, userSchema } from './scim-client.ts';
import { startSmallOrganization } from './small-organization.ts';

let scim: ScimClient;
const organization = useFixture(() =>
  startSmallOrganization({ gateways: 2, events: 2, messages: 1 }),
);
beforeAll(async () => {
  scim = await ScimClient.open(organization);
});

const required = scimError(401, 'A SCIM token of this organization is required.');

async function membersByAddress(): Promise<Map<unknown, JsonObject>> {
  const { members } = await organization.client('ann').get('users');
  return new Map((members as JsonObject[]).map((member) => [member['email'], member]));
}

describe('a token', () => {
  test('is shown once, and listed with its name, maker and last use', async () => {
    const made = await organization.client('ann').post('scim_tokens', {
      name: ' Okta ',
      password: 'ann-secret',
    });
    expect(made).toMatchObject({ result: 'success', token: textMatching(/^scim_/) });
    const listed = async (): Promise<JsonObject> => {
      const answer = await organization.client('ann').get('scim_tokens');
      expect(JSON.stringify(answer)).not.toContain(made['token']);
      const tokens = answer['scim_tokens'] as JsonObject[];
      return tokens.find(({ id }) => id === made['id']) ?? {};
    };
    expect(await listed()).toEqual({
      id: made['id'],
      name: 'Okta',
      creator_id: organization.id('ann'),
      created_at: anyNumber,
      last_used_at: null,
    });
    const client = new ScimClient(organization.cluster.gatewayUrls, made['token'] as string);
    expect((await client.get('/Users?count=1')).status).toBe(200);
    expect(await listed()).toMatchObject({ last_used_at: anyNumber });
  });

  test('is stored as a hash', async () => {
    const { rows } = await organization.pool.query<{ text: string }>({
      text: 'SELECT scim_tokens::text AS text FROM scim_tokens',
    });
    expect(rows.length).toBeGreaterThan(0);
    for (const { text } of rows) expect(text).not.toContain(scim.token.slice(5));
  });

  test('is only for administrators to make, list and revoke, and for SCIM', async () => {
    for (const who of ['bob', 'gil', 'bobBot'] as const) {
      const client = organization.client(who);
      for (const answer of [
        await client.request('POST', 'scim_tokens', { name: 'x' }),
        await client.request('GET', 'scim_tokens'),
        await client.request('DELETE', 'scim_tokens/1'),
      ])
        expect(answer.body).toMatchObject({ result: 'error', code: 'UNAUTHORIZED_PRINCIPAL' });
    }
    const url = organization.cluster.url;
    const authorization = `Bearer ${scim.token}`;
    const answer = await fetch(`${url}/api/v1/users`, { headers: { authorization } });
    expect(answer.status).toBe(400);
    const { user, apiKey } = organization.accounts.ann;
    const key = Buffer.from(`${user.email}:${apiKey}`).toString('base64');
    for (const header of [
      '',
      `Basic ${key}`,
      `Bearer ${apiKey}`,
      `Bearer ${scim.token}x`,
      'Bearer',
    ])
      expect(await scim.send('GET', '/Users', undefined, { authorization: header })).toMatchObject({
        status: 401,
        body: required,
      });
    const refused = await scim.send('GET', '/Users', undefined, { authorization: '' });
    expect(refused.headers.get('www-authenticate')).toBe('Bearer realm="scim"');
  });

  test('is refused by every gateway as soon as it is revoked', async () => {
    const client = await ScimClient.open(organization, 'short');
    const urls = organization.cluster.gatewayUrls;
    for (const _url of urls) expect((await client.get('/Users?count=0')).status).toBe(200);
    const { scim_tokens: tokens } = await organization.client('ann').get('scim_tokens');
    const { id } = (tokens as JsonObject[]).find(({ name }) => name === 'short') ?? {};
    await organization.client('ann').delete(`scim_tokens/${String(id)}`);
    for (const _url of urls)
      expect(await client.get('/Users?count=0')).toMatchObject({ status: 401, body: required });
    const again = await organization.client('ann').request('DELETE', `scim_tokens/${String(id)}`);
    expect(again.body).toMatchObject({ msg: 'No such SCIM token' });
  });

  test('has a name with bounds, and there are at most twenty', async () => {
    const client = organization.client('ann');
    const browser = new Browser(organization.url);
    await browser.signIn('Ann@example.com');
    const make = (name: string): Promise<BrowserAnswer> =>
      browser.call('POST', 'scim_tokens', { form: { name } });
    for (const name of ['', '  ', 'a\u0007b', 'x'.repeat(101)])
      expect((await make(name)).status).toBe(400);
    const made: unknown[] = [];
    let last: JsonObject = {};
    for (let count = 0; count < 21 && last['result'] !== 'error'; count += 1) {
      last = (await make('many')).body;
      made.push(last['id']);
    }
    expect(last).toMatchObject({ msg: 'There may be at most 20 SCIM tokens.' });
    for (const id of made.slice(0, -1)) await client.delete(`scim_tokens/${String(id)}`);
  });
});

describe('a person', () => {
  test('is created with a name, an address and the default streams, past invite_required', async () => {
    const ann = organization.client('ann');
    await ann.patch('realm', { invite_required: true });
    await ann.subscribe('welcome');
    const { stream_id: streamId } = await ann.get('get_stream_id', { stream: 'welcome' });
    await ann.post('default_streams', { stream_id: streamId });
    const queue = await FollowedQueue.open(organization.client('bob'), {
      event_types: ['realm_user', 'subscription'],
    });
    const body = await scim.createUser('Dan@Example.com', 'Dan Roe', {
      externalId: 'okta-1',
      title: 'ignored',
      'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User': { department: 'x' },
    });
    expect(body).toEqual({
      schemas: [userSchema],
      id: textMatching(/^\d+$/),
      externalId: 'okta-1',
      userName: 'Dan@Example.com',
      displayName: 'Dan Roe',
      name: { formatted: 'Dan Roe' },
      emails: [{ value: 'Dan@Example.com', type: 'work', primary: true }],
      active: true,
      meta: {
        resourceType: 'User',
        created: anyString,
        location: textMatching(/\/scim\/v2\/Users\/\d+$/),
      },
    });
    expect((await queue.next(2)).map(({ type, op }) => [type, op])).toEqual([
      ['realm_user', 'add'],
      ['subscription', 'peer_add'],
    ]);
    expect((await membersByAddress()).get('Dan@Example.com')).toMatchObject({
      full_name: 'Dan Roe',
      is_admin: false,
      is_active: true,
    });
    const got = await scim.get(`/Users/${body.id}`);
    expect(got).toMatchObject({ status: 200, body });
    expect(got.headers.get('location')).toBe((body['meta'] as JsonObject)['location']);
  });

  test.each([
    ['formatted', { name: { formatted: 'Eve Moss', givenName: 'E', familyName: 'M' } }],
    ['parts', { name: { givenName: 'Eve', familyName: 'Moss' } }],
    ['letter case', { NAME: { GivenName: 'Eve', familyname: 'Moss' }, displayname: '' }],
  ])('has the name that its %s say', async (_what, given) => {
    const userName = `eve${Math.random()}@example.com`;
    const { body } = await scim.send('POST', '/Users', {
      schemas: [userSchema],
      userName,
      ...given,
    });
    expect(body).toMatchObject({ displayName: 'Eve Moss' });
  });

  test('is refused by the rules for new people', async () => {
    const create = (userName: unknown, displayName: unknown): Promise<unknown> =>
      scim.send('POST', '/Users', { schemas: [userSchema], userName, displayName });
    expect(await create('no address', 'Ann Lee')).toMatchObject({
      status: 400,
      body: scimError(400, 'The userName is not an email address.', 'invalidValue'),
    });
    expect(await create('BOB@example.com', 'Bob Ray')).toMatchObject({
      status: 409,
      body: scimError(409, "Email 'BOB@example.com' already in use", 'uniqueness'),
    });
    expect(await create('bob-bot@example.com', 'Bob Ray')).toMatchObject({ status: 409 });
    expect(await create('x1@example.com', 'A')).toMatchObject({
      body: scimError(400, 'Name too short!', 'invalidValue'),
    });
    expect(await create('x1@example.com', 'A'.repeat(101))).toMatchObject({
      body: scimError(400, 'Name too long!', 'invalidValue'),
    });
    expect(await create(5, 'Five')).toMatchObject({ status: 400 });
    expect(await create(undefined, 'Five')).toMatchObject({ status: 400 });
    await organization.client('ann').patch('realm', { disallow_disposable_email_addresses: true });
    expect(await create('x1@mailinator.com', 'Ann Lee')).toMatchObject({ status: 400 });
    expect(await scim.find('Users', 'userName sw "x1@"')).toEqual([]);
  });

  test('is one if several requests create it at once', async () => {
    const given = { schemas: [userSchema], userName: 'fay@example.com', displayName: 'Fay Low' };
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => scim.send('POST', '/Users', given)),
    );
    const statuses = answers.map(({ status }) => status).toSorted((a, b) => a - b);
    expect(statuses).toEqual([201, 409, 409, 409, 409, 409]);
  });

  test('gets no address that only looks like the one of before, nor comes back by it', async () => {
    const { id } = await scim.createUser('ivy@office.example', 'Ivy Low', {});
    const lookalike = { schemas: [userSchema], userName: 'ivy@offıce.example', displayName: 'Ivy' };
    const taken = { status: 409, body: { scimType: 'uniqueness' } };
    expect(await scim.send('PUT', `/Users/${id}`, lookalike)).toMatchObject(taken);
    await scim.send('DELETE', `/Users/${id}`);
    expect(await scim.send('POST', '/Users', lookalike)).toMatchObject(taken);
    const back = { ...lookalike, userName: 'IVY@office.example' };
    expect(await scim.send('POST', '/Users', back)).toMatchObject({ status: 201, body: { id } });
  });

  test('changes as a whole, or not at all', async () => {
    const { id } = await scim.createUser('gus@example.com', 'Gus Hay', { externalId: 'g-1' });
    const queue = await FollowedQueue.open(organization.client('bob'), {
      event_types: ['realm_user'],
    });
    const refused = await scim.send('PUT', `/Users/${id}`, {
      userName: 'bob@example.com',
      displayName: 'Gus New',
    });
    expect(refused).toMatchObject({ status: 409, body: { scimType: 'uniqueness' } });
    const { body } = await scim.send('PUT', `/Users/${id}`, {
      schemas: [userSchema],
      id: 'ignored',
      userName: 'gus.hay@example.com',
      displayName: 'Gus B. Hay',
      active: true,
    });
    expect(body).toMatchObject({
      id,
      userName: 'gus.hay@example.com',
      displayName: 'Gus B. Hay',
      externalId: 'g-1',
    });
    const people = (await queue.next(2)).map(({ person }) => person as JsonObject);
    expect(people.map(({ full_name: name }) => name).filter((name) => name !== undefined)).toEqual([
      'Gus B. Hay',
    ]);
  });

  test('who is deleted is deactivated, not found any more, and comes back with the same account', async () => {
    const { id } = await scim.createUser('hal@example.com', 'Hal Poe', { externalId: 'h-1' });
    expect(await scim.send('DELETE', `/Users/${id}`)).toMatchObject({ status: 204, body: {} });
    expect((await membersByAddress()).get('hal@example.com')).toMatchObject({ is_active: false });
    for (const answer of [
      await scim.send('DELETE', `/Users/${id}`),
      await scim.get(`/Users/${id}`),
      await scim.patch(`/Users/${id}`, { op: 'replace', path: 'active', value: true }),
    ])
      expect(answer).toMatchObject({
        status: 404,
        body: scimError(404, `There is no user ${id}.`),
      });
    expect(await scim.find('Users', 'userName eq "hal@example.com"')).toEqual([]);
    const back = await scim.createUser('HAL@example.com', 'Hal Poe II', { externalId: 'h-2' });
    expect(back).toMatchObject({ id, active: true, externalId: 'h-2', displayName: 'Hal Poe II' });
    expect((await membersByAddress()).get('HAL@example.com')).toMatchObject({ is_active: true });
  });

  test('who was deleted and is reactivated by an administrator is there again', async () => {
    const { id } = await scim.createUser('ivy@example.com', 'Ivy Poe');
    await scim.send('DELETE', `/Users/${id}`);
    await organization.client('ann').post(`users/${id}/reactivate`);
    expect((await scim.get(`/Users/${id}`)).body).toMatchObject({ active: true });
    await organization.client('ann').delete(`users/${id}`);
    expect((await scim.get(`/Users/${id}`)).body).toMatchObject({ active: false });
  });

  test('who may be created inactive', async () => {
    const body = await scim.createUser('jan@example.com', 'Jan Poe', { active: false });
    expect(body).toMatchObject({ active: false });
  });

  test('who is the last administrator stays', async () => {
    const id = organization.id('ann');
    const expected = {
      status: 400,
      body: scimError(400, 'The last administrator cannot be deactivated.', 'mutability'),
    };
    expect(await scim.send('DELETE', `/Users/${id}`)).toMatchObject(expected);
    expect(
      await scim.patch(
        `/Users/${id}`,
        { op: 'replace', path: 'displayName', value: 'Ann New' },
        { op: 'replace', path: 'active', value: false },
      ),
    ).toMatchObject(expected);
    expect((await scim.get(`/Users/${id}`)).body).toMatchObject({
      displayName: 'Ann Lee',
      active: true,
    });
  });

  test('is refused with the names of attributes as the schema writes them', async () => {
    const { id } = await scim.createUser('nat@example.com', 'Nat Orr');
    for (const [operation, detail] of [
      [{ op: 'replace', path: 'USERNAME', value: 7 }, 'userName is not a text.'],
      [{ op: 'replace', value: { name: { givenname: [] } } }, 'name.givenName is not a text.'],
      [{ op: 'remove', path: 'username' }, 'userName cannot be removed.'],
      [
        { op: 'replace', path: 'emails', value: Array.from({ length: 101 }, () => ({})) },
        'emails is not a list of at most 100.',
      ],
    ] as const)
      expect(await scim.patch(`/Users/${id}`, operation)).toMatchObject({
        status: 400,
        body: { detail },
      });
  });

  test('who is an administrator keeps the address, but for its letter case', async () => {
    const path = `/Users/${organization.id('ann')}`;
    for (const operation of [
      { op: 'replace', path: 'userName', value: 'mallory@example.com' },
      { op: 'replace', path: 'emails[type eq "work"].value', value: 'mallory@example.com' },
    ])
      expect(await scim.patch(path, operation)).toMatchObject({
        status: 400,
        body: { scimType: 'mutability' },
      });
    const replaced = await scim.send('PUT', path, {
      userName: 'mallory@example.com',
      displayName: 'Ann Lee',
    });
    expect(replaced).toMatchObject({ status: 400, body: { scimType: 'mutability' } });
    for (const value of ['ANN@example.com', 'Ann@example.com'])
      expect(
        (await scim.patch(path, { op: 'replace', path: 'userName', value })).body,
      ).toMatchObject({ userName: value });
  });

  test('is no bot', async () => {
    const id = organization.id('bobBot');
    expect((await scim.get(`/Users/${id}`)).status).toBe(404);
    expect((await scim.send('DELETE', `/Users/${id}`)).status).toBe(404);
    expect(await scim.find('Users', 'userName co "bot"')).toEqual([]);
    const { body } = await scim.get('/Users?count=200');
    const names = (body['Resources'] as JsonObject[]).map(({ userName }) => userName);
    expect(names).toContain('bob@example.com');
    expect(names.filter((name) => String(name).includes('bot'))).toEqual([]);
  });
});

describe('a list', () => {
  const ids = (list: readonly JsonObject[]): unknown[] => list.map(({ id }) => id);

  test('is found by address, name, identifier and activity', async () => {
    const { id } = await scim.createUser('lea@example.com', 'Lea Über', { externalId: 'L "1"' });
    for (const filter of [
      'userName eq "LEA@example.com"',
      'USERNAME EQ "lea@example.com"',
      `${userSchema}:userName eq "lea@example.com"`,
      'emails eq "lea@example.com"',
      'emails.value eq "lea@example.com"',
      'emails[type eq "work" and value eq "lea@example.com"]',
      'emails[type eq "work"].value eq "lea@example.com"',
      'externalId eq "L \\"1\\""',
      `id eq "${id}"`,
      'displayName eq "lea über"',
      'name.formatted sw "Lea Ü"',
      'userName ew "@example.com" and displayName co "EA ÜB"',
      'userName sw "lea" and active eq true',
      'userName sw "lea" and active eq "True"',
      'userName sw "lea" and not (active eq false)',
      '(userName eq "lea@example.com" or userName eq "none@example.com") and externalId pr',
      'userName ge "lea@example.com" and userName le "lea@example.com"',
    ])
      expect([filter, ...ids(await scim.find('Users', filter))]).toEqual([filter, id]);
    for (const filter of [
      'externalId eq "l \\"1\\""',
      'userName eq "lea@example.com" and active ne true',
      'userName sw "lea" and externalId eq null',
      `id eq "0${id}"`,
      'id eq "9999999999"',
      'id eq "x"',
      `userName sw "lea" and id ne "${id}"`,
      'userName eq "%"',
      'userName co "_ea"',
      'emails[type eq "home" and value eq "lea@example.com"]',
      'emails[type eq "home"].value eq "lea@example.com"',
      'emails[type eq "work"].value eq "bob@example.com" and userName sw "lea"',
    ])
      expect([filter, ...(await scim.find('Users', filter))]).toEqual([filter]);
  });

  test('has pages, an order and a bound', async () => {
    const all = await scim.get('/Users?count=1000');
    const total = all.body['totalResults'] as number;
    expect(all.body).toMatchObject({ startIndex: 1, itemsPerPage: Math.min(200, total) });
    const [first, second] = all.body['Resources'] as JsonObject[];
    const page = await scim.get('/Users?startIndex=2&count=1');
    expect(page.body).toMatchObject({
      totalResults: total,
      startIndex: 2,
      itemsPerPage: 1,
      Resources: [second],
    });
    for (const query of ['count=0', 'count=-3', 'startIndex=999999999999999'])
      expect((await scim.get(`/Users?${query}`)).body).toMatchObject({
        totalResults: total,
        itemsPerPage: 0,
        Resources: [],
      });
    expect((await scim.get('/Users?startIndex=-5&count=1')).body).toMatchObject({
      startIndex: 1,
      Resources: [first],
    });
    const sorted = await scim.get('/Users?sortBy=userName&sortOrder=descending&count=200');
    const byFullName = await scim.get(
      '/Users?sortBy=urn:ietf:params:scim:schemas:core:2.0:User:userName&sortOrder=descending&count=200',
    );
    expect(byFullName.body).toEqual(sorted.body);
    const names = (sorted.body['Resources'] as JsonObject[]).map(({ userName }) =>
      String(userName).toUpperCase(),
    );
    expect(names).toEqual(names.toSorted().toReversed());
  });

  test('has only the attributes that are wanted', async () => {
    const few = await scim.get('/Users?count=1&attributes=userName,name.formatted');
    const [user] = few.body['Resources'] as JsonObject[];
    expect(Object.keys(user ?? {}).toSorted()).toEqual(['id', 'name', 'schemas', 'userName']);
    const less = await scim.get('/Users?count=1&excludedAttributes=emails,id,urn:x:name');
    const [other] = less.body['Resources'] as JsonObject[];
    expect(Object.keys(other ?? {})).not.toContain('emails');
    expect(Object.keys(other ?? {})).toContain('id');
  });

  test('is found by a message too', async () => {
    const { status, body } = await scim.send('POST', '/Users/.search', {
      schemas: [searchSchema],
      filter: 'userName eq "bob@example.com"',
      attributes: ['userName'],
      startIndex: 1,
      count: 10,
    });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      totalResults: 1,
      Resources: [
        { schemas: [userSchema], id: String(organization.id('bob')), userName: 'bob@example.com' },
      ],
    });
  });

  test('has the real addresses, also where they are hidden', async () => {
    const ann = organization.client('ann');
    await ann.patch('realm', { email_address_visibility: 3 });
    const [bob] = await scim.find('Users', 'userName eq "bob@example.com"');
    await ann.patch('realm', { email_address_visibility: 1 });
    expect(bob).toMatchObject({ userName: 'bob@example.com' });
  });
});

describe('what this server does', () => {
  test('is said as it is', async () => {
    const { body } = await scim.get('/ServiceProviderConfig');
    expect(body).toMatchObject({
      patch: { supported: true },
      bulk: { supported: false },
      filter: { supported: true, maxResults: 200 },
      changePassword: { supported: false },
      sort: { supported: true },
      etag: { supported: false },
    });
    for (const kind of ['ResourceTypes', 'Schemas']) {
      const list = await scim.get(`/${kind}`);
      const resources = list.body['Resources'] as JsonObject[];
      expect(list.body).toMatchObject({ totalResults: 2 });
      for (const resource of resources)
        expect(await scim.get(`/${kind}/${String(resource['id'])}`)).toMatchObject({
          status: 200,
          body: resource,
        });
      expect((await scim.get(`/${kind}/Device`)).status).toBe(404);
    }
    for (const [method, path] of [
      ['GET', '/Me'],
      ['POST', '/Bulk'],
      ['POST', '/.search'],
    ] as const)
      expect(await scim.send(method, path)).toMatchObject({
        status: 501,
        body: { status: '501' },
      });
  });

  test('lists every attribute of a person', async () => {
    const { body } = await scim.get(`/Schemas/${userSchema}`);
    const declared = (body['attributes'] as JsonObject[]).map(({ name }) => name);
    const user = await scim.get(`/Users/${organization.id('bob')}`);
    const common = new Set(['schemas', 'id', 'meta']);
    const shown = Object.keys(user.body).filter((name) => !common.has(name));
    for (const name of shown) expect(declared).toContain(name);
  });
});
