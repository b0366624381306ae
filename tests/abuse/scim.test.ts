/** Requests of SCIM that are broken or hostile: each is refused in SCIM's form, and changes nothing (decision 0052). */
import type { JsonObject } from '@parley/test-kit';
import { beforeAll, describe, expect, test } from 'vitest';

import { ScimClient, patchSchema, searchSchema, userSchema } from '../api/scim-client.ts';
import type { ScimAnswer } from '../api/scim-client.ts';
import { anyString } from '../support/matchers.ts';
import { useFixture } from '../support/use-fixture.ts';
import { startSmallOrganization } from '../api/small-organization.ts';

let scim: ScimClient;
const organization = useFixture(() => startSmallOrganization({ gateways: 1 }));
beforeAll(async () => {
  scim = await ScimClient.open(organization);
});

/** Everything that SCIM could have changed. */
async function state(): Promise<unknown> {
  const { rows } = await organization.pool.query({
    text: `SELECT (SELECT jsonb_agg(to_jsonb(u) ORDER BY id) FROM users u) AS users,
      (SELECT jsonb_agg(to_jsonb(g) ORDER BY id) FROM user_groups g) AS groups,
      (SELECT jsonb_agg(to_jsonb(m) ORDER BY group_id, user_id) FROM user_group_members m) AS members,
      (SELECT max(position) FROM log_entries) AS position`,
  });
  return rows;
}

function expectRefusal({ status, body }: ScimAnswer, what: string): void {
  const isRefusal = (status >= 400 && status < 500) || status === 501;
  expect({ what, isRefusal, ...body }).toMatchObject({
    what,
    isRefusal: true,
    schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
    status: String(status),
    detail: anyString,
  });
}

const filters = [
  'userName',
  'userName eq',
  'password eq "x"',
  'apiKey pr',
  '__proto__ eq "x"',
  'constructor.name eq "x"',
  'userName eq "\\u0000"',
  'userName eq 5',
  'active gt true',
  'active eq "maybe"',
  'members eq "1"',
  `${'('.repeat(900)}userName pr`,
  `userName eq "${'\\'.repeat(1_500)}`,
  `userName eq "${'x'.repeat(2_100)}"`,
  Array.from({ length: 60 }, (_, n) => `(userName eq "${n}" or id eq "${n}")`).join(' and '),
  "userName eq 'x' OR 1=1",
  'userName eq "x"; DROP TABLE users',
];

test('a filter that is none', async () => {
  for (const filter of filters) {
    const asked = await scim.get(`/Users?filter=${encodeURIComponent(filter)}`);
    const message = { schemas: [searchSchema], filter };
    for (const answer of [asked, await scim.send('POST', '/Users/.search', message)])
      expectRefusal(answer, filter.slice(0, 80));
  }
});

test('texts of filters are values, never patterns or SQL', async () => {
  for (const value of ['%', '_ob@example.com', '.*', "' OR true --", '\ud800', '\u202e', '$1'])
    for (const operator of ['eq', 'co', 'sw', 'ew']) {
      const filter = `userName ${operator} ${JSON.stringify(value)}`;
      expect([filter, ...(await scim.find('Users', filter))]).toEqual([filter]);
    }
});

test.each([
  '/Users?count=x',
  '/Users?startIndex=1.5',
  '/Users?sortOrder=sideways',
  '/Users?sortBy=password',
  '/Users?sortBy=id;DROP',
  '/Groups?sortBy=members',
  '/Users/0',
  '/Users/abc',
  '/Users/-1',
  '/Users/2147483648',
  '/Users/99999999999999999999',
  '/Users/1/roles',
  '/Users/',
  '/Users/%00',
  '/Groups/1e3',
  '/Nothing',
  '/',
  '',
  '/Schemas/%00',
  '/ResourceTypes/__proto__',
])('GET %s', async (path) => {
  expectRefusal(await scim.get(path), path);
});

const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;

