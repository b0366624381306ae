import { readFileSync } from 'node:fs';

import { checkSchemaVersion, codeSchemaVersion, readFunctions } from '@parley/database';
import { migrate } from '@parley/database/migrate';
import type { Pool } from '@parley/database';
import { createTestDatabase, openTestPool } from '@parley/test-kit';
import { expect, test } from 'vitest';

import { describeSchema, schemaPagePath } from '../docs/schema-page.ts';

const nothing = { migrations: [], functions: [] };
const functionNames = readFunctions().map(({ name }) => name);

async function withDatabase(work: (pool: Pool, url: string) => Promise<void>): Promise<void> {
  await using database = await createTestDatabase();
  const pool = openTestPool(database.url);
  try {
    await work(pool, database.url);
  } finally {
    await pool.end();
  }
}

const emptySchema = 'DROP SCHEMA public CASCADE; CREATE SCHEMA public';

test('migrations run once under concurrency, and services refuse an unsuitable schema', () =>
  withDatabase(async (pool, url) => {
    await pool.query(emptySchema);
    await expect(checkSchemaVersion(pool)).rejects.toThrow('run the migrations first');

    const ran = await Promise.all([1, 2, 3].map(async () => migrate(url)));
    expect(ran.flatMap(({ migrations }) => migrations)).toHaveLength(codeSchemaVersion);
    expect(ran.filter(({ migrations }) => migrations.length > 0)).toHaveLength(1);
    expect(ran.flatMap(({ functions }) => functions)).toEqual(functionNames);
    await checkSchemaVersion(pool);

    await pool.query(`UPDATE schema_version SET version = ${codeSchemaVersion - 1}`);
    await expect(checkSchemaVersion(pool)).rejects.toThrow('run the migrations first');

    // A newer schema that still admits this code is used, so that old and new replicas run side by side.
    await pool.query(`UPDATE schema_version SET version = ${codeSchemaVersion + 5}`);
    await checkSchemaVersion(pool);
    expect(await migrate(url)).toEqual(nothing);

    await pool.query(`UPDATE schema_version SET oldest_code_version = ${codeSchemaVersion + 1}`);
    await expect(checkSchemaVersion(pool)).rejects.toThrow('use a newer release');
  }));

test('the migrations produce exactly schema.sql (written by npm run docs)', () =>
  withDatabase(async (pool) => {
    const shown = readFileSync(new URL(`../../${schemaPagePath}`, import.meta.url), 'utf8');
    expect(await describeSchema(pool)).toBe(shown);
  }));

test('exactly the functions of the files are installed', () =>
  withDatabase(async (pool) => {
    const list = async (): Promise<{ name: string; definition: string }[]> => {
      const { rows } = await pool.query<{ name: string; definition: string }>(
        `SELECT proname AS name, pg_get_functiondef(oid) AS definition FROM pg_proc
         WHERE pronamespace = current_schema()::regnamespace ORDER BY proname COLLATE "C"`,
      );
      return rows;
    };
    const installed = await list();
    expect(installed.map(({ name }) => name)).toEqual(functionNames);
    // Unlike a migration, this checks function bodies against the tables.
    for (const { sql } of readFunctions()) await pool.query(sql);
    expect(await list()).toEqual(installed);
  }));

test('whatever changes in a message but its words gives it another version', () =>
  withDatabase(async (pool) => {
    const { rows } = await pool.query<{ column: string }>(
      `SELECT a.attname AS column FROM pg_attribute a JOIN pg_trigger t ON t.tgrelid = a.attrelid AND t.tgname = 'message_changed'
       WHERE a.attrelid = 'messages'::regclass AND a.attnum > 0 AND a.attgenerated = '' AND NOT a.attnum = ANY (t.tgattr)`,
    );
    expect(rows).toEqual([{ column: 'search' }]);
  }));

test.each(readFunctions())('$name documents what a caller must know', ({ name, sql }) => {
  const parts = ['.+', 'Arguments: .+', 'Returns: .+', 'Locks: .+', 'Errors: .+'];
  expect(sql).toMatch(new RegExp(`^${parts.map((part) => `-- ${part}\\n(?:--.*\\n)*`).join('')}`));
  expect(sql).toContain(`\nCREATE OR REPLACE FUNCTION ${name}(`);
});

test('a function is reinstalled if its file has changed, but never in a newer schema', () =>
  withDatabase(async (pool, url) => {
    expect(await migrate(url)).toEqual(nothing);
    await pool.query(`CREATE OR REPLACE FUNCTION alert_words_changed() RETURNS trigger LANGUAGE plpgsql AS
        $$BEGIN RAISE EXCEPTION 'of another release'; END$$;
      COMMENT ON FUNCTION alert_words_changed IS 'another content'`);
    const addWord = `INSERT INTO alert_words (user_id, word) VALUES (1, 'tide')`;

    await pool.query(`UPDATE schema_version SET version = version + 1`);
    expect(await migrate(url)).toEqual(nothing);
    await expect(pool.query(addWord)).rejects.toThrow('of another release');

    await pool.query(`UPDATE schema_version SET version = version - 1`);
    expect(await migrate(url)).toEqual({ migrations: [], functions: ['alert_words_changed'] });
    await pool.query(addWord);
    expect(await migrate(url)).toEqual(nothing);
  }));

test('the triggers of a statement work on every earlier schema, into which exports are imported', () =>
  withDatabase(async (pool, url) => {
    await pool.query(emptySchema);
    for (let version = 1; version <= codeSchemaVersion; version += 1) {
      await migrate(url, version);
      const { rows } = await pool.query<{ table: string }>(
        `SELECT DISTINCT t.tgrelid::regclass::text AS table FROM pg_trigger t WHERE NOT t.tgisinternal AND t.tgtype & 5 = 4`,
      );
      // Such triggers run without rows too.
      for (const { table } of rows) {
        const fired = pool.query(`INSERT INTO ${table} SELECT * FROM ${table}`);
        await expect(fired).resolves.toMatchObject({ command: 'INSERT' });
      }
    }
  }));

test("a database from before the first release is refused with its migration's name, and stays unchanged", () =>
  withDatabase(async (pool, url) => {
    const first = '20261101000000-people-and-streams';
    await pool.query(`${emptySchema};
      CREATE TABLE schema_version (only_row boolean PRIMARY KEY, version integer NOT NULL, oldest_code_version integer NOT NULL);
      INSERT INTO schema_version VALUES (true, 29, 3);
      CREATE TABLE knex_migrations (id serial PRIMARY KEY, name text, batch integer, migration_time timestamptz);
      INSERT INTO knex_migrations (name, batch) VALUES ('${first}', 1), ('20261124170100-languages-in-one-spelling', 1);
      CREATE TABLE users (id integer PRIMARY KEY, full_name text NOT NULL);
      INSERT INTO users VALUES (1, 'Ann Ode')`);
    const read = async (): Promise<unknown[]> => [
      await describeSchema(pool),
      (await pool.query('SELECT * FROM users')).rows,
      (await pool.query('SELECT * FROM schema_version')).rows,
      (await pool.query('SELECT * FROM knex_migrations')).rows,
    ];
    const before = await read();
    const refusal = `first migration is ${first}`;
    await expect(migrate(url)).rejects.toThrow(refusal);
    await expect(checkSchemaVersion(pool)).rejects.toThrow(refusal);
    expect(await read()).toEqual(before);
  }));
