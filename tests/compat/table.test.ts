/** The README of this folder has each row of the facts about clients, and names existing tests. */
import { readFileSync } from 'node:fs';

import { describe, expect, test } from 'vitest';

import { hasTitle } from '../docs/named-tests.ts';

/** The rows of each section, by the number of the section. */
const sections: Readonly<Record<string, readonly string[]>> = {
  '1': ['1', '2', '3', '4', '5', '6', '7', '8', '9', '10'],
  '3.4': [
    '`get_subscribers`',
    '`move_topic`',
    '`get_raw_message`',
    '`update_user_by_id`',
    '`upload_file`, `upload_custom_emoji`',
    '`send_message`',
    '`get_messages`',
    '`get_message_history`',
    '`delete_message`',
    '`update_message_flags`',
    '`mark_all_as_read`',
    '`mark_stream_as_read`',
    '`mark_topic_as_read`',
    '`get_streams`',
    '`get_stream_topics`',
    '`add_subscriptions`',
    '`remove_subscriptions`',
    '`update_subscription_settings`',
    '`mute_topic`',
    '`get_profile`',
    '`get_users`, `get_members`',
    '`get_user_presence`',
    '`get_realm_emoji`',
    '`get_user_groups`',
    '`register`',
    '`get_events`, `deregister`',
    '`get_server_settings`',
    'PATCH `messages/{id}`',
    'POST `messages/{id}/reactions`',
    'DELETE `messages/{id}/reactions`',
    '`messages/render`',
    '`messages/matches_narrow`',
    '`user_uploads`',
    '`attachments`',
    '`users/me/presence`',
    '`realm/presence`',
    'GET `users/me/subscriptions`',
    '`get_stream_id`',
    'PATCH `streams/{id}`',
    'DELETE `streams/{id}`',
    '`streams/{id}/members`',
    '`streams/{id}/email_address`',
    '`default_streams`',
    'POST `users`',
    'GET `users/{id}`',
    'PATCH `users/{id}`',
    'DELETE `users/{id}`',
    '`users/{id}/reactivate`',
    '`users/{id}/subscriptions/{id}`',
    '`users/me/alert_words`',
    '`user_groups/…`',
    '`realm/filters`',
    '`realm/linkifiers`',
    '`realm/profile_fields`',
    '`realm/emoji/{name}`',
    '`settings/notifications`',
    '`typing`',
    '`bot_storage`',
  ],
  '4.2': [
    'accounts.retrieve',
    'server.settings',
    'users.retrieve',
    'users.create',
    'users.me.getProfile',
    'users.me.subscriptions.add',
    'users.me.subscriptions.remove',
    'users.me.pointer.retrieve',
    'users.me.pointer.update',
    'users.me.alertWords.retrieve',
    'streams.retrieve',
    'streams.getStreamId',
    'streams.deleteById',
    'streams.subscriptions.retrieve',
    'streams.topics.retrieve',
    'messages.retrieve',
    'messages.send',
    'messages.render',
    'messages.update',
    'messages.getById',
    'messages.getHistoryById',
    'messages.deleteById',
    'messages.flags.add',
    'messages.flags.remove',
    'messages.deleteReactionById',
    'reactions.remove',
    'reactions.add',
    'queues.register',
    'queues.deregister',
    'events.retrieve',
    'emojis.retrieve',
    'filters.retrieve',
    'typing.send',
    'callEndpoint',
  ].map((name) => `\`${name}\``),
  '5.4': [
    'queue_id, last_event_id, max_message_id',
    'zulip_version',
    'user_id, email, full_name, realm_name',
    'realm_message_retention_days',
    'realm_users',
    'cross_realm_bots',
    'presences',
    'subscriptions',
    'unread_msgs',
    'starred_messages',
    'muted_topics',
    'realm_user_groups',
    'realm_emoji',
    'twenty_four_hour_time, pm_content_in_desktop_notifications',
    'subscriptions[].subscribers',
    'subscriptions[].rendered_description, .history_public_to_subscribers, .stream_weekly_traffic',
    'presences[email].aggregated',
    'bot_type of bots',
    'custom_profile_fields',
    'realm_allow_edit_history',
    'realm_allow_message_editing, realm_message_content_edit_limit_seconds',
    'the own entry in realm_users',
    're-registration',
    'soft keys',
    'GET `//streams/{id}/email_address`',
  ],
  '5.6': [
    'scroll up, down',
    'open a view',
    'search',
    'newest message of a topic',
    'topic list',
    'send',
    'edit',
    'typing',
    'read, star',
    'react',
    'quote, edit, raw view',
    'edit history',
    'mute, pin, notify',
    'leave',
  ],
  '5.7': [
    'message',
    'update_message',
    'reaction',
    'submessage',
    'subscription update',
    'subscription peer_add, peer_remove',
    'subscription add, remove',
    'typing',
    'update_message_flags',
    'realm_emoji',
    'realm_user update',
    'user_settings',
    'heartbeat, unknown types',
  ],
  '6': ['1', '2', '3', '4', '5'],
};

const page = readFileSync(new URL('README.md', import.meta.url), 'utf8');

type Row = { readonly name: string; readonly tests: readonly string[] };

function readRows(section: string): Row[] {
  const [, rest = ''] = page.split(`\n## Section ${section}: `);
  const lines = (rest.split('\n## ')[0] ?? '').split('\n').filter((line) => line.startsWith('| '));
  // Heading and ruler come first.
  return lines.slice(2).map((line) => {
    const cells = line.slice(2, -2).split(' | ');
    return { name: cells[0] ?? '', tests: (cells.at(-1) ?? '').split('<br>') };
  });
}

describe.each(Object.entries(sections))('section %s', (section, expected) => {
  const rows = readRows(section);

  test('has each row of the facts once', () => {
    expect(rows.map(({ name }) => name)).toEqual(expected);
  });

  test.each(rows)('$name names existing tests', ({ tests }) => {
    const missing = tests.filter((named) => {
      const [, file, title] = /^`((?:\.\.\/[\w-]+\/)?[\w.-]+\.test\.ts)`: (.+)$/.exec(named) ?? [];
      if (file === undefined || title === undefined) return true;
      return !hasTitle(readFileSync(new URL(file, import.meta.url), 'utf8'), title);
    });
    expect(missing).toEqual([]);
  });
});
