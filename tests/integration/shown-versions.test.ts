/** By versions a service knows whether its cached messages are current (decision 0045). */
import { snapshot } from '@parley/database';
import type { Pool, Queryable } from '@parley/database';
import { MessageListBuilder, deleteMessage, listMessages } from '@parley/store';
import { createTestDatabase, openTestPool } from '@parley/test-kit';
import type { TestDatabase } from '@parley/test-kit';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { messageJsonWriter } from '../../services/messages/src/pages/message-json.ts';
import { PageReader } from '../../services/messages/src/pages/page-reader.ts';
import type { PageReads, ReadPage } from '../../services/messages/src/pages/page-reader.ts';

const reader = 1;
const page = { anchor: 10_000_000_000_000_000, beforeMax: 10, fromAnchorMax: 0 };

let database: TestDatabase;
let pool: Pool;
let reads: PageReads;
beforeAll(async () => {
  database = await createTestDatabase();
  pool = openTestPool(database.url, 4);
  reads = {
    query: (statement) => pool.query(statement),
    snapshot: (read) => snapshot(pool, read),
  };
  for (const text of [
    `INSERT INTO realm (id, string_id, name) VALUES (1, '', 'Tide')`,
    `INSERT INTO users (id, email, email_folded, full_name, full_name_folded, short_name)
      SELECT n, n || '@x', n || '@X', 'U' || n, 'U' || n, 'u' FROM generate_series(1, 2) n`,
    `INSERT INTO streams (id, name, name_folded, email_token) VALUES (1, 'tide', 'TIDE', 't')`,
    `INSERT INTO conversations (id, stream_id, topic_folded) VALUES (1, 1, 'A'), (2, 1, 'B')`,
    `INSERT INTO log_entries (position, length, message_id, audience, payload) VALUES (1, 1, 2, 0, '{}')`,
    `INSERT INTO changes (id, position, message_id) VALUES (1, 1, 0)`,
    `INSERT INTO membership_periods (user_id, stream_id, from_change_id) VALUES (${reader}, 1, 1)`,
    `INSERT INTO messages (id, position, sender_id, stream_id, conversation_id, read_conversation_id, recipient_id, topic, content,
        rendered_content, client, sent_at, search)
      SELECT n, n, 2, 1, 1, 1, 1, 'a', 'text ' || n, '<p>text ' || n || '</p>', 'website', parley_now(), '' FROM generate_series(1, 2) n`,
  ])
    await pool.query(text);
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

const list = (db: Queryable) => listMessages(db, new MessageListBuilder(reader), page);

async function readVersions(): Promise<{
  readonly message: number | undefined;
  readonly names: string;
}> {
  const { messages, namesVersion } = await list(pool);
  return { message: messages.find(({ id }) => id === 1)?.version, names: namesVersion };
}

const options = { anchor: page.anchor, texts: 'written' } as const;

/** @returns the content of a page as JSON */
function shownOf({ messages, names }: ReadPage): string[] {
  const write = messageJsonWriter(names, { clientGravatar: false, showEditHistory: true });
  return messages.map((body) => write(body, {}));
}

/** A reader that caches everything it has read. */
const kept = new PageReader();

async function checkKept(): Promise<void> {
  const plain = await new PageReader().read(reads, list, options);
  expect(shownOf(await kept.read(reads, list, options))).toEqual(shownOf(plain));
}

test.each([
  ['an edit', `UPDATE messages SET rendered_content = '<p>new</p>' WHERE id = 1`],
  ['a move', `UPDATE messages SET topic = 'b', conversation_id = 2 WHERE id = 1`],
  [
    'a reaction',
    `INSERT INTO reactions (message_id, user_id, emoji_name, emoji_code, reaction_type) VALUES (1, 2, 'tada', '1f389', 'unicode_emoji')`,
  ],
  ['a removed reaction', 'DELETE FROM reactions WHERE message_id = 1'],
  [
    'a submessage',
    `INSERT INTO submessages (message_id, sender_id, msg_type, content) VALUES (1, 2, 'widget', '{}')`,
  ],
])('%s changes the version of the message, and of no other', async (_name, change) => {
  const before = await list(pool);
  await pool.query(change);
  const after = await list(pool);
  expect(after.messages.map(({ version }) => version)).toEqual(
    before.messages.map(({ id, version }) => (id === 1 ? version + 1 : version)),
  );
  expect(after.namesVersion).toBe(before.namesVersion);
  await checkKept();
});

test('several changes of a message in one transaction change its version once', async () => {
  const before = await readVersions();
  await pool.query(`INSERT INTO reactions (message_id, user_id, emoji_name, emoji_code, reaction_type)
    SELECT 1, n, 'tada', '1f389', 'unicode_emoji' FROM generate_series(1, 2) n`);
  const between = await readVersions();
  await pool.query('DELETE FROM reactions WHERE message_id = 1');
  const after = await readVersions();
  const first = before.message ?? 0;
  expect([between.message, after.message]).toEqual([first + 1, first + 2]);
});

test.each([
  ['the name of a person', `UPDATE users SET full_name = 'Eve' WHERE id = 2`],
  ['an address', `UPDATE users SET email = 'eve@x' WHERE id = 2`],
  ['a real address', `UPDATE users SET delivery_email = 'eve@y' WHERE id = 2`],
  ['a picture', `UPDATE users SET avatar_source = 'U', avatar_version = 2 WHERE id = 2`],
  ['the name of a stream', `UPDATE streams SET name = 'ebb' WHERE id = 1`],
  [
    'a setting of the organization',
    `UPDATE realm SET settings = settings || '{"allow_edit_history": false}'`,
  ],
])('%s changes the version of names, and of no message', async (_name, change) => {
  const before = await readVersions();
  await pool.query(change);
  const after = await readVersions();
  expect(after.names).not.toBe(before.names);
  expect(after.message).toBe(before.message);
  await checkKept();
});

test.each([
  ["a user's last read message", 'UPDATE users SET pointer = 1 WHERE id = 2'],
  ["a stream's description", `UPDATE streams SET description = 'Water' WHERE id = 1`],
])('%s changes no version', async (_name, change) => {
  const before = await readVersions();
  await pool.query(change);
  expect(await readVersions()).toEqual(before);
});

test('names that change together get one version, at the commit', async () => {
  const before = await readVersions();
  const client = await pool.connect();
  await client.query('BEGIN');
  await client.query(`UPDATE users SET full_name = full_name || '!'`);
  // Other renames do not wait for this transaction.
  await pool.query(`UPDATE streams SET name = 'flow' WHERE id = 1`);
  const between = await readVersions();
  expect(between.names).not.toBe(before.names);
  await client.query('COMMIT');
  client.release();
  expect((await readVersions()).names).not.toBe(between.names);
});

test.each([
  ['the text', `UPDATE messages SET content = content || ' more' WHERE id = 2`],
  ['a name', `UPDATE users SET full_name = full_name || ' more' WHERE id = 2`],
  ['the existence of a message', 'delete'],
])('%s that changes while a page is read appears as of one moment', async (_name, change) => {
  const pages = new PageReader();
  let times = 0;
  const { messages, names } = await pages.read(
    reads,
    async (db) => {
      const listed = await list(db);
      times += 1;
      if (times > 1) return listed;
      if (change !== 'delete') await pool.query(change);
      else {
        const client = await pool.connect();
        await deleteMessage(client, 2);
        client.release();
      }
      return listed;
    },
    options,
  );
  expect(times).toBe(2);
  const plain = await new PageReader().read(reads, list, {
    anchor: page.anchor,
    texts: 'written',
  });
  expect(shownOf({ ...plain, messages, names })).toEqual(shownOf(plain));
});

test('kept messages of another epoch are not used', async () => {
  const pages = new PageReader();
  await pages.read(reads, list, options);
  await pool.query('UPDATE log_head SET epoch = epoch + 1');
  // As in a database that was restored to a point before the message.
  await pool.query('ALTER TABLE messages DISABLE TRIGGER message_changed');
  await pool.query(`UPDATE messages SET content = 'another' WHERE id = 1`);
  const { messages } = await pages.read(reads, list, options);
  expect(messages[0]?.contentJson).toBe('"another"');
});

test('names read in another epoch are not used', async () => {
  const pages = new PageReader();
  await pages.read(reads, list, options);
  await pool.query('UPDATE log_head SET epoch = epoch + 1');
  // An account that was created after the last change of a name was lost, and a new one has its id.
  await pool.query('ALTER TABLE users DISABLE TRIGGER shown_names_changed');
  await pool.query(`UPDATE users SET full_name = 'Another' WHERE id = 2`);
  await pool.query('ALTER TABLE users ENABLE TRIGGER shown_names_changed');
  for (const shown of shownOf(await pages.read(reads, list, options)))
    expect(JSON.parse(shown)).toMatchObject({ sender_full_name: 'Another' });
});

test('memory stays within its limit', async () => {
  const pages = new PageReader({ keptBytesMax: 1 });
  await pages.read(reads, list, options);
  await pool.query('ALTER TABLE messages DISABLE TRIGGER message_changed');
  await pool.query(`UPDATE messages SET content = 'read again' WHERE id = 1`);
  const { messages } = await pages.read(reads, list, options);
  expect(messages[0]?.contentJson).toBe('"read again"');
});
