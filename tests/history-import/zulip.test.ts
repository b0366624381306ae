import { join } from 'node:path';

import { limits } from '@parley/api';
import { readObjects } from '@parley/test-kit';
import type { ApiClient, JsonObject } from '@parley/test-kit';
import { beforeAll, describe, expect, test } from 'vitest';

import {
  contents,
  download,
  expectRecords,
  inStream,
  readMessages,
  useImportTarget,
} from './imported-organization.ts';
import type { Report } from './imported-organization.ts';
import { asExported, longText, realm, writeZulip } from './zulip-fixture.ts';

const addresses = {
  ada: 'ada@bakery.example',
  bo: 'bo@bakery.example',
  cy: 'cy@bakery.example',
  dee: 'dee@bakery.example',
  gus: 'gus@bakery.example',
} as const;

type Person = keyof typeof addresses;

const target = useImportTarget();
let report: Report;
let clients: Readonly<Record<Person, ApiClient>>;

beforeAll(async () => {
  const archive = join(target.folder, 'bakery.tar.gz');
  await writeZulip(archive);
  const moved = ['--source-url', 'https://old.example'];
  report = await target.report('zulip', archive, 'ADA@bakery.example', moved);
  clients = await target.startFor(addresses);
});

const client = (person: Person): ApiClient => clients[person];

const messagesOf = (
  person: Person,
  narrow?: Parameters<typeof readMessages>[1],
): Promise<JsonObject[]> => readMessages(client(person), narrow);

describe('every record is accounted for', () => {
  test('what was imported, merged and skipped adds up to an independent count', () => {
    const { records, counted } = report as {
      records: { kind: string; count: number }[];
      counted: Record<string, number>;
    };
    const totals: Record<string, number> = {};
    for (const { kind, count } of records) totals[kind] = (totals[kind] ?? 0) + count;
    const present = Object.entries(counted).filter(([, count]) => count > 0);
    expect(totals).toEqual(Object.fromEntries(present));
  });

  test('where `stats.txt` says otherwise, the report tells of it', () => {
    const told = Object.keys(report['remarks'] as object).filter((text) => text.includes('stats'));
    expect(told).toEqual(['stats.txt has another number of zerver_reaction in realm.json']);
  });

  test.each([
    ['stream "General" is now "General (2)"', 1],
    ['streams open to the web are public', 1],
    ['profile fields of unknown types are short texts', 1],
    ['edit histories that cannot be read', 1],
    ['topics that were empty or too long', 2],
    ['flags of newer releases were dropped', 1],
    ['files with another size than the archive says', 1],
    ['user group " bakers" is now "bakers"', 1],
  ])('the report remarks: %s', (remark, count) => {
    expect(report['remarks']).toHaveProperty([remark], count);
  });

  test.each([
    ['zerver_message', 'skipped', 'its sender is not in the archive', 1],
    ['zerver_message', 'merged', 'another message has its key', 1],
    ['zerver_usermessage', 'merged', 'the person has two rows of the message', 1],
    ['zerver_usermessage', 'skipped', 'it refers to a message that is not in its file', 1],
    ['zerver_usermessage', 'skipped', 'it refers to a person that is not in the archive', 1],
    ['zerver_usermessage', 'skipped', 'its message was not imported', 1],
    ['zerver_subscription', 'merged', 'the person is subscribed twice', 1],
    ['zerver_userprofile_mirrordummy', 'merged', 'another account has the same address', 1],
    ['zerver_realmemoji', 'skipped', 'its name or picture cannot be used', 1],
    ['zerver_reaction', 'merged', 'the person has reacted with this emoji before', 1],
    ['zerver_reaction', 'skipped', 'its emoji was not imported', 1],
    ['zerver_reaction', 'skipped', 'its message was not imported', 1],
    ['zerver_attachment', 'skipped', 'its file is not in the archive', 1],
    ['uploads/records.json', 'skipped', 'no message uses the file', 1],
    ['zerver_subscription', 'skipped', 'the person has left the stream', 3],
    ['zerver_subscription', 'skipped', 'everybody gets the own messages', 1],
    [
      'zerver_realmfilter',
      'skipped',
      'Invalid filter pattern.  Valid characters are [ a-zA-Z_#=/:+!-].',
      1,
    ],
    ['zerver_userpresence', 'skipped', 'who was there then has no place here', 1],
    ['zerver_botconfigdata', 'skipped', 'services of bots are set up anew', 1],
    ['zerver_analytics', 'skipped', 'statistics have no place here', 1],
    ['zerver_newthing', 'skipped', 'this release does not know the table', 2],
  ])('%s: %s, %s', (...record) => {
    expectRecords(report, [record]);
  });
});

