import { deleteOldSendKeys, flushSearchIndex, noteNewestMessages } from '@parley/store';
import { createTestDatabase, openTestPool } from '@parley/test-kit';
import { expect, test } from 'vitest';

test('send keys are deleted after a day, those of mails after ten, in pieces, and the search index is flushed', async () => {
  await using database = await createTestDatabase();
  const pool = openTestPool(database.url);
  try {
    await pool.query(`INSERT INTO send_keys (send_key, content_hash, message_id, sent_at)
      SELECT 'old ' || n, ''::bytea, n, parley_now() - interval '25 hours' FROM generate_series(1, 10050) n
      UNION ALL SELECT 'new ' || n, '', n, parley_now() - interval '23 hours' FROM generate_series(1, 3) n
      UNION ALL SELECT 'deferred', '', 1, parley_now() - interval '11 days'
      UNION ALL SELECT 'm:a relay may come again', '', 1, parley_now() - interval '9 days'
      UNION ALL SELECT 'm:no relay comes', '', 1, parley_now() - interval '11 days'`);
    // The message was sent, but the row is still there.
    await pool.query(`INSERT INTO deferred_messages (send_key, content_hash, sender_id, is_reminder, stream_id, topic, content, client, deliver_at, due_at)
      VALUES ('deferred', '', 1, false, 1, '', '', '', parley_now(), parley_now())`);
    expect(await deleteOldSendKeys(pool)).toEqual({ deleted: 10_000, mayHaveMore: true });
    expect(await deleteOldSendKeys(pool)).toEqual({ deleted: 51, mayHaveMore: false });
    const { rows } = await pool.query('SELECT send_key FROM send_keys ORDER BY send_key');
    expect(rows).toEqual([
      { send_key: 'deferred' },
      { send_key: 'm:a relay may come again' },
      { send_key: 'new 1' },
      { send_key: 'new 2' },
      { send_key: 'new 3' },
    ]);
    await flushSearchIndex(pool);
  } finally {
    await pool.end();
  }
});

test('the newest message of each conversation is recorded in pieces by any process, without gaps', async () => {
  await using database = await createTestDatabase();
  const pool = openTestPool(database.url, 3);
  const send = async (from: number, to: number): Promise<void> => {
    await pool.query({
      text: `INSERT INTO messages (id, position, sender_id, stream_id, conversation_id, read_conversation_id, recipient_id, topic, content,
          rendered_content, client, sent_at, search)
        SELECT n, n, 1, 5, 99, n % 7, 1, '', '', '', '', parley_now(), '' FROM generate_series($1::integer, $2::integer) n`,
      values: [from, to],
    });
  };
  try {
    await send(1, 20_003);
    expect(await noteNewestMessages(pool)).toBe(true);
    await Promise.all([1, 2, 3].map(async () => noteNewestMessages(pool)));
    await send(20_004, 20_006);
    expect(await noteNewestMessages(pool)).toBe(false);
    expect(await noteNewestMessages(pool)).toBe(false);
    const noted = await pool.query(
      'SELECT conversation_id, stream_id, message_id FROM conversation_newest ORDER BY 1',
    );
    const newest = await pool.query(
      'SELECT read_conversation_id AS conversation_id, 5 AS stream_id, max(id) AS message_id FROM messages GROUP BY 1 ORDER BY 1',
    );
    expect(noted.rows).toEqual(newest.rows);
    expect((await pool.query('SELECT message_id FROM conversation_newest_upto')).rows).toEqual([
      { message_id: 20_006 },
    ]);
  } finally {
    await pool.end();
  }
});
