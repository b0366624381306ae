/** Every event about people, bots, groups, presence and status: its recipients and order (reference facts, events 13 and 18). */
import { settle } from '@parley/test-kit';
import type { JsonObject } from '@parley/test-kit';
import { describe, test } from 'vitest';

import { postFreshly } from '../support/browser.ts';
import { anyNumber, textMatching } from '../support/matchers.ts';
import { but, everybody, useEventAudience } from './event-audience.ts';
import type { EventAudience, Who } from './event-audience.ts';
import { peerEvent } from './event-bodies.ts';

let all: EventAudience;
const expectEvents = useEventAudience((made) => {
  all = made;
});

const allBut = (...left: readonly Who[]): Who[] => but(everybody, ...left);
const gravatar = textMatching(
  /^https:\/\/secure\.gravatar\.com\/avatar\/[0-9a-f]{32}\?d=identicon/,
);
const key = textMatching(/^[a-zA-Z0-9]{32}$/);

type Person = { readonly id: number; readonly email: string; readonly name: string };
const known = (who: Who): Person => ({
  id: all.id(who),
  email: all.email(who),
  name: all.people[who].user.fullName,
});

const ofPerson = (op: string, person: JsonObject): JsonObject => ({
  type: 'realm_user',
  op,
  person,
});
const ofBot = (op: string, bot: JsonObject): JsonObject => ({ type: 'realm_bot', op, bot });

function addedPerson({ id, email, name }: Person, more: JsonObject): JsonObject {
  return ofPerson('add', {
    email,
    user_id: id,
    is_admin: false,
    is_guest: false,
    full_name: name,
    avatar_url: gravatar,
    timezone: '',
    date_joined: textMatching(/\.\d{6}\+00:00$/),
    ...more,
  });
}
const removed = ({ id, email, name }: Person): JsonObject => ({
  email,
  user_id: id,
  full_name: name,
});
const changed = ({ id, email }: Person, change: JsonObject): JsonObject =>
  ofPerson('update', { user_id: id, email, ...change });

const fullBot = ({ id, email, name }: Person, more: JsonObject = {}): JsonObject => ({
  email,
  user_id: id,
  full_name: name,
  bot_type: 1,
  is_active: true,
  api_key: key,
  default_sending_stream: null,
  default_events_register_stream: null,
  default_all_public_streams: false,
  avatar_url: gravatar,
  services: [],
  owner: all.email('bob'),
  ...more,
});