describe('who may read what stays so', () => {
  test('a stream without shared history grants exactly the messages that each person got', async () => {
    expect(contents(await messagesOf('ada', inStream('board')))).toEqual([
      'Before Bo came to the board',
      'With Bo on the board, see #**board**',
    ]);
    expect(contents(await messagesOf('bo', inStream('board')))).toEqual([
      'With Bo on the board, see #**board**',
    ]);
    for (const outsider of ['cy', 'dee'] as const) {
      expect(contents(await messagesOf(outsider)).join('\n')).not.toMatch(/Before Bo|With Bo/);
      const { streams } = await client(outsider).get('streams');
      expect(JSON.stringify(streams)).not.toContain('board');
    }
  });

  test('a deactivated stream is read by those who got its messages, also after they left', async () => {
    expect(contents(await messagesOf('ada'))).toContain('In the cellar');
    for (const other of ['bo', 'cy', 'dee'] as const)
      expect(contents(await messagesOf(other))).not.toContain('In the cellar');
  });

  test('private messages are read by their participants', async () => {
    const privately = async (person: Person): Promise<unknown[]> =>
      contents(await messagesOf(person, [{ operator: 'is', operand: 'private' }]));
    expect(await privately('ada')).toEqual(['Dear bot', 'just you', 'and you', 'the three of us']);
    expect(await privately('bo')).toEqual(['just you', 'and you', 'the three of us']);
    expect(await privately('cy')).toEqual(['the three of us']);
    expect(await privately('dee')).toEqual([]);
  });

  test('what two people wrote to each other is one conversation', async () => {
    const withBo = [{ operator: 'pm-with', operand: addresses.bo }];
    expect(contents(await messagesOf('ada', withBo))).toEqual(['just you', 'and you']);
  });

  test('streams are open to the same people, or to fewer', async () => {
    const { rows } = await target.pool.query(
      `SELECT name, invite_only AS private, history_public_to_subscribers AS shared,
          is_announcement_only AS announcements, is_deactivated AS archived
        FROM streams ORDER BY id`,
    );
    const stream = (name: string, more: object = {}): object => ({
      name,
      private: false,
      shared: true,
      announcements: false,
      archived: false,
      ...more,
    });
    expect(rows).toEqual([
      stream('general'),
      stream('board', { private: true, shared: false }),
      stream('!DEACTIVATED:cellar', { private: true, archived: true }),
      stream('General (2)'),
      stream('porch', { private: true, shared: false }),
      stream('news', { announcements: true }),
      stream('rules', { announcements: true }),
    ]);
  });

  test('a file is open to those who see a message with it, and to nobody else', async () => {
    const linked = (await messagesOf('ada')).map(({ content }) => String(content)).join('\n');
    const path = /\/user_uploads\/1\/\S+recette-br%C3%BBl%C3%A9e\.txt/.exec(linked)?.[0] ?? '';
    expect(path).not.toContain('2/3f');
    for (const reader of ['cy', 'bo'] as const)
      expect((await download(client(reader), path)).status).toBe(200);
    const { attachments } = await client('bo').get('attachments');
    expect(attachments).toMatchObject([{ name: 'recette-brûlée.txt', size: 19, messages: [{}] }]);
  });
});

