import { createHash } from 'node:crypto';

import { deriveKeySecrets, openEventMembers } from '@parley/secrets';
import { readObjects, waitUntil } from '@parley/test-kit';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { textMatching } from '../support/matchers.ts';
import { startSmallOrganization } from './small-organization.ts';
import type { SmallOrganization } from './small-organization.ts';

let organization: SmallOrganization;
beforeAll(async () => {
  organization = await startSmallOrganization();
});
afterAll(() => organization.stop());

const md5 = (text: string): string => createHash('md5').update(text).digest('hex');
const gravatar = (email: string): string =>
  `https://secure.gravatar.com/avatar/${md5(email)}?d=identicon&version=1`;

test('GET users lists every account except system bots, including deactivated ones', async () => {
  const { cat, bobBot } = organization.accounts;
  await organization.client('ann').delete(`users/${cat.user.id}`);
  const members = readObjects(await organization.client('gil').get('users'), 'members');
  expect(members.map((member) => member['email'])).toEqual([
    'Ann@example.com',
    'bob@example.com',
    'cat@example.com',
    'gil@example.com',
    'bob-bot@example.com',
    'hook-bot@example.com',
  ]);
  const common = { timezone: '', date_joined: textMatching(/\.\d{6}\+00:00$/) };
  expect(members[0]).toEqual({
    ...common,
    user_id: organization.id('ann'),
    email: 'Ann@example.com',
    full_name: 'Ann Lee',
    is_bot: false,
    is_admin: true,
    is_guest: false,
    is_active: true,
    bot_type: null,
    avatar_url: gravatar('ann@example.com'),
  });
  expect(members[2]).toMatchObject({ is_active: false, is_admin: false });
  expect(members[3]).toMatchObject({ is_guest: true });
  expect(members[4]).toEqual({
    ...common,
    user_id: bobBot.user.id,
    email: 'bob-bot@example.com',
    full_name: 'Bob Bot',
    is_bot: true,
    is_admin: false,
    is_guest: false,
    is_active: true,
    bot_type: 1,
    bot_owner: 'bob@example.com',
    bot_owner_id: organization.id('bob'),
    avatar_url: gravatar('bob-bot@example.com'),
  });
});

test('client_gravatar omits Gravatar addresses; profile fields are included on request', async () => {
  const client = organization.client('bob');
  const members = readObjects(
    await client.get('users', { client_gravatar: true, include_custom_profile_fields: true }),
    'members',
  );
  expect(members.map((member) => member['avatar_url'])).toEqual([
    null,
    null,
    null,
    null,
    null,
    null,
  ]);
  expect(members.map((member) => 'profile_data' in member)).toEqual([
    true,
    true,
    true,
    true,
    false,
    false,
  ]);
  const { body } = await client.request('GET', 'users', { client_gravatar: 'True' });
  expect(body).toEqual({
    result: 'error',
    msg: 'Argument "client_gravatar" is not valid JSON.',
    code: 'BAD_REQUEST',
  });
});

test('GET users/me returns the profile with a new client_id every time', async () => {
  const first = await organization.client('bob').get('users/me');
  expect(first).toEqual({
    result: 'success',
    msg: '',
    user_id: organization.id('bob'),
    email: 'bob@example.com',
    full_name: 'Bob Ray',
    short_name: 'bob',
    avatar_url: gravatar('bob@example.com'),
    is_admin: false,
    is_bot: false,
    pointer: -1,
    client_id: textMatching(/^[0-9a-f]{32}$/),
    max_message_id: -1,
    profile_data: {},
  });
  const second = await organization.client('bob').get('users/me');
  expect(second['client_id']).not.toBe(first['client_id']);
  const bot = await organization.client('bobBot').get('users/me');
  expect(bot).toMatchObject({ is_bot: true });
  expect(bot).not.toHaveProperty('profile_data');
});