describe('a body', () => {
  const bodies: readonly (readonly [string, unknown])[] = [
    ['empty', ''],
    ['no JSON', '{"userName": "x@example.com",}'],
    ['a form', 'userName=x@example.com&displayName=Xavier'],
    ['a list', []],
    ['null', 'null'],
    ['a text', '"x"'],
    ['deeply nested', deep],
    ['deeply nested inside', `{"userName":"x@example.com","displayName":${deep}}`],
    ['a NUL in a name', { userName: 'x@example.com', displayName: 'X\u0000y' }],
    ['a NUL in an address', { userName: 'x\u0000@example.com', displayName: 'Xavier' }],
    ['an object for a name', { userName: { a: 1 }, displayName: 'Xavier' }],
    ['a huge name', { userName: 'x@example.com', displayName: 'x'.repeat(500_000) }],
    ['a huge address', { userName: `${'x'.repeat(100_000)}@example.com`, displayName: 'Xavier' }],
    ['a name of a bot', { userName: 'x@example.com', displayName: '@**all**' }],
    ['a name that is a list', { userName: 'x@example.com', name: ['Xavier'] }],
    ['a number for active', { userName: 'x@example.com', displayName: 'Xavier', active: 1 }],
    [
      'a number for externalId',
      { userName: 'x@example.com', displayName: 'Xavier', externalId: 1 },
    ],
    [
      'a huge externalId',
      { userName: 'x@example.com', displayName: 'Xavier', externalId: 'x'.repeat(256) },
    ],
    ['emails that are numbers', { userName: 'x@example.com', displayName: 'Xavier', emails: [1] }],
    ['no userName', { displayName: 'Xavier', emails: [{ value: 'x@example.com' }] }],
    ['only names of prototypes', '{"__proto__":{"userName":"x@example.com"},"constructor":{}}'],
  ];

  test.each(bodies)('that is %s creates and replaces nobody', async (what, body) => {
    const before = await state();
    for (const [method, path] of [
      ['POST', '/Users'],
      ['PUT', `/Users/${organization.id('cat')}`],
      ['PATCH', `/Users/${organization.id('cat')}`],
    ] as const)
      expectRefusal(await scim.send(method, path, body), `${method} with ${what}`);
    expect(await state()).toEqual(before);
  });

  test('that is too large is refused with 413', async () => {
    const answer = await scim.send('POST', '/Users', 'x'.repeat(4 * 1024 * 1024 + 1));
    expect(answer.status).toBe(413);
    expectRefusal(answer, 'a large body');
  });

  test('that is labelled as something else is refused with 415', async () => {
    const given = { schemas: [userSchema], userName: 'ct@example.com', displayName: 'Cato Poe' };
    for (const contentType of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'application/xml',
    ])
      expect((await scim.send('POST', '/Users', given, { contentType })).status).toBe(415);
    for (const [n, contentType] of [
      'application/json',
      'Application/SCIM+JSON; charset=utf-8',
    ].entries())
      expect(
        (
          await scim.send(
            'POST',
            '/Users',
            { ...given, userName: `ct${n}@example.com` },
            { contentType },
          )
        ).status,
      ).toBe(201);
  });
});

test('a method that a path does not have', async () => {
  for (const [method, path] of [
    ['DELETE', '/Users'],
    ['POST', '/Users/1'],
    ['PUT', '/Groups'],
    ['POST', '/Schemas'],
    ['GET', '/Bulk'],
  ] as const) {
    const answer = await scim.send(method, path);
    expect([path, answer.status]).toEqual([path, 405]);
    expectRefusal(answer, path);
  }
});

test('operations that cannot be', async () => {
  const before = await state();
  const path = `/Users/${organization.id('cat')}`;
  const operations: readonly unknown[] = [
    { op: 'replace', path: 'active', value: 'maybe' },
    { op: 'replace', path: 'active', value: null },
    { op: 'remove', path: 'userName' },
    { op: 'remove', path: 'active' },
    { op: 'remove', path: 'emails[type eq "work"]' },
    { op: 'replace', path: 'userName', value: 'bob@example.com' },
    { op: 'replace', path: 'userName', value: 'no address' },
    { op: 'replace', path: 'emails[type eq "work"].value', value: 'bob@example.com' },
    { op: 'replace', path: 'emails[type eq "work"', value: 'x' },
    { op: 'replace', path: '__proto__.active', value: false },
    { op: 'replace', path: 'displayName', value: 'X\u202ey' },
    { op: 'replace', path: 'displayName', value: ['x'] },
    { op: 'replace', value: 'x' },
    { op: 'replace', value: [] },
    { op: 'test', path: 'active', value: true },
  ];
  for (const operation of operations)
    expectRefusal(await scim.patch(path, operation), JSON.stringify(operation));
  // None of several operations is carried out if one cannot be.
  for (const operation of operations)
    expectRefusal(
      await scim.patch(path, { op: 'replace', path: 'displayName', value: 'Cat New' }, operation),
      JSON.stringify(operation),
    );
  expect(await state()).toEqual(before);
});

