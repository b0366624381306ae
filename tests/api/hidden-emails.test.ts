import { createHash } from 'node:crypto';

import { ApiClient, readObjects, settle } from '@parley/test-kit';
import type { JsonObject } from '@parley/test-kit';
import { beforeAll, expect, test } from 'vitest';

import { useFixture } from '../support/use-fixture.ts';
import { refusalOf } from './message-fixture.ts';
import { expectRefusal, uncoded } from './refusals.ts';
import { startSmallOrganization } from './small-organization.ts';
import type { PersonKey } from './small-organization.ts';
import { WatchedQueues } from './watched-queues.ts';

/** With the setting that only administrators see people's real addresses (reference facts, people 7.7). */

const organization = useFixture(() => startSmallOrganization());
beforeAll(async () => {
  const streams = { subscriptions: [{ name: 'quay' }] };
  await as('ann').post('users/me/subscriptions', streams);
  await as('bob').post('users/me/subscriptions', streams);
  await setVisibility(3);
});

const as = (who?: PersonKey): ApiClient => organization.client(who);
const domain = '127.0.0.1';
const hidden = (who: PersonKey): string => `user${organization.id(who)}@${domain}`;

async function setVisibility(visibility: 1 | 3): Promise<void> {
  await as('ann').patch('realm', { email_address_visibility: visibility });
  // So long the gateways name the former addresses.
  await settle();
}

async function listEmails(who: PersonKey): Promise<unknown[]> {
  const members = readObjects(await as(who).get('users'), 'members');
  return members.map((member) => [member['email'], member['delivery_email'], member['bot_owner']]);
}

test('people have generated addresses and bots their own; administrators also get the real ones', async () => {
  const everybody = [
    [hidden('ann'), undefined, undefined],
    [hidden('bob'), undefined, undefined],
    [hidden('cat'), undefined, undefined],
    [hidden('gil'), undefined, undefined],
    ['bob-bot@example.com', undefined, hidden('bob')],
    ['hook-bot@example.com', undefined, hidden('bob')],
  ];
  for (const who of ['bob', 'gil', 'bobBot'] as const)
    expect(await listEmails(who)).toEqual(everybody);
  const signingIn = ['Ann@example.com', 'bob@example.com', 'cat@example.com', 'gil@example.com'];
  expect(await listEmails('ann')).toEqual(
    everybody.map(([email, , owner], n) => [email, signingIn[n] ?? email, owner]),
  );
});

test('signing in requires the real address', async () => {
  const { apiKey } = organization.accounts.bob;
  const { gatewayUrls: urls } = organization.cluster;
  expect(await as('bob').get('users/me')).toMatchObject({ email: hidden('bob') });
  const wrong = new ApiClient({ urls, email: hidden('bob'), apiKey });
  expect((await wrong.request('GET', 'users/me')).body).toEqual({
    result: 'error',
    msg: 'Invalid API key',
  });
  expect(
    await as().post('fetch_api_key', { username: 'BOB@example.com', password: 'bob-secret' }),
  ).toMatchObject({ email: 'bob@example.com', api_key: apiKey });
  const hiddenBob = { username: hidden('bob'), password: 'bob-secret' };
  expect(await refusalOf(as().post('fetch_api_key', hiddenBob))).toMatchObject({ status: 403 });
});

test('requests name people by the visible addresses', async () => {
  const id = await as('ann').sendPrivately([hidden('bob')], 'psst');
  const { messages } = await as('bob').get('messages', {
    anchor: id,
    num_before: 0,
    num_after: 0,
    narrow: [{ operator: 'pm-with', operand: hidden('ann') }],
  });
  expect((messages as JsonObject[])[0]).toMatchObject({ id, sender_email: hidden('ann') });
  await refusalOf(as('ann').sendPrivately(['bob@example.com'], 'psst'));
  expect(await as('ann').subscribe('quay', { principals: [hidden('cat')] })).toMatchObject({
    subscribed: { [hidden('cat')]: ['quay'] },
  });
});

const real = ['ann@example.com', 'bob@example.com', 'cat@example.com', 'gil@example.com'];
const ownPicture = '/static/images/default-avatar.png?x=x&version=1';

test('no answer to others contains a real address or its hash', async () => {
  const queues = await WatchedQueues.open(
    { gil: as('gil'), cat: as('cat'), hook: as('bobBot') },
    as('cat'),
  );
  await as('bob').patch('settings', { full_name: 'Bob Hid' });
  await as('bob').patch('settings/display', { timezone: 'Asia/Tokyo' });
  await as('bob').sendToStream('quay', 'tide', 'low');
  await as('bob').post('bots', { full_name: 'Hidden Helper', short_name: 'hiddenhelper' });
  await as('bob').delete('users/me/avatar');
  const events = JSON.stringify(await queues.step());
  expect(events).toContain(hidden('bob'));
  const states = await Promise.all(
    (['bob', 'cat', 'gil', 'bobBot'] as const).map(async (who) => {
      const { delivery_email: own, ...state } = await as(who).post('register');
      expect(own).toBe(organization.accounts[who].user.email);
      return state;
    }),
  );
  const answers = await Promise.all([
    as('cat').get('users/me/subscriptions', { include_subscribers: true }),
    as('cat').get('messages', { anchor: 10_000_000_000_000_000, num_before: 50, num_after: 0 }),
    as('cat').get('users', { include_custom_profile_fields: true }),
    as('cat').get(`users/${organization.id('bob')}`),
    as('bob').get('users/me'),
    as('bob').get('bots'),
  ]);
  for (const text of [events, ...[...states, ...answers].map((answer) => JSON.stringify(answer))])
    for (const address of real) {
      expect(text.toLowerCase()).not.toContain(address);
      expect(text).not.toContain(createHash('md5').update(address).digest('hex'));
    }
});

