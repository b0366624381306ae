/** Candidates of mails on a real Postgres: what is due is decided, however much is not. */
import { transaction } from '@parley/database';
import type { Pool } from '@parley/database';
import { lockDueMailCandidates } from '@parley/store/notifications';
import { createTestDatabase, openTestPool } from '@parley/test-kit';
import type { TestDatabase } from '@parley/test-kit';
import { afterEach, beforeEach, expect, test } from 'vitest';

let database: TestDatabase;
let pool: Pool;
beforeEach(async () => {
  database = await createTestDatabase();
  pool = openTestPool(database.url, 4);
});
afterEach(async () => {
  await pool.end();
  await database.drop();
});

test('a step has what is due before what is not, so that each decides something', async () => {
  await pool.query(
    `INSERT INTO messages_to_mail (user_id, message_id, due_at)
     SELECT 7, n, now() + CASE WHEN n = 50 THEN interval '-1 s' ELSE interval '1 h' END FROM generate_series(1, 50) n`,
  );
  const locked = await transaction(pool, (client) =>
    lockDueMailCandidates(client, { dueMax: 10, candidatesMax: 3 }),
  );
  expect(locked).toEqual([
    { userId: 7, messageId: 50, isDue: true },
    { userId: 7, messageId: 1, isDue: false },
    { userId: 7, messageId: 2, isDue: false },
  ]);
});
