import {
  checkSchemaVersion,
  codeSchemaVersion,
  migrate,
  oldestUsableSchemaVersion,
} from '@parley/database';
import { createTestDatabase, openTestPool } from '@parley/test-kit';
import { expect, test } from 'vitest';

test('migrations run once, whoever starts them, and services refuse a schema that is not theirs', async () => {
  await using database = await createTestDatabase();
  const pool = openTestPool(database.url);
  try {
    await pool.query('DROP SCHEMA public CASCADE; CREATE SCHEMA public');
    await expect(checkSchemaVersion(pool)).rejects.toThrow('run the migrations first');

    const ran = await Promise.all([1, 2, 3].map(async () => migrate(database.url)));
    expect(ran.flat()).toHaveLength(codeSchemaVersion);
    expect(ran.filter((names) => names.length > 0)).toHaveLength(1);
    await checkSchemaVersion(pool);

    await pool.query(`UPDATE schema_version SET version = ${oldestUsableSchemaVersion - 1}`);
    await expect(checkSchemaVersion(pool)).rejects.toThrow('run the migrations first');

    // A newer schema that still admits this code is used, so that old and new replicas run side by side.
    await pool.query(`UPDATE schema_version SET version = ${codeSchemaVersion + 5}`);
    await checkSchemaVersion(pool);
    expect(await migrate(database.url)).toEqual([]);

    await pool.query(`UPDATE schema_version SET oldest_code_version = ${codeSchemaVersion + 1}`);
    await expect(checkSchemaVersion(pool)).rejects.toThrow('use a newer release');
  } finally {
    await pool.end();
  }
});

test('bots lose default streams that their owners do not know of', async () => {
  const versionBefore = 20;
  await using database = await createTestDatabase();
  const pool = openTestPool(database.url);
  try {
    await pool.query('DROP SCHEMA public CASCADE; CREATE SCHEMA public');
    await migrate(database.url, versionBefore);
    // Owners, then streams, then for each owner a bot of one private and one public stream.
    await pool.query(`
      INSERT INTO users (id, email, email_folded, full_name, full_name_folded, short_name, role)
      SELECT id, who, who, who, who, who, role
      FROM (VALUES (101, 'ann', 'administrator'), (102, 'bob', 'member'), (103, 'cat', 'member'), (104, 'gil', 'guest')) AS o (id, who, role);
      INSERT INTO streams (id, name, name_folded, invite_only, email_token) VALUES (1, 'vault', 'vault', true, 'a'), (2, 'square', 'square', false, 'b');
      INSERT INTO subscriptions (user_id, stream_id, is_active, color) VALUES (102, 1, false, '#000000');
      INSERT INTO users (id, email, email_folded, full_name, full_name_folded, short_name, bot_type, bot_owner_id, default_sending_stream_id, default_events_register_stream_id)
      SELECT id + 100, email || '-bot', email || '-bot', email, email, email, 1, id, 1, 2 FROM users WHERE id BETWEEN 101 AND 104`);
    await migrate(database.url);
    const { rows } = await pool.query({
      text: `SELECT short_name AS who, default_sending_stream_id AS sending, default_events_register_stream_id AS register
        FROM users WHERE bot_owner_id IS NOT NULL ORDER BY id`,
    });
    expect(rows).toEqual([
      { who: 'ann', sending: 1, register: 2 },
      // Who was in it knows it.
      { who: 'bob', sending: 1, register: 2 },
      { who: 'cat', sending: null, register: 2 },
      { who: 'gil', sending: null, register: null },
    ]);
  } finally {
    await pool.end();
  }
});

test('folded names come into NFC, but for those that would be the same', async () => {
  const versionBefore = 21;
  await using database = await createTestDatabase();
  const pool = openTestPool(database.url);
  const folded = 'Ι\u0308\u0301';
  try {
    await pool.query('DROP SCHEMA public CASCADE; CREATE SCHEMA public');
    await migrate(database.url, versionBefore);
    await pool.query({
      text: `INSERT INTO streams (id, name, name_folded, email_token)
        SELECT id, name, name, id::text FROM unnest($1::text[]) WITH ORDINALITY AS s (name, id)`,
      values: [['A', `A${folded}`, `B${folded}`, `B${folded.normalize('NFC')}`]],
    });
    await migrate(database.url);
    const { rows } = await pool.query<{ name: string }>({
      text: 'SELECT name_folded AS name FROM streams ORDER BY id',
    });
    expect(rows.map(({ name }) => name)).toEqual([
      'A',
      `A${folded.normalize('NFC')}`,
      `B${folded}`,
      `B${folded.normalize('NFC')}`,
    ]);
  } finally {
    await pool.end();
  }
});
