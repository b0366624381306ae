/** Every event about the organization and about personal settings: its recipients and order (reference facts, events 14). */
import { waitUntil } from '@parley/test-kit';
import type { JsonObject, Parameters } from '@parley/test-kit';
import { describe, expect, test } from 'vitest';

import { anyNumber, anyString, textMatching } from '../support/matchers.ts';
import { everybody, useEventAudience } from './event-audience.ts';
import type { EventAudience, Who } from './event-audience.ts';

let all: EventAudience;
const expectEvents = useEventAudience((made) => {
  all = made;
});

const updated = (property: string, value: unknown): JsonObject => ({
  type: 'realm',
  op: 'update',
  property,
  value,
});
const together = (property: string, data: JsonObject): JsonObject => ({
  type: 'realm',
  op: 'update_dict',
  property,
  data,
});
const change = (wish: Parameters): Promise<JsonObject> => all.client('admin').patch('realm', wish);

describe('the organization', () => {
  test('settings: one event for each changed one, none for others; editing settings share one event', async () => {
    await change({ mandatory_topics: true });
    await change({ mandatory_topics: true });
    await change({ allow_community_topic_editing: false });
    await change({ message_content_delete_limit_seconds: 300 });
    await change({ notifications_stream_id: all.streamIds.social });
    await change({ notifications_stream_id: -1 });
    await change({ mandatory_topics: false, allow_community_topic_editing: true });
    const editing = (isOpen: boolean): JsonObject =>
      together('default', {
        allow_message_editing: true,
        message_content_edit_limit_seconds: 600,
        allow_community_topic_editing: isOpen,
      });
    await expectEvents({
      bodies: {
        topics: updated('mandatory_topics', true),
        editing: editing(false),
        limit: together('default', { message_content_delete_limit_seconds: 300 }),
        stream: updated('notifications_stream_id', all.streamIds.social),
        none: updated('notifications_stream_id', -1),
        back: updated('mandatory_topics', false),
        open: editing(true),
      },
      to: [[everybody, 'topics editing limit stream none back open']],
    });
  });

  test('authentication methods: all that the server has', async () => {
    await change({ authentication_methods: { Email: true, Dev: false } });
    await change({ authentication_methods: { Email: true, Dev: true } });
    const makeEvent = (isDevOn: boolean): JsonObject =>
      together('default', { authentication_methods: { Email: true, Dev: isDevOn } });
    await expectEvents({
      bodies: { off: makeEvent(false), on: makeEvent(true) },
      to: [[everybody, 'off on']],
    });
  });

  test('hidden addresses: the setting, then the changed picture and address of each person', async () => {
    await change({ email_address_visibility: 3 });
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
      setting: updated('email_address_visibility', setting),
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
    await change({ email_address_visibility: 1 });
    await expectEvents({
      bodies: bodies(1, [made, own], textMatching(/^https:\/\/secure\.gravatar\.com\/avatar\//)),
      to: [[everybody, `setting ${names}`]],
    });
  });

  test('icon and logos: their new address', async () => {
    await all.sendPicture('admin', 'realm/icon');
    await all.client('admin').delete('realm/icon');
    await all.sendPicture('admin', 'realm/logo', { night: 'false' });
    await all.sendPicture('admin', 'realm/logo', { night: 'true' });
    const uploaded = textMatching(/^\/user_avatars\/\d+\/realm\//);
    await expectEvents({
      bodies: {
        icon: together('icon', { icon_url: uploaded, icon_source: 'U' }),
        none: together('icon', { icon_url: anyString, icon_source: 'G' }),
        logo: together('logo', { logo_url: uploaded, logo_source: 'U' }),
        night: together('night_logo', { night_logo_url: uploaded, night_logo_source: 'U' }),
      },
      to: [[everybody, 'icon none logo night']],
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

  test('domains: each change; removing the last one first ends the restriction', async () => {
    const admin = all.client('admin');
    await admin.post('realm/domains', { domain: 'example.com', allow_subdomains: false });
    await change({ emails_restricted_to_domains: true });
    await admin.patch('realm/domains/example.com', { allow_subdomains: true });
    await admin.delete('realm/domains/example.com');
    const makeEvent = (op: string, more: JsonObject): JsonObject => ({
      type: 'realm_domains',
      op,
      ...more,
    });
    const domain = (allow_subdomains: boolean): JsonObject => ({
      realm_domain: { domain: 'example.com', allow_subdomains },
    });
    await expectEvents({
      bodies: {
        add: makeEvent('add', domain(false)),
        only: updated('emails_restricted_to_domains', true),
        change: makeEvent('change', domain(true)),
        free: updated('emails_restricted_to_domains', false),
        remove: makeEvent('remove', { domain: 'example.com' }),
      },
      to: [[everybody, 'add only change free remove']],
    });
  });

  test('profile fields: the whole list, also for a new order', async () => {
    const admin = all.client('admin');
    const one = await admin.post('realm/profile_fields', { name: 'One', field_type: 1 });
    const two = await admin.post('realm/profile_fields', { name: 'Two', field_type: 5 });
    await admin.patch('realm/profile_fields', { order: [two['id'], one['id']] });
    const field = (id: unknown, name: string, type: number, order: number): JsonObject => ({
      id,
      name,
      type,
      hint: '',
      field_data: '',
      order,
    });
    const makeEvent = (op: string, ...fields: readonly JsonObject[]): JsonObject => ({
      type: 'custom_profile_fields',
      op,
      fields,
    });
    const [first, second] = [one['id'], two['id']];
    await expectEvents({
      bodies: {
        one: makeEvent('add', field(first, 'One', 1, 0)),
        two: makeEvent('add', field(first, 'One', 1, 0), field(second, 'Two', 5, 1)),
        order: makeEvent('update', field(second, 'Two', 5, 0), field(first, 'One', 1, 1)),
      },
      to: [[everybody, 'one two order']],
    });
  });
});

describe('the own account', () => {
  test('display settings: one event for each changed one, a language with its name, none for enter-sends', async () => {
    const bob = all.client('bob');
    await bob.patch('settings/display', {
      night_mode: true,
      emojiset: JSON.stringify('twitter'),
      default_language: JSON.stringify('de'),
    });
    await bob.patch('settings/display', { night_mode: true });
    await bob.post('users/me/enter-sends', { enter_sends: true });
    const makeEvent = (name: string, setting: unknown, more: JsonObject = {}): JsonObject => ({
      type: 'update_display_settings',
      user: all.email('bob'),
      setting_name: name,
      setting,
      ...more,
    });
    const events = (await all.queues.readWithMessages()).bob;
    expect(events).toHaveLength(3);
    expect(events).toContainEqual(makeEvent('night_mode', true));
    expect(events).toContainEqual(makeEvent('emojiset', 'twitter'));
    expect(events).toContainEqual(
      makeEvent('default_language', 'de', { language_name: 'Deutsch' }),
    );
    await expectEvents({ bodies: {}, to: [] });
  });

  test('notification settings, alert words and pointer: only the own queues', async () => {
    const bob = all.client('bob');
    await bob.patch('settings/notifications', { enable_sounds: false });
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
        sounds: {
          type: 'update_global_notifications',
          user: all.email('bob'),
          notification_name: 'enable_sounds',
          setting: false,
        },
        both: words('deploy', 'ann'),
        left: words('ann'),
      },
      to: [[['bob'], 'sounds both both left left']],
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

describe('the end', () => {
  test('deactivation of the organization: everybody, as the last event', async () => {
    const answers = everybody.map(async (who) => {
      const client = all.client(who);
      const { queue_id: queueId, last_event_id: last } = await client.post('register', {
        event_types: ['realm'],
        fetch_event_types: [],
      });
      return { queueId, last, client };
    });
    const polls = (await Promise.all(answers)).map(({ queueId, last, client }) =>
      client.get('events', { queue_id: queueId, last_event_id: last }),
    );
    // A poll after the deactivation is refused.
    await waitUntil('the polls are held', async () => {
      const nodes = all.cluster.findProcesses('events');
      const held = await Promise.all(
        nodes.map((node) => node.readMetric('parley_event_polls_held')),
      );
      return held.reduce((sum, count) => sum + count, 0) === polls.length;
    });
    await all.client('admin').post('realm/deactivate');
    for (const { events } of await Promise.all(polls))
      expect(events).toStrictEqual([
        { type: 'realm', op: 'deactivated', realm_id: 1, id: anyNumber },
      ]);
  });
});
