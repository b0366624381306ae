import { checkSchemaVersion } from '@parley/database';
import { expect, test } from 'vitest';

import { createTestDatabase, openTestPool } from './test-database.ts';

test('each suite gets its own migrated database, which disappears when dropped', async () => {
  const first = await createTestDatabase();
  const second = await createTestDatabase();
  const pools = [openTestPool(first.url), openTestPool(second.url)] as const;
  try {
    await checkSchemaVersion(pools[0]);
    await checkSchemaVersion(pools[1]);
    await pools[0].query('CREATE TABLE only_in_first ()');
    await expect(pools[1].query('SELECT FROM only_in_first')).rejects.toThrow('does not exist');
  } finally {
    await Promise.all(pools.map((pool) => pool.end()));
  }
  await first.drop();
  await second.drop();
  const afterwards = openTestPool(first.url);
  await expect(afterwards.query('SELECT 1')).rejects.toThrow('does not exist');
  await afterwards.end();
});
