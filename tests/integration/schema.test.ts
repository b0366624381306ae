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
