/** Events about messages, people, bots and the organization: who receives them, in which order (reference facts, events 11, 13, 14 and 18). */
import type { JsonObject } from '@parley/test-kit';
import { describe, test } from 'vitest';

import { postFreshly } from '../support/browser.ts';
import { anyNumber, textMatching } from '../support/matchers.ts';
import { but, everybody, inside, useEventAudience } from './event-audience.ts';
import type { Body, EventAudience, Who } from './event-audience.ts';
import { inPrivate, inStream, messageEvent } from './event-bodies.ts';
import type { Sent } from './event-bodies.ts';

const all = useEventAudience();
const expectEvents: EventAudience['expectEvents'] = (expected) => all.expectEvents(expected);

async function say(from: Who, content: string, topic = 'lunch', stream = 'social'): Promise<Sent> {
  return { id: await all.client(from).sendToStream(stream, topic, content), from, content };
}

async function tell(from: Who, to: readonly Who[], content: string): Promise<Sent> {
  const body = await all.client(from).post('messages', {
    type: 'private',
    to: to.map((who) => all.id(who)),
    content,
  });
  return { id: body['id'] as number, from, content };
}

/** Sends and drops the events, so that only later events are compared. */
async function said(from: Who, content: string, topic?: string, stream?: string): Promise<Sent> {
  const sent = await say(from, content, topic, stream);
  await all.queues.readWithMessages();
  return sent;
}

function reaction(who: Who, messageId: number, op: 'add' | 'remove'): JsonObject {
  const { user } = all.people[who];
  return {
    type: 'reaction',
    op,
    message_id: messageId,
    emoji_name: 'tada',
    emoji_code: '1f389',
    reaction_type: 'unicode_emoji',
    user: { user_id: user.id, email: user.email, full_name: user.fullName },
    user_id: user.id,
  };
}

const react = (who: Who, id: number): Promise<JsonObject> =>
  all.client(who).post(`messages/${id}/reactions`, { emoji_name: 'tada' });

describe('sending', () => {
  test('to a public stream: its subscribers, including guests, and nobody else', async () => {
    const sent = await say('bob', 'hello');
    await expectEvents({ bodies: { it: inStream(all, sent, 'lunch') }, to: [[inside, 'it']] });
  });

  test('to a public stream from outside: its subscribers and not the sender', async () => {
    const sent = await say('out', 'hello from outside');
    await expectEvents({ bodies: { it: inStream(all, sent, 'lunch') }, to: [[inside, 'it']] });
  });

  test('to a private stream: its subscribers and not administrators outside', async () => {
    const sent = await say('bob', 'hush', 'lunch', 'closed');
    const it = inStream(all, sent, 'lunch');
    const message = {
      ...(it['message'] as JsonObject),
      display_recipient: 'closed',
      stream_id: all.streamIds.closed,
    };
    await expectEvents({ bodies: { it: messageEvent(message) }, to: [[inside, 'it']] });
  });

  test('to one person, a group or oneself: the participants', async () => {
    const one = await tell('bob', ['cat'], 'just you');
    const group = await tell('guest out', ['bob', 'bot'], 'you two');
    const self = await tell('out', ['out'], 'note');
    const byEmail = (['bob', 'cat'] as const).toSorted((a, b) =>
      all.email(a) < all.email(b) ? -1 : 1,
    );
    const byId = (['bob', 'bot', 'guest out'] as const).toSorted((a, b) => all.id(a) - all.id(b));
    await expectEvents({
      bodies: {
        one: inPrivate(all, one, byEmail),
        group: inPrivate(all, group, byId),
        self: inPrivate(all, self, ['out']),
      },
      to: [
        [['bob', 'cat'], 'one'],
        [['bob', 'bot', 'guest out'], 'group'],
        [['out'], 'self'],
      ],
    });
  });

  test('with mentions: flags for those mentioned, also a bot outside; people outside get nothing', async () => {
    const content = '@**Cat Moe** @**Robo Bot** @**Olga Out** @**Gil Guest**';
    const named = await say('bob', content);
    const everyone = await say('admin', '@**all**');
    await expectEvents({
      bodies: {
        named: (who) =>
          inStream(all, named, 'lunch', ['cat', 'bot'].includes(who) ? ['mentioned'] : []),
        everyone: inStream(all, everyone, 'lunch', ['wildcard_mentioned']),
      },
      to: [
        [inside, 'named everyone'],
        [['bot'], 'named'],
      ],
    });
  });

  test('by a client for people: read only for the sender', async () => {
    const body = await all.client('bob').post('messages', {
      type: 'stream',
      to: 'social',
      topic: 'lunch',
      content: 'typed',
      client: 'website',
    });
    const sent = { id: body['id'] as number, from: 'bob' as const, content: 'typed' };
    const message: Body = (who) => {
      const { message: body } = inStream(all, sent, 'lunch');
      return messageEvent(
        { ...(body as JsonObject), client: 'website' },
        who === 'bob' ? ['read'] : [],
      );
    };
    await expectEvents({ bodies: { sent: message }, to: [[inside, 'sent']] });
  });
});

describe('deleting', () => {
  test('a private message: its participants', async () => {
    const { id, from } = await tell('bob', ['cat'], 'hi');
    await all.forget();
    await all.all.pool.query(
      `UPDATE realm SET settings = settings || '{"allow_message_deleting": true}'`,
    );
    await all.client('bob').delete(`messages/${id}`);
    const gone = {
      type: 'delete_message',
      message_id: id,
      sender: all.email(from),
      sender_id: all.id(from),
      message_type: 'private',
      recipient_id: anyNumber,
    };
    await expectEvents({ bodies: { gone }, to: [[['bob', 'cat'], 'gone']] });
  });
});

