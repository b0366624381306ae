import { createPool } from '@parley/database';
import { deleteOldSendKeys, flushSearchIndex } from '@parley/store';
import { createTestDatabase } from '@parley/test-kit';
import { expect, test } from 'vitest';

test('send keys are forgotten after a day, in pieces, and the search index is flushed', async () => {
  await using database = await createTestDatabase();
  const pool = createPool({
    databaseUrl: database.url,
    applicationName: 'message-upkeep',
    connectionsMax: 1,
    onError: () => undefined,
  });
  try {
    await pool.query(`INSERT INTO send_keys (send_key, content_hash, message_id, sent_at)
      SELECT 'old ' || n, ''::bytea, n, now() - interval '25 hours' FROM generate_series(1, 10050) n
      UNION ALL SELECT 'new ' || n, '', n, now() - interval '23 hours' FROM generate_series(1, 3) n`);
    expect(await deleteOldSendKeys(pool)).toEqual({ deleted: 10_000, mayHaveMore: true });
    expect(await deleteOldSendKeys(pool)).toEqual({ deleted: 50, mayHaveMore: false });
    const { rows } = await pool.query('SELECT send_key FROM send_keys ORDER BY send_key');
    expect(rows).toEqual([{ send_key: 'new 1' }, { send_key: 'new 2' }, { send_key: 'new 3' }]);
    await flushSearchIndex(pool);
  } finally {
    await pool.end();
  }
});
