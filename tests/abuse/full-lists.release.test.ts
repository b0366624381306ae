/** Every list that register returns, filled to its bound: what one answer takes, and the node that makes it (decision 0063). */
import { readFile } from 'node:fs/promises';

import { limits } from '@parley/api';
import { makeMessages } from '@parley/demo';
import { lockListSizes, presenceClientsMax } from '@parley/store';
import type { SharedList } from '@parley/store';
import { makeOrganization, openTestPool, startCluster } from '@parley/test-kit';
import type { Cluster, ServiceProcess, TestAccount, TestOrganization } from '@parley/test-kit';
import { readServiceConfig } from '@parley/config';
import type { ListBounds } from '@parley/config';
import type { Pool } from '@parley/database';
import { transaction } from '@parley/database';
import { afterAll, beforeAll, expect, test } from 'vitest';

const answerMaxBytes = 16_000_000;
const nodeMaxBytes = 512 * 1024 * 1024;

let cluster: Cluster<ServiceProcess>;
let organization: TestOrganization;
let pool: Pool;
let reader: TestAccount;
let bounds: ListBounds;

beforeAll(async () => {
  cluster = await startCluster({
    checkAnswers: false,
    people: 1,
    subscriptions: 1,
    events: 1,
    // What Node gives itself in a container of this size.
    serviceEnvironment: {
      events: { NODE_OPTIONS: `--max-old-space-size=${nodeMaxBytes / 2 / 1024 / 1024}` },
    },
  });
  organization = await makeOrganization(cluster);
  pool = openTestPool(cluster.settings.databaseUrl, 2);
  reader = await organization.makeAccount('Reader', { role: 'administrator' });
  bounds = readServiceConfig(
    {
      DATABASE_URL: cluster.settings.databaseUrl,
      REDIS_URL: cluster.settings.redisUrl,
      PARLEY_INTERNAL_SECRET: cluster.settings.internalSecret,
      PARLEY_KEY_SECRET: cluster.settings.keySecret,
    },
    'events',
  ).lists;
  await fillAll();
}, 600_000);
afterAll(async () => {
  await pool?.end();
  await organization?.close();
  await cluster?.stop();
});

/** Characters of four bytes, the most in a text with a limit of characters. */
const wide = (characters: number): string => `repeat('🐟', ${characters})`;

async function fill(text: string): Promise<void> {
  await pool.query({ text: `SET LOCAL statement_timeout = 0; ${text}` });
}

/** So many accounts: the reader, and those with the longest ids. */
const people = (count: number): string =>
  `(SELECT id FROM users WHERE NOT is_system ORDER BY id <> ${reader.id}, id DESC LIMIT ${count})`;