test('pictures come from this server for everybody', async () => {
  const pictureOf = (users: readonly JsonObject[]): unknown =>
    users.find((user) => user['email'] === hidden('gil'))?.['avatar_url'];
  for (const client_gravatar of [false, true])
    for (const who of ['ann', 'bob', 'gil'] as const)
      expect(
        pictureOf(readObjects(await as(who).get('users', { client_gravatar }), 'members')),
      ).toBe(ownPicture);
  const queue = await as('cat').post('register', {
    event_types: ['message'],
    fetch_event_types: ['realm_user'],
    client_gravatar: true,
  });
  expect(pictureOf(readObjects(queue, 'realm_users'))).toBe(ownPicture);
  const id = await as('gil').sendPrivately([hidden('cat')], 'psst');
  const answer = await as('cat').get('events', {
    queue_id: queue['queue_id'],
    last_event_id: queue['last_event_id'],
  });
  expect(readObjects(answer, 'events')[0]).toMatchObject({
    message: { id, avatar_url: ownPicture, sender_email: hidden('gil') },
  });
  const page = { anchor: id, num_before: 0, num_after: 0, client_gravatar: true };
  expect(await as('cat').get('messages', page)).toMatchObject({
    messages: [{ avatar_url: ownPicture }],
  });
  const register = await as('gil').post('register', { fetch_event_types: ['realm_user'] });
  const medium = ownPicture.replace('.png', '-medium.png');
  expect(register).toMatchObject({ avatar_url: ownPicture, avatar_url_medium: medium });
  for (const [path, expected] of [
    [`/avatar/${organization.id('gil')}`, ownPicture],
    [`/avatar/${hidden('gil')}/medium`, medium],
  ] as const) {
    const { apiKey } = organization.accounts.cat;
    const url = `${organization.cluster.url}${path}?api_key=${apiKey}`;
    const found = await fetch(url, { redirect: 'manual' });
    expect(found.headers.get('location')).toBe(expected);
    const picture = await fetch(organization.cluster.url + expected);
    expect([picture.status, picture.headers.get('content-type')]).toEqual([200, 'image/png']);
  }
  const bots = readObjects(await as('gil').get('users'), 'members');
  expect(bots.find((bot) => bot['email'] === 'hook-bot@example.com')?.['avatar_url']).toContain(
    createHash('md5').update('hook-bot@example.com').digest('hex'),
  );
});

test('a new person is hidden at once, and an address is taken whether visible or not', async () => {
  const person = {
    email: 'Dora@example.com',
    password: 'kR7#vQp2tide',
    full_name: 'Dora',
    short_name: 'dora',
  };
  await as('ann').post('users', person);
  const members = readObjects(await as('ann').get('users'), 'members');
  const dora = members.find((member) => member['delivery_email'] === 'Dora@example.com');
  expect(dora?.['email']).toBe(`user${String(dora?.['user_id'])}@${domain}`);
  for (const email of ['DORA@example.com', 'bob@example.com', hidden('cat')]) {
    await expectRefusal(
      as('ann').post('users', { ...person, email }),
      uncoded(`Email '${email}' already in use`),
    );
  }
  expect(
    await as().post('fetch_api_key', { username: person.email, password: person.password }),
  ).toMatchObject({ email: 'Dora@example.com' });
});

test('when addresses are shown again everybody gets events, even if a name looks like a hidden address', async () => {
  await setVisibility(1);
  // A new person's real address equals the address that stands for Bob's hidden one.
  await as('ann').post('users', {
    email: hidden('bob'),
    password: 'kR7#vQp2tide',
    full_name: 'Nearly Bob',
  });
  await setVisibility(3);
  expect((await listEmails('gil'))[1]).toEqual([hidden('bob'), undefined, undefined]);
  const queues = await WatchedQueues.open({ gil: as('gil') }, as('cat'));
  await setVisibility(1);
  const { gil } = await queues.step();
  expect(gil[0]).toEqual({
    type: 'realm',
    op: 'update',
    property: 'email_address_visibility',
    value: 1,
  });
  const addresses = new Map(
    gil.slice(1).map((event) => {
      const person = event['person'] as { user_id: number; new_email: string };
      return [person.user_id, person.new_email];
    }),
  );
  expect(addresses.get(organization.id('bob'))).toBe('bob@example.com');
  expect([...addresses.values()]).toContain(hidden('bob'));
  expect(addresses.size).toBe(6);
  expect((await listEmails('ann')).slice(0, 4)).toEqual([
    ['Ann@example.com', undefined, undefined],
    ['bob@example.com', undefined, undefined],
    ['cat@example.com', undefined, undefined],
    ['gil@example.com', undefined, undefined],
  ]);
});