describe('reacting', () => {
  test('to a message that was moved: its holders', async () => {
    const sent = await said('bob', 'wow', 'from');
    await react('out', sent.id);
    await all.client('bob').patch(`messages/${sent.id}`, { topic: 'to' });
    await all.forget();
    await react('cat', sent.id);
    await expectEvents({
      bodies: { cat: reaction('cat', sent.id, 'add') },
      to: [[[...inside, 'out'], 'cat']],
    });
  });
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
const removedPerson = ({ id, email, name }: Person): JsonObject => ({
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
        person: ofPerson('remove', removedPerson(robo)),
        bot: ofBot('remove', removedPerson(robo)),
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

const realmUpdate = (property: string, value: unknown): JsonObject => ({
  type: 'realm',
  op: 'update',
  property,
  value,
});
describe('the organization', () => {
  test('hidden addresses: the setting, then the changed picture and address of each person', async () => {
    await all.client('admin').patch('realm', { email_address_visibility: 3 });
    const hidden = ['admin', 'bob', 'cat', 'guest in', 'out', 'guest out'] as const;
    const address = (who: Who, newEmail: unknown): JsonObject => ({
      type: 'realm_user',
      op: 'update',
      person: { user_id: all.id(who), new_email: newEmail },
    });
    const picture = (who: Who, formerEmail: unknown, url: unknown): JsonObject => ({
      type: 'realm_user',
      op: 'update',
      person: {
        user_id: all.id(who),
        email: formerEmail,
        avatar_source: 'G',
        avatar_url: url,
        avatar_url_medium: url,
      },
    });
    const own = (who: Who): string => all.email(who);
    const made = (who: Who): unknown => textMatching(new RegExp(`^user${all.id(who)}@`));
    const bodies = (
      setting: number,
      [formerEmail, newEmail]: readonly [(who: Who) => unknown, (who: Who) => unknown],
      url: unknown,
    ): Record<string, JsonObject> => ({
      setting: realmUpdate('email_address_visibility', setting),
      ...Object.fromEntries(
        hidden.flatMap((who, n) => [
          [`picture${n}`, picture(who, formerEmail(who), url)],
          [`address${n}`, address(who, newEmail(who))],
        ]),
      ),
    });
    const names = hidden
      .map((who, n) => [all.id(who), `picture${n} address${n}`] as const)
      .toSorted(([a], [b]) => a - b)
      .map(([, name]) => name)
      .join(' ');
    await expectEvents({
      bodies: bodies(3, [own, made], textMatching(/^\/static\/images\/default-avatar/)),
      to: [[everybody, `setting ${names}`]],
    });
    await all.client('admin').patch('realm', { email_address_visibility: 1 });
    await expectEvents({
      bodies: bodies(1, [made, own], textMatching(/^https:\/\/secure\.gravatar\.com\/avatar\//)),
      to: [[everybody, `setting ${names}`]],
    });
  });

  test('emoji: the whole list each time, with deactivated ones', async () => {
    await all.sendPicture('bob', 'realm/emoji/party');
    const { emoji } = await all.client('bob').get('realm/emoji');
    const id = Object.keys(emoji as JsonObject)[0] ?? 'none';
    await all.client('bob').delete('realm/emoji/party');
    const makeEvent = (deactivated: boolean): JsonObject => ({
      type: 'realm_emoji',
      op: 'update',
      realm_emoji: {
        [id]: {
          id,
          name: 'party',
          source_url: textMatching(/^\/user_avatars\//),
          deactivated,
          author: { id: all.id('bob'), email: all.email('bob'), full_name: 'Bob Ray' },
        },
      },
    });
    await expectEvents({
      bodies: { there: makeEvent(false), gone: makeEvent(true) },
      to: [[everybody, 'there gone']],
    });
  });

  test('linkifiers: the whole list each time', async () => {
    const pattern = '#(?P<id>[0-9]+)';
    const url = 'https://t.example.com/%(id)s';
    const { id } = await all
      .client('admin')
      .post('realm/filters', { pattern, url_format_string: url });
    await all.client('admin').delete(`realm/filters/${String(id)}`);
    await expectEvents({
      bodies: {
        one: { type: 'realm_filters', realm_filters: [[pattern, url, id]] },
        none: { type: 'realm_filters', realm_filters: [] },
      },
      to: [[everybody, 'one none']],
    });
  });
});

describe('the own account', () => {
  test('alert words: only the own queues', async () => {
    const bob = all.client('bob');
    await bob.post('users/me/alert_words', { alert_words: [' deploy ', '', 'ann'] });
    await bob.post('users/me/alert_words', { alert_words: ['ann'] });
    await bob.delete('users/me/alert_words', { alert_words: ['deploy', 'none'] });
    await bob.delete('users/me/alert_words', { alert_words: ['none'] });
    const words = (...alert: readonly string[]): JsonObject => ({
      type: 'alert_words',
      alert_words: alert,
    });
    await expectEvents({
      bodies: {
        both: words('deploy', 'ann'),
        left: words('ann'),
      },
      to: [[['bob'], 'both both left left']],
    });
  });

  test('the pointer: only forward', async () => {
    const first = await all.client('bob').sendToStream('social', 'x', 'one');
    const second = await all.client('bob').sendToStream('social', 'x', 'two');
    await all.forget();
    for (const pointer of [first, second, first])
      await all.client('cat').post('users/me/pointer', { pointer });
    await expectEvents({
      bodies: {
        one: { type: 'pointer', pointer: first },
        two: { type: 'pointer', pointer: second },
      },
      to: [[['cat'], 'one two']],
    });
  });
});