describe('what people had', () => {
  const flagsOf = async (person: Person): Promise<Record<string, unknown>> =>
    Object.fromEntries(
      (await messagesOf(person)).map(({ content, flags }) => [String(content).slice(0, 8), flags]),
    );

  test('flags, for those who got a message', async () => {
    expect(await flagsOf('bo')).toMatchObject({
      'Who **ba': ['read', 'wildcard_mentioned'],
      '@**Bo Ti': ['read', 'starred', 'mentioned'],
      'With Bo ': [],
      Rye: ['read'],
      'Look [he': ['has_alert_word'],
      'just you': ['read'],
      'and you': ['read'],
      'crumb cr': ['starred'],
    });
    expect(await flagsOf('ada')).toMatchObject({ 'With Bo ': ['read', 'collapsed'] });
    expect(await flagsOf('dee')).toMatchObject({ Rye: ['read', 'starred', 'historical'] });
  });

  test('unread messages, with those that somebody who was away is owed', async () => {
    const unread = async (person: Person): Promise<unknown[]> =>
      contents(await messagesOf(person, [{ operator: 'is', operand: 'unread' }])).map((content) =>
        content.slice(0, 8),
      );
    expect(await unread('ada')).toEqual(['Rye', 'just you', 'the thre']);
    expect(await unread('bo')).toEqual(['With Bo ', 'Look [he', 'the thre', 'crumb cr']);
    expect(await unread('cy')).toEqual(['@**Bo Ti', 'Rye', 'Look [he', 'the thre']);
  });

  test('reactions, one for each picture', async () => {
    const [first] = await messagesOf('ada', [{ operator: 'search', operand: 'bakes' }]);
    const names = readObjects(first ?? {}, 'reactions').map((reaction) => reaction['emoji_name']);
    expect(names).toEqual(['+1', 'lamp', 'zulip']);
  });

  test('settings, role, time zone, muted topics, groups and profile', async () => {
    const state = await client('bo').post('register', {});
    expect(state).toMatchObject({
      default_language: 'de',
      emojiset: 'twitter',
      timezone: 'Europe/Berlin',
      muted_topics: [['general', 'bread']],
      realm_description: 'We bake',
      realm_create_stream_policy: 2,
      realm_bot_creation_policy: 3,
      realm_signup_notifications_stream_id: -1,
      realm_default_streams: [{ name: 'general' }],
      realm_filters: [['#(?P<id>[0-9]+)', 'https://t.example/%(id)s', expect.any(Number)]],
      custom_profile_fields: [
        { name: 'Mentor', type: 6 },
        { name: 'Bread', type: 3 },
        { name: 'Pronouns', type: 1 },
      ],
      realm_domains: [{ domain: 'bakery.example', allow_subdomains: true }],
    });
    const me = await client('ada').get('users/me');
    expect(me).toMatchObject({ is_admin: true, full_name: 'Ada Quay' });
    const [bakers] = readObjects(state, 'realm_user_groups');
    expect([bakers?.['name'], bakers?.['members']]).toEqual([
      'bakers',
      [me['user_id'], (await client('bo').get('users/me'))['user_id']],
    ]);
    const subscriptions = readObjects(
      await client('ada').get('users/me/subscriptions'),
      'subscriptions',
    );
    const ofAda = (name: string): JsonObject | undefined =>
      subscriptions.find(({ name: found }) => found === name);
    expect(ofAda('board')).toMatchObject({ pin_to_top: true });
    expect(ofAda('board')?.['color']).toMatch(/^#[0-9a-f]{6}$/);
    expect(ofAda('general')).toMatchObject({ color: '#76ce90', is_muted: false });
    const board = readObjects(state, 'subscriptions').find(({ name }) => name === 'board');
    expect(board).toMatchObject({ is_muted: false, desktop_notifications: true });
    const users = readObjects(
      await client('ada').get('users', { include_custom_profile_fields: true }),
      'members',
    );
    const names = users.map(({ full_name: name, is_active: isActive }) => [name, isActive]);
    expect(names).toContainEqual(['Eli Buoy', false]);
    expect(names).toContainEqual(['Mail Sender', false]);
    expect(names).not.toContainEqual(['Bo Again', false]);
    expect(users.find(({ full_name: name }) => name === 'Dee Keel')).toMatchObject({
      is_guest: true,
    });
    expect(users.find(({ full_name: name }) => name === 'Eli Buoy')).toMatchObject({
      timezone: '',
    });
    const ada = users.find(({ full_name: name }) => name === 'Ada Quay');
    const bo = users.find(({ full_name: name }) => name === 'Bo Tide');
    expect(JSON.stringify(bo?.['profile_data'])).toContain(`[${String(ada?.['user_id'])}]`);
    expect(ada?.['avatar_url']).toContain('/user_avatars/');
    const profile = bo?.['profile_data'] as Record<string, JsonObject>;
    expect(Object.values(profile).map(({ value }) => value)).toEqual(
      expect.arrayContaining(['r', 'they']),
    );
  });

  test('what other releases have under other names', async () => {
    const state = await client('gus').post('register', {});
    expect(state).toMatchObject({ is_admin: true, alert_words: ['yeast'] });
    expect(readObjects(state, 'subscriptions')).toMatchObject([
      { name: 'general', is_muted: true },
    ]);
    const roles = readObjects(await client('ada').get('users'), 'members').map((user) => [
      user['full_name'],
      user['is_admin'],
      user['is_guest'],
    ]);
    expect(roles).toContainEqual(['Hal Rudder', false, true]);
    expect(roles).toContainEqual(['Ivy Helm', false, false]);
    expect(roles).toContainEqual(['Jo Brig', true, false]);
    expect((await client('ada').get('users/me/alert_words'))['alert_words']).toEqual(['oven']);
  });

  test('bots, with owners, and without their services', async () => {
    const users = readObjects(await client('ada').get('users'), 'members');
    const found = (name: string): JsonObject | undefined =>
      users.find(({ full_name: fullName }) => fullName === name);
    const bot = (name: string): unknown[] =>
      ['is_bot', 'bot_type', 'is_active', 'bot_owner_id'].map((field) => found(name)?.[field]);
    const [ada, bo] = [found('Ada Quay')?.['user_id'], found('Bo Tide')?.['user_id']];
    expect(bot('Oven Bot')).toEqual([true, 1, true, bo]);
    expect(bot('Call Bot')).toEqual([true, 3, false, ada]);
    expect(bot('odd-bot')).toEqual([true, 1, false, ada]);
  });
});

describe('texts', () => {
  test('are whole, with our ids in mentions and links', async () => {
    const messages = await messagesOf('ada');
    expect(contents(messages)).toContain(longText);
    const byStart = (begin: string): JsonObject | undefined =>
      messages.find(({ content }) => String(content).startsWith(begin));
    const first = byStart('Who **bakes**');
    const streamId = String(first?.['stream_id']);
    expect(byStart('Look')?.['content']).toBe(
      `Look [here](#narrow/stream/${streamId}-general/topic/bread/near/${String(first?.['id'])}) and #**board** :lamp:`,
    );
    expect(byStart('Look')?.['subject']).toBe('(no topic)');
    expect(byStart('crumb')?.['subject']).toBe('long'.repeat(15));
    expect(String(byStart('@**Bo Tide|')?.['content'])).not.toContain('|11**');
  });

  test('mention people, and link private streams only where their own members wrote', async () => {
    const answer = await client('ada').get('messages', {
      anchor: 'newest',
      num_before: 1000,
      num_after: 0,
    });
    const html = contents(readObjects(answer, 'messages')).join('\n');
    expect(html).toMatch(/<span class="user-mention" data-user-id="\d+">@Bo Tide<\/span>/);
    expect(html).toMatch(
      /<a class="stream" data-stream-id="\d+" href="\/#narrow\/stream\/\d+-board">/,
    );
    expect(html).toContain('alt=":lamp:"');
    expect(html).not.toContain('<p>old</p>');
  });

  test('are found by their time, although later ones precede them', async () => {
    const all = await messagesOf('ada');
    const early = all.find(({ content }) => content === 'Sent early');
    const begin = new Date((Number(early?.['timestamp']) + 1) * 1_000).toISOString();
    const idsOf = async (operator: string): Promise<unknown[]> =>
      (await messagesOf('ada', [{ operator, operand: begin }])).map(({ id }) => id);
    expect(await idsOf('before')).toEqual([early?.['id']]);
    expect(await idsOf('after')).toEqual(
      all.map(({ id }) => id).filter((id) => id !== early?.['id']),
    );
  });

  test('keep ids that nobody has, and links to other servers', async () => {
    const messages = await messagesOf('ada');
    const links = messages.find(({ subject }) => subject === 'links');
    const bo = String((await client('bo').get('users/me'))['user_id']);
    const first = messages.find(({ content }) => String(content).startsWith('Who **bakes**'));
    const there = `#narrow/stream/${String(first?.['stream_id'])}-general/near/${String(first?.['id'])}`;
    const [begin, end] = String(links?.['content']).split(
      /https?:\/\/[^/]+\/(?=#narrow\/stream\/\d+-general\/near\/\d+\), \[e)/,
    );
    expect(begin).toBe(
      `Ask @_**Bo Tide|${bo}**, [him](#narrow/pm-with/${bo}-bo), @**Gone|998**, [there](`,
    );
    expect(end).toBe(
      `${there}), [elsewhere](https://other.example/#narrow/stream/21-general/near/101)`,
    );
    expect(String(links?.['content'])).not.toContain('old.example');
    const { message_history: history } = await client('ada').get(
      `messages/${String(links?.['id'])}/history`,
    );
    expect(history).toMatchObject([{ topic: 'knots' }, { topic: 'links', prev_topic: 'knots' }]);
    expect(history).toHaveLength(2);
  });

  test('have their past', async () => {
    const messages = await messagesOf('ada');
    const rye = messages.find(({ content }) => content === 'Rye');
    expect(rye).toMatchObject({ subject: 'BREAD', last_edit_timestamp: 1_600_009_000 });
    const { message_history: history } = await client('ada').get(
      `messages/${String(rye?.['id'])}/history`,
    );
    expect(history).toMatchObject([
      { topic: 'grain', content: 'Wheat' },
      { topic: 'grain', content: 'Rye', prev_content: 'Wheat' },
      { topic: 'BREAD', prev_topic: 'grain' },
    ]);
  });

  test('are found by their words, also by their topic', async () => {
    const found = await messagesOf('bo', [{ operator: 'search', operand: 'crumb' }]);
    expect(found).toHaveLength(1);
    const topic = await messagesOf('bo', [
      ...inStream('general'),
      { operator: 'topic', operand: 'bread' },
    ]);
    expect(contents(topic)).toHaveLength(4);
  });
});

test('a poll is a poll of its sender, on which people vote', async () => {
  const [poll] = await messagesOf('ada', [{ operator: 'topic', operand: 'polls' }]);
  const [widget] = readObjects(poll ?? {}, 'submessages');
  expect(widget).toMatchObject({ msg_type: 'widget', sender_id: poll?.['sender_id'] });
  expect(JSON.parse(String(widget?.['content']))).toEqual({
    widget_type: 'poll',
    extra_data: { question: 'Rye or wheat?', options: ['Rye', 'Wheat'] },
  });
  await client('ada').post('submessage', {
    message_id: String(poll?.['id']),
    msg_type: 'widget',
    content: '{"type":"vote","key":"canned,0","vote":1}',
  });
});

test('times and the order of the source are kept', async () => {
  const messages = await messagesOf('ada');
  expect(messages[0]).toMatchObject({
    content: 'Dear bot',
    timestamp: 1_600_006_000,
    client: 'website',
  });
  expect(messages.at(-1)).toMatchObject({ content: 'Sent early', timestamp: 1_600_000_060 });
  const ids = messages.map(({ id }) => Number(id));
  expect(ids).toEqual(ids.toSorted((a, b) => a - b));
});

test('life goes on: sends, edits and reads work as for any message', async () => {
  const ada = client('ada');
  const id = await ada.sendToStream('board', 'secrets', 'After the import');
  expect(contents(await messagesOf('bo', inStream('board')))).toEqual([
    'With Bo on the board, see #**board**',
    'After the import',
  ]);
  const [before] = await messagesOf('ada', inStream('board'));
  expect(id).toBeGreaterThan(Number(before?.['id']));
  await client('bo').post('mark_all_as_read');
  expect(await messagesOf('bo', [{ operator: 'is', operand: 'unread' }])).toEqual([]);
});

test('no secret of the archive is kept anywhere', async () => {
  expect(JSON.stringify(report)).not.toMatch(/very-secret-zoom|bot-secret/);
  const { rows } = await target.pool.query<{ text: string }>(
    'SELECT (SELECT json_agg(r)::text FROM realm r) || (SELECT json_agg(s)::text FROM bot_services s) AS text',
  );
  expect(rows[0]?.text ?? '').not.toMatch(/very-secret-zoom|bot-secret/);
});

test('nothing was announced', async () => {
  for (const table of ['log_entries', 'side_effects', 'mails']) {
    const { rows } = await target.pool.query<{ count: number }>(
      `SELECT count(*) AS count FROM ${table} WHERE ${table === 'log_entries' ? `payload LIKE '%bread%' AND payload NOT LIKE '%After%'` : 'true'}`,
    );
    expect([table, rows[0]?.count]).toEqual([table, 0]);
  }
});

describe('an archive of a converter, with the log of another server', () => {
  const other = useImportTarget();
  let told: Report;

  beforeAll(async () => {
    const archive = join(other.folder, 'bakery.tar.gz');
    const log = (realm['zerver_realmauditlog'] ?? []).map((change) => ({
      ...change,
      event_last_message_id: 101,
      event_time: 1_500_000_000,
    }));
    const linkifiers = Array.from({ length: limits.linkifiersMax + 1 }, (_, n) => ({
      id: n,
      pattern: `t${n}-(?P<id>[0-9]+)`,
      url_format_string: 'https://t.example/%(id)s',
    }));
    await writeZulip(archive, {
      'realm.json': asExported({
        ...realm,
        sort_by_date: true,
        zerver_realmauditlog: log,
        zerver_realmfilter: linkifiers,
      }),
    });
    told = await other.report('zulip', archive, addresses.ada);
  });

  test('is in the order of time where `sort_by_date` says so', async () => {
    const { rows } = await other.pool.query<{ content: string }>(
      'SELECT content FROM messages ORDER BY id LIMIT 2',
    );
    expect(rows.map(({ content }) => content)).toEqual(['Sent early', 'Dear bot']);
  });

  test('owes nobody messages, and the report says so', () => {
    const remark = 'people who were away long lack messages: the log is of another server';
    expect(told['remarks']).toHaveProperty([remark], 1);
  });

  test('has as many linkifiers as are possible here', () => {
    expectRecords(told, [
      ['zerver_realmfilter', 'imported', '', limits.linkifiersMax],
      ['zerver_realmfilter', 'skipped', 'there are too many', 1],
    ]);
  });
});