describe('members', () => {
  let group: JsonObject;
  beforeAll(async () => {
    const given = { displayName: 'crew', members: [{ value: String(organization.id('bob')) }] };
    ({ body: group } = await scim.send('POST', '/Groups', given));
  });

  const value = (id: unknown): unknown => ({ op: 'add', path: 'members', value: [{ value: id }] });

  test('who cannot be', async () => {
    const before = await state();
    for (const operation of [
      value('0'),
      value('999999'),
      value('2147483648'),
      value('1e3'),
      value(1),
      value(null),
      value(String(organization.id('bobBot'))),
      { op: 'add', path: 'members', value: ['1'] },
      { op: 'add', path: 'members', value: [{ value: '1', type: 'Group' }] },
      { op: 'add', path: 'members[value eq "1"].display', value: 'x' },
      { op: 'remove', path: 'members[display co "a"]' },
      { op: 'remove', path: 'displayName' },
      { op: 'replace', path: 'displayName', value: '' },
      { op: 'replace', path: 'displayName', value: 'x'.repeat(101) },
    ])
      expectRefusal(
        await scim.patch(`/Groups/${String(group['id'])}`, operation),
        JSON.stringify(operation),
      );
    expect(await state()).toEqual(before);
  });

  test('more than ten thousand', async () => {
    const before = await state();
    const members = Array.from({ length: 10_001 }, (_, n) => ({ value: String(n + 1) }));
    for (const answer of [
      await scim.send('POST', '/Groups', { displayName: 'many', members }),
      await scim.send('PUT', `/Groups/${String(group['id'])}`, { displayName: 'crew', members }),
      await scim.patch(`/Groups/${String(group['id'])}`, {
        op: 'remove',
        path: 'members',
        value: members,
      }),
    ])
      expect(answer).toMatchObject({ status: 400, body: { scimType: 'tooMany' } });
    expect(await state()).toEqual(before);
  });

  test('ten thousand of whom nobody is a member are removed from a group', async () => {
    const members = Array.from({ length: 10_000 }, (_, n) => ({ value: String(n + 100_000) }));
    const path = `/Groups/${String(group['id'])}`;
    const answer = await scim.patch(path, { op: 'remove', path: 'members', value: members });
    expect(answer.status).toBe(204);
    expect((await scim.get(path)).body['members']).toHaveLength(1);
  });
});

test('a list of groups ends before its members are too many, and the next page goes on', async () => {
  await organization.pool.query(
    `WITH crowds AS (
        INSERT INTO user_groups (name, description) SELECT 'crowd ' || n, '' FROM generate_series(1, 3) n RETURNING id)
      INSERT INTO user_group_members (group_id, user_id)
      SELECT id, n FROM crowds, generate_series(100001, 115000) n`,
  );
  const found = `/Groups?sortBy=displayName&filter=${encodeURIComponent('displayName sw "crowd"')}`;
  const pages = [1, 2, 3].map((first) => scim.get(`${found}&startIndex=${first}`));
  for (const [n, { body }] of (await Promise.all(pages)).entries())
    expect(body).toMatchObject({
      totalResults: 3,
      startIndex: n + 1,
      itemsPerPage: 1,
      Resources: [{ displayName: `crowd ${n + 1}` }],
    });
  const { body } = await scim.get(`${found}&excludedAttributes=members`);
  expect(body).toMatchObject({ totalResults: 3, itemsPerPage: 3 });
  await organization.pool.query("DELETE FROM user_groups WHERE name LIKE 'crowd %'");
});

test('a message that is none', async () => {
  for (const body of [
    { schemas: [patchSchema], filter: 'userName pr' },
    { schemas: [searchSchema], filter: 5.5, count: {} },
    { schemas: [searchSchema], attributes: 'userName' },
    { schemas: [searchSchema], attributes: Array.from({ length: 101 }, () => 'x') },
  ])
    expectRefusal(
      await scim.send('POST', '/Users/.search', body),
      JSON.stringify(body).slice(0, 80),
    );
});