describe('people', () => {
  const eve: { id: number; email: string; name: string } = {
    id: 0,
    email: 'eve@example.com',
    name: 'Eve',
  };
  let welcomeId = 0;
  const peer = (op: 'peer_add' | 'peer_remove'): JsonObject =>
    peerEvent(op, 'welcome', welcomeId, eve.id);

  test('a new person: everybody, then the subscriptions to default streams', async () => {
    await all.client('admin').subscribe('welcome');
    await all.client('admin').post('default_streams', { stream_name: 'welcome' });
    await all.forget();
    await all.client('admin').post('users', {
      email: eve.email,
      full_name: eve.name,
      short_name: 'eve',
      password: 'kR7#vQp2tide',
    });
    const { members } = await all.client('admin').get('users');
    const found = (members as { readonly user_id: number; readonly email: string }[]).find(
      ({ email }) => email === eve.email,
    );
    eve.id = found?.user_id ?? 0;
    welcomeId = await all.client('admin').streamId('welcome');
    await expectEvents({
      bodies: {
        add: addedPerson(eve, { is_bot: false, profile_data: {} }),
        peer: peer('peer_add'),
      },
      to: [
        [allBut('guest in', 'guest out'), 'add peer'],
        [['guest in', 'guest out'], 'add'],
      ],
    });
  });

  test('name, rights and profile: everybody', async () => {
    const admin = all.client('admin');
    const cat = known('cat');
    await admin.patch(`users/${cat.id}`, { full_name: JSON.stringify('Cat Q') });
    await admin.patch(`users/${cat.id}`, { is_admin: true });
    await admin.patch(`users/${cat.id}`, { is_admin: false, is_guest: true });
    await admin.patch(`users/${cat.id}`, { is_guest: false, full_name: JSON.stringify('Cat Moe') });
    await expectEvents({
      bodies: {
        name: changed(cat, { full_name: 'Cat Q' }),
        admin: changed(cat, { is_admin: true }),
        none: changed(cat, { is_admin: false }),
        guest: changed(cat, { is_guest: true }),
        member: changed(cat, { is_guest: false }),
        back: changed(cat, { full_name: 'Cat Moe' }),
      },
      to: [[everybody, 'name admin none guest member back']],
    });
    await admin.patch(`users/${cat.id}`, { full_name: JSON.stringify('Cat Moe') });
    await expectEvents({ bodies: {}, to: [] });
  });

  test("avatar and time zone: everybody, after the person's own event", async () => {
    await all.sendPicture('cat', 'users/me/avatar');
    await all.client('cat').delete('users/me/avatar');
    await all.client('cat').patch('settings/display', {
      timezone: JSON.stringify('Europe/Berlin'),
      night_mode: true,
    });
    const cat = known('cat');
    const picture = (source: string, url: unknown): JsonObject =>
      changed(cat, { avatar_source: source, avatar_url: url, avatar_url_medium: url });
    const own = (name: string, setting: unknown): JsonObject => ({
      type: 'update_display_settings',
      user: cat.email,
      setting_name: name,
      setting,
    });
    await expectEvents({
      bodies: {
        picture: picture('U', textMatching(/^\/user_avatars\//)),
        none: picture('G', gravatar),
        zone: own('timezone', 'Europe/Berlin'),
        night: own('night_mode', true),
        announced: changed(cat, { timezone: 'Europe/Berlin' }),
      },
      to: [
        [['cat'], 'picture none night zone announced'],
        [allBut('cat'), 'picture none announced'],
      ],
    });
  });

  test('custom profile fields: everybody, one for each changed value', async () => {
    const admin = all.client('admin');
    const { id } = await admin.post('realm/profile_fields', { name: 'Phone', field_type: 1 });
    await admin.patch(`realm/profile_fields/${String(id)}`, { name: 'Call', hint: 'me' });
    const data = [{ id, value: '*42*' }];
    await all.client('cat').patch('users/me/profile_data', { data });
    await all.client('cat').patch('users/me/profile_data', { data });
    await all.client('cat').delete('users/me/profile_data', { data: [id] });
    await admin.delete(`realm/profile_fields/${String(id)}`);
    const fields = (op: string, ...names: readonly (readonly [string, string])[]): JsonObject => ({
      type: 'custom_profile_fields',
      op,
      fields: names.map(([name, hint]) => ({
        id,
        name,
        type: 1,
        hint,
        field_data: '',
        order: anyNumber,
      })),
    });
    const value = (field: JsonObject): JsonObject =>
      ofPerson('update', { user_id: all.id('cat'), custom_profile_field: { id, ...field } });
    await expectEvents({
      bodies: {
        add: fields('add', ['Phone', '']),
        update: fields('update', ['Call', 'me']),
        value: value({ value: '*42*', rendered_value: '<p><em>42</em></p>' }),
        cleared: value({ value: null }),
        delete: fields('delete'),
      },
      to: [[everybody, 'add update value cleared delete']],
    });
  });

  test('deactivation: everybody else, for the person and each bot; reactivation: everybody', async () => {
    const admin = all.client('admin');
    const made = await admin.post('bots', { full_name: 'Evebot', short_name: 'evebot' });
    const bot = {
      id: made['user_id'] as number,
      email: made['email'] as string,
      name: 'Evebot',
    };
    await admin.patch(`bots/${bot.id}`, { bot_owner_id: eve.id });
    await all.forget();
    await admin.delete(`users/${eve.id}`);
    await admin.post(`users/${eve.id}/reactivate`);
    await admin.post(`users/${eve.id}/reactivate`);
    await expectEvents({
      bodies: {
        remove: ofPerson('remove', removed(eve)),
        person: ofPerson('remove', removed(bot)),
        bot: ofBot('remove', removed(bot)),
        add: addedPerson(eve, { is_bot: false, profile_data: {} }),
        left: peer('peer_remove'),
        joined: peer('peer_add'),
      },
      to: [
        [['admin'], 'left remove person bot add joined'],
        [allBut('admin', 'guest in', 'guest out'), 'left remove person add joined'],
        [['guest in', 'guest out'], 'remove person add'],
      ],
    });
  });
});

describe('bots', () => {
  const owners: readonly Who[] = ['admin', 'bob'];
  const robo: { id: number; email: string; name: string } = { id: 0, email: '', name: 'Robo' };
  const asPerson = (): JsonObject =>
    addedPerson(robo, { is_bot: true, bot_type: 1, bot_owner_id: all.id('bob') });

  test('a new bot: the account to everybody, the bot to its owner and to people who administer', async () => {
    const answer = await all
      .client('bob')
      .post('bots', { full_name: robo.name, short_name: 'robo' });
    robo.id = answer['user_id'] as number;
    robo.email = answer['email'] as string;
    await expectEvents({
      bodies: {
        account: asPerson(),
        bot: ofBot('add', fullBot(robo, { api_key: answer['api_key'] })),
      },
      to: [
        [owners, 'account bot'],
        [allBut(...owners), 'account'],
      ],
    });
  });

  test('changes: the name to everybody, the rest to those who manage the bot', async () => {
    const bob = all.client('bob');
    const makeEvent = (change: JsonObject): JsonObject =>
      ofBot('update', { email: robo.email, user_id: robo.id, ...change });
    await bob.patch(`bots/${robo.id}`, { full_name: 'Robo Q' });
    for (const _time of ['changed', 'unchanged'])
      await bob.patch(`bots/${robo.id}`, { full_name: 'Robo' });
    await bob.patch(`bots/${robo.id}`, {
      default_sending_stream: 'social',
      default_events_register_stream: 'social',
      default_all_public_streams: true,
    });
    await bob.patch(`bots/${robo.id}`, { default_sending_stream: 'closed' });
    await bob.patch(`bots/${robo.id}`, { default_all_public_streams: false });
    await bob.patch(`bots/${robo.id}`, { default_sending_stream: '' });
    const { api_key } = await postFreshly(
      bob.urls[0] ?? '',
      bob.email ?? '',
      `bots/${robo.id}/api_key/regenerate`,
    );
    await expectEvents({
      bodies: {
        account: changed(robo, { full_name: 'Robo Q' }),
        name: makeEvent({ full_name: 'Robo Q' }),
        again: changed(robo, { full_name: 'Robo' }),
        back: makeEvent({ full_name: 'Robo' }),
        sending: makeEvent({ default_sending_stream: 'social' }),
        register: makeEvent({ default_events_register_stream: 'social' }),
        public: makeEvent({ default_all_public_streams: true }),
        closed: makeEvent({ default_sending_stream: 'closed' }),
        own: makeEvent({ default_all_public_streams: false }),
        none: makeEvent({ default_sending_stream: null }),
        key: makeEvent({ api_key }),
      },
      to: [
        // Administrators also get events of a bot with a private default stream: register lists every bot to them.
        [owners, 'account name again back sending register public closed own none key'],
        [allBut(...owners), 'account again'],
      ],
    });
  });

  test('a new owner: remove for the old one, add for the new one, update for administrators, then everybody', async () => {
    await all.client('admin').patch(`bots/${robo.id}`, { bot_owner_id: all.id('cat') });
    const { id, email } = robo;
    const more = { default_events_register_stream: 'social', owner: all.email('cat') };
    await expectEvents({
      bodies: {
        lost: ofBot('delete', { email, user_id: id }),
        gained: ofBot('add', fullBot(robo, more)),
        update: ofBot('update', { email, user_id: id, owner_id: all.id('cat') }),
        account: ofPerson('update', { user_id: id, bot_owner_id: all.id('cat') }),
      },
      to: [
        [['bob'], 'lost account'],
        [['cat'], 'gained account'],
        [['admin'], 'update account'],
        [allBut('bob', 'cat', 'admin'), 'account'],
      ],
    });
    await all.client('admin').patch(`bots/${robo.id}`, { bot_owner_id: all.id('bob') });
  });

  test('deactivation and reactivation: the account to everybody, then the bot to those who manage it', async () => {
    await all.client('bob').delete(`bots/${robo.id}`);
    await all.client('bob').delete(`bots/${robo.id}`);
    await all.client('bob').post(`users/${robo.id}/reactivate`);
    await expectEvents({
      bodies: {
        person: ofPerson('remove', removed(robo)),
        bot: ofBot('remove', removed(robo)),
        account: asPerson(),
        back: ofBot('add', fullBot(robo, { default_events_register_stream: 'social' })),
      },
      to: [
        [owners, 'person bot account back'],
        [allBut(...owners), 'person account'],
      ],
    });
  });
});

describe('groups', () => {
  test('each change goes to everybody, name and description separately', async () => {
    const { bob } = all.people;
    await bob.client.post('user_groups/create', {
      name: 'ops',
      description: 'us',
      members: [all.id('cat'), all.id('bob')],
    });
    const groups = (await bob.client.get('user_groups'))['user_groups'] as { id: number }[];
    const id = groups[0]?.id ?? 0;
    await bob.client.patch(`user_groups/${id}`, { name: 'ops2', description: 'all' });
    await bob.client.post(`user_groups/${id}/members`, { add: [all.id('out')] });
    await bob.client.post(`user_groups/${id}/members`, { delete: [all.id('cat')] });
    await bob.client.delete(`user_groups/${id}`);
    const makeEvent = (op: string, more: JsonObject): JsonObject => ({
      type: 'user_group',
      op,
      ...more,
    });
    const members = [all.id('bob'), all.id('cat')].toSorted((a, b) => a - b);
    await expectEvents({
      bodies: {
        add: makeEvent('add', { group: { id, name: 'ops', description: 'us', members } }),
        name: makeEvent('update', { group_id: id, data: { name: 'ops2' } }),
        description: makeEvent('update', { group_id: id, data: { description: 'all' } }),
        more: makeEvent('add_members', { group_id: id, user_ids: [all.id('out')] }),
        less: makeEvent('remove_members', { group_id: id, user_ids: [all.id('cat')] }),
        remove: makeEvent('remove', { group_id: id }),
      },
      to: [[everybody, 'add name description more less remove']],
    });
  });
});

describe('presence and status', () => {
  test('the first report of a client and the return from idle: everybody; idle and a refresh: nobody', async () => {
    const report = (status: string): Promise<JsonObject> =>
      all.client('bob').post('users/me/presence', { status, client: 'website' });
    await report('idle');
    await settle();
    await report('active');
    await settle();
    await report('active');
    await report('idle');
    const makeEvent = (status: string): JsonObject => ({
      type: 'presence',
      email: all.email('bob'),
      user_id: all.id('bob'),
      server_timestamp: anyNumber,
      presence: {
        website: { client: 'website', status, timestamp: anyNumber, pushable: false },
      },
    });
    await expectEvents({
      bodies: { idle: makeEvent('idle'), active: makeEvent('active') },
      to: [[everybody, 'idle active']],
    });
  });

  test('a status: everybody, with only what the request set', async () => {
    const set = (status: JsonObject): Promise<JsonObject> =>
      all.client('guest out').post('users/me/status', status);
    await set({ away: true, status_text: ' out ' });
    await set({ away: false });
    await set({ status_text: '' });
    const makeEvent = (more: JsonObject): JsonObject => ({
      type: 'user_status',
      user_id: all.id('guest out'),
      ...more,
    });
    await expectEvents({
      bodies: {
        both: makeEvent({ away: true, status_text: 'out' }),
        away: makeEvent({ away: false }),
        text: makeEvent({ status_text: '' }),
      },
      to: [[everybody, 'both away text']],
    });
  });
});