/** Fills in statements that the bounds permit; whatever has texts of a bounded size together gets equal shares of it. */
async function fillAll(): Promise<void> {
  const { accountsMax, botsMax, streamsMax, subscriptionsMax, textsMaxBytes } = bounds;
  /** The length of each of some texts which have the room of a list, together with so many bytes each beside them. */
  const share = (elements: number, beside: number): number =>
    Math.floor(textsMaxBytes / elements) - beside;
  await fill(`INSERT INTO users (email, email_folded, full_name, full_name_folded, short_name, bot_type, bot_owner_id)
    SELECT n || '@full.example', n || '@full.example', rpad(n || ' ', ${share(accountsMax, 23)}, 'x'), n, n,
      CASE WHEN n <= ${botsMax} THEN 3 END, CASE WHEN n <= ${botsMax} THEN ${reader.id} END
    FROM generate_series(1, ${accountsMax} - (SELECT count(*) FROM users WHERE NOT is_system)) n`);
  await fill(`INSERT INTO bot_services (bot_id, name, base_url)
    SELECT id, 'x', rpad('https://', ${share(botsMax, 2)}, 'x') FROM users WHERE bot_type = 3`);
  await fill(`INSERT INTO user_status (user_id, away, status_text)
    SELECT id, true, ${wide(limits.statusTextMaxCodePoints)} FROM users WHERE NOT is_system`);
  await fill(`INSERT INTO presence (user_id, client, status, reported_at)
    SELECT u.id, rpad(c || '', ${limits.clientNameMaxCodePoints}, 'x'), 'active', parley_now()
    FROM users u CROSS JOIN generate_series(1, ${presenceClientsMax}) c WHERE NOT u.is_system AND u.bot_type IS NULL`);
  await fill(`INSERT INTO streams (name, name_folded, description, rendered_description, email_token, is_default)
    SELECT rpad(n || ' ', 60, 'x'), n, rpad('', ${Math.floor(share(streamsMax, 66) / 2)}, 'x'),
      rpad('', ${Math.floor(share(streamsMax, 66) / 2)}, 'x'), '', n <= ${limits.defaultStreamsMax} FROM generate_series(1, ${streamsMax}) n`);
  await fill(`INSERT INTO subscriptions (user_id, stream_id, is_active, color)
    SELECT u.id, s.id, true, '#aabbcc' FROM ${people(Math.ceil(subscriptionsMax / streamsMax))} u CROSS JOIN streams s
    LIMIT ${subscriptionsMax}`);
  await fill(
    `INSERT INTO membership_periods (user_id, stream_id, from_change_id) SELECT user_id, stream_id, (SELECT min(id) FROM changes) FROM subscriptions`,
  );
  await fill(`INSERT INTO default_stream_groups (name, description, stream_ids)
    SELECT 'g' || g, '', ARRAY(SELECT s.id FROM streams s WHERE NOT s.is_default AND s.id % ${limits.defaultStreamGroupsMax} = g - 1
      LIMIT ${limits.defaultStreamGroupStreamsMax / limits.defaultStreamGroupsMax})
    FROM generate_series(1, ${limits.defaultStreamGroupsMax}) g`);
  await fill(`INSERT INTO realm_emoji (name, author_id, file_name)
    SELECT rpad(n || '_', ${limits.realmEmojiNameMaxLength}, 'x'), ${reader.id}, n || '.png' FROM generate_series(1, ${limits.realmEmojiMax}) n`);
  await fill(`INSERT INTO realm_domains (domain, allow_subdomains)
    SELECT rpad(n || '', 250, 'x'), true FROM generate_series(1, ${limits.realmDomainsMax}) n`);
  await fill(`INSERT INTO linkifiers (pattern, url_format)
    SELECT 'x' || n, rpad('https://', ${share(limits.linkifiersMax, 10)}, 'x') FROM generate_series(1, ${limits.linkifiersMax}) n`);
  await fill(`INSERT INTO custom_profile_fields (name, type, hint, field_data, display_order)
    SELECT 'f' || n, 1, '', rpad('', ${share(limits.profileFieldsMax, 10)}, 'x'), n FROM generate_series(1, ${limits.profileFieldsMax}) n`);
  await fill(`INSERT INTO custom_profile_values (user_id, field_id, value)
    SELECT u.id, (SELECT min(id) FROM custom_profile_fields), rpad('', ${share(accountsMax, 47)}, 'x') FROM users u WHERE NOT u.is_system`);
  await fill(`INSERT INTO user_groups (name, description)
    SELECT 'u' || n, rpad('', ${share(limits.userGroupsMax, 10)}, 'x') FROM generate_series(1, ${limits.userGroupsMax}) n`);
  await fill(`INSERT INTO user_group_members (group_id, user_id) SELECT g.id, u.id
    FROM ${people(Math.ceil(limits.userGroupMembersMax / limits.userGroupsMax))} u CROSS JOIN user_groups g
    LIMIT ${limits.userGroupMembersMax}`);
  await fill(`INSERT INTO alert_words (user_id, word)
    SELECT ${reader.id}, n || ${wide(limits.alertWordMaxCodePoints - 4)} FROM generate_series(1, ${limits.alertWordsMax}) n`);
  await fill(`INSERT INTO muted_topics (user_id, stream_id, topic_folded, topic)
    SELECT ${reader.id}, (SELECT min(id) FROM streams), n, n || ${wide(limits.topicMaxCodePoints - 4)}
    FROM generate_series(1, ${limits.mutedTopicsMax}) n`);
  await fill(`INSERT INTO deferred_messages (send_key, content_hash, sender_id, is_reminder, stream_id, topic, content, rendered_content, client,
      deliver_at, due_at)
    SELECT n, '', ${reader.id}, false, (SELECT min(id) FROM streams), '', 'x', repeat('x', ${Math.floor(limits.deferredTextsMaxBytes / limits.deferredMessagesMax) - 1}), 'x',
      parley_now() + interval '1 day', parley_now() + interval '1 day' FROM generate_series(1, ${limits.deferredMessagesMax}) n`);
  await fill(`INSERT INTO drafts (user_id, type, recipient_ids, topic, content, written_at_secs)
    SELECT ${reader.id}, '', '{}', '', repeat('x', ${Math.floor(limits.draftTextsMaxBytes / limits.draftsMax)}), n FROM generate_series(1, ${limits.draftsMax}) n`);
  await fillUnread();
  await pool.query({ text: 'VACUUM ANALYZE' });
}

