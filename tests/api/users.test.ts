import { createHash } from 'node:crypto';

import { deriveKeySecrets, openEventMembers } from '@parley/auth/secrets';
import { readObjects, settle } from '@parley/test-kit';
import { expect, test } from 'vitest';

import { textMatching } from '../support/matchers.ts';
import { useFixture } from '../support/use-fixture.ts';
import { startSmallOrganization } from './small-organization.ts';

const organization = useFixture(() => startSmallOrganization());

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
  const path = `bots/${organization.id('bobBot')}/api_key/regenerate`;
  const { api_key: newKey } = await organization
    .client('bob')
    .post(path, { password: 'bob-secret' });
  expect(newKey).toMatch(/^[A-Za-z0-9]{32}$/);
  expect(newKey).not.toBe(oldKey);
  await settle();
  expect(await organization.client('bobBot').request('GET', 'users/me')).toMatchObject({
    status: 401,
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