test('a new key replaces the old one, and is encrypted in the log', async () => {
  const before = await organization.position();
  const oldKey = organization.accounts.bobBot.apiKey;
  const { api_key: newKey } = await organization
    .client('bobBot')
    .post('users/me/api_key/regenerate');
  expect(newKey).toMatch(/^[A-Za-z0-9]{32}$/);
  expect(newKey).not.toBe(oldKey);
  await waitUntil('the old credentials are refused', async () => {
    const { status } = await organization.client('bobBot').request('GET', 'users/me');
    return status === 401;
  });
  expect(await organization.client('bobBot', String(newKey)).get('users/me')).toMatchObject({
    user_id: organization.id('bobBot'),
  });
  const [entry] = await organization.entriesAfter(before);
  expect(JSON.stringify(entry)).not.toContain(newKey);
  expect(entry).toMatchObject({
    kind: 'change',
    effects: [{ effect: 'key-changed', userId: organization.id('bobBot') }],
    events: [
      {
        form: 'same',
        audience: { to: 'users', userIds: [organization.id('bob'), organization.id('ann')] },
        event: {
          type: 'realm_bot',
          op: 'update',
          bot: { email: 'bob-bot@example.com', user_id: organization.id('bobBot') },
        },
        sealed: { member: 'bot' },
      },
    ],
  });
  const part = entry?.kind === 'change' ? entry.events[0] : undefined;
  const text = part?.form === 'same' ? part.sealed?.text : undefined;
  const secrets = deriveKeySecrets(organization.cluster.settings.keySecret);
  expect(openEventMembers(secrets, text ?? '')).toEqual({ api_key: newKey });
});

test('deactivation includes the bots, ends memberships and sends events in order', async () => {
  const { person, bot } = await organization.makePersonWithBot('dan');
  const streams = { subscriptions: [{ name: 'design' }] };
  await organization.client('bob').post('users/me/subscriptions', streams);
  await organization.clientOf(person).post('users/me/subscriptions', streams);
  await organization.clientOf(bot).post('users/me/subscriptions', streams);
  const before = await organization.position();
  expect(await organization.client('ann').delete(`users/${person.user.id}`)).toEqual({
    result: 'success',
    msg: '',
  });
  for (const account of [person, bot]) {
    await waitUntil('the old credentials are refused', async () => {
      const { status, body } = await organization.clientOf(account).request('GET', 'users/me');
      return status === 401 && body['msg'] === 'Account is deactivated';
    });
  }
  const [entry, ...others] = await organization.entriesAfter(before);
  expect(others).toEqual([]);
  const ids = [person.user.id, bot.user.id];
  expect(entry).toMatchObject({
    effects: [
      { effect: 'left', userIds: ids },
      ...ids.map((userId) => ({ effect: 'account', userId, role: 'member', isActive: false })),
    ],
  });
  const events = entry?.kind === 'change' ? entry.events : [];
  expect(
    events.map((part) => {
      if (part.form === 'peers') return [part.op, part.streamName, part.userIds, part.to];
      return part.form === 'same'
        ? [part.event.type, 'op' in part.event ? part.event.op : undefined, part.audience.to]
        : [];
    }),
  ).toEqual([
    // This must precede the removal of the accounts, because clients could not find the streams of a user whom they no longer know.
    ['peer_remove', 'design', ids, 'list-holders'],
    ['realm_user', 'remove', 'everyone'],
    ['realm_user', 'remove', 'everyone'],
    ['realm_bot', 'remove', 'users'],
  ]);
  const subscriptions = readObjects(
    await organization.client('bob').get('users/me/subscriptions', { include_subscribers: true }),
    'subscriptions',
  );
  expect(subscriptions[0]?.['subscribers']).toEqual(['bob@example.com']);
});

test('DELETE users/{id} refuses in the documented order', async () => {
  const refuse = async (who: 'ann' | 'bob', id: number): Promise<unknown> =>
    (await organization.client(who).request('DELETE', `users/${id}`)).body;
  const coded = (msg: string): object => ({ result: 'error', msg, code: 'BAD_REQUEST' });
  expect(await refuse('ann', 2_000_000_000)).toEqual(coded('No such user'));
  expect(await refuse('ann', organization.id('hookBot'))).toEqual(coded('No such user'));
  expect(await refuse('bob', organization.id('gil'))).toEqual(coded('Insufficient permission'));
  expect(await refuse('ann', organization.id('ann'))).toEqual({
    result: 'error',
    msg: 'Cannot deactivate the only organization administrator',
  });
  await organization.client('ann').delete(`users/${organization.id('gil')}`);
  expect(await refuse('ann', organization.id('gil'))).toEqual(coded('User is deactivated'));
});