/** More unread messages, topics and participants than are listed. */
async function fillUnread(): Promise<void> {
  const writer = await organization.makeAccount('Writer', { email: 'writer@full.example' });
  const { rows: streams } = await pool.query<{ name: string }>('SELECT name FROM streams LIMIT 1');
  const { rows: others } = await pool.query<{ id: number }>(
    'SELECT id FROM users WHERE NOT is_system AND bot_type IS NULL ORDER BY id DESC LIMIT 51',
  );
  const { pool: makers, eventLog } = organization.maker;
  const sent = { senderId: writer.id, content: 'x', sentAtSecs: Math.floor(Date.now() / 1_000) };
  const topicsMax = 5_000;
  const perCall = 5_100;
  const streamName = streams[0]?.name ?? '';
  for (let n = 0; n < 51_000; n += perCall)
    await makeMessages(
      { pool: makers, eventLog, publicUrl: cluster.url },
      Array.from({ length: perCall }, (_, k) => ({
        ...sent,
        ...(n + k < 1_000
          ? {
              recipientIds: [
                reader.id,
                ...others
                  .filter((_other, m) => m !== k % 50 && m !== Math.floor(k / 50))
                  .map(({ id }) => id),
              ],
            }
          : { streamName, topic: `${(n + k) % topicsMax}${'🐟'.repeat(56)}` }),
      })),
    );
}

const boundedLists: readonly (readonly [SharedList, keyof ListBounds])[] = [
  ['accounts', 'accountsMax'],
  ['bots', 'botsMax'],
  ['streams', 'streamsMax'],
  ['subscriptions', 'subscriptionsMax'],
];

test('an answer with every list at its bound, and the node that makes it, stay small', async () => {
  const sizes = await transaction(pool, (client) =>
    lockListSizes(client, [
      ...boundedLists.map(([list]) => list),
      'profiles',
      'profileFields',
      'userGroups',
      'linkifiers',
    ]),
  );
  for (const [list, max] of boundedLists)
    expect([list, Number(sizes.get(list)?.elements) >= bounds[max] - 1]).toEqual([list, true]);
  for (const [list, { bytes }] of sizes)
    if (list !== 'subscriptions')
      expect([list, bytes > 0.9 * bounds.textsMaxBytes]).toEqual([list, true]);

  const registered = await reader.client.request('POST', 'register', {
    client_gravatar: false,
    include_subscribers: true,
  });
  const parts = Object.entries(registered.body)
    .map(([name, value]): [string, number] => [name, Buffer.byteLength(JSON.stringify(value))])
    .toSorted(([, a], [, b]) => b - a);
  const answerBytes = parts.reduce((sum, [, bytes]) => sum + bytes, 0);
  process.stdout.write(
    `register: ${answerBytes} bytes, of it ${parts
      .slice(0, 24)
      .map(([name, bytes]) => `${name} ${bytes}`)
      .join(', ')}\n`,
  );
  for (const [path, parameters] of [
    ['streams', { include_all_active: true }],
    ['users', { include_custom_profile_fields: true, client_gravatar: false }],
    ['users/me/subscriptions', { include_subscribers: true }],
    ['realm/emoji', {}],
    ['realm/filters', {}],
    ['realm/profile_fields', {}],
    ['user_groups', {}],
    ['bots', {}],
    ['users/me/alert_words', {}],
    ['scheduled_messages', {}],
    ['drafts', {}],
  ] as const) {
    const { body } = await reader.client.request('GET', path, parameters);
    const bytes = Buffer.byteLength(JSON.stringify(body));
    process.stdout.write(`GET ${path}: ${bytes} bytes\n`);
    expect([path, bytes < answerMaxBytes]).toEqual([path, true]);
  }
  await Promise.all(
    Array.from({ length: 8 }, () =>
      reader.client.request('POST', 'register', {
        client_gravatar: false,
        include_subscribers: true,
      }),
    ),
  );
  const { pid } = cluster.getProcess('events', 0);
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  const peakBytes = Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1]) * 1024;
  process.stdout.write(`the event node: ${Math.round(peakBytes / 1024 / 1024)} MiB at most\n`);
  expect(answerBytes).toBeLessThan(answerMaxBytes);
  expect(peakBytes).toBeLessThan(nodeMaxBytes);
});
