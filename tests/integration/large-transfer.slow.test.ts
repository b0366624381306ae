import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import {
  createRedisPrefix,
  createTestDatabase,
  getTestStores,
  openTestPool,
} from '@parley/test-kit';
import { systemClock } from '@parley/clock';
import type { ClusterSettings } from '@parley/test-kit';
import { expect, test } from 'vitest';

import { environmentOf, parley, startParley } from '../support/run-parley.ts';

/** A folder with a passphrase, and the settings of an empty installation. */
async function prepare(undo: AsyncDisposableStack): Promise<{
  readonly exported: string;
  readonly secret: readonly string[];
  readonly settings: ClusterSettings;
}> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-transfer-'));
  undo.defer(() => rm(folder, { recursive: true, force: true }));
  const file = join(folder, 'passphrase');
  await writeFile(file, 'four boats upon a lee shore');
  const database = undo.use(await createTestDatabase());
  return {
    exported: join(folder, 'export'),
    secret: ['--passphrase-file', file],
    settings: {
      clock: systemClock,
      databaseUrl: database.url,
      redisUrl: getTestStores().redisUrl,
      redisPrefix: createRedisPrefix(),
      keySecret: randomBytes(24).toString('hex'),
      internalSecret: randomBytes(24).toString('hex'),
      uploadsDir: join(folder, 'uploads'),
    },
  };
}

const messages = 150_000;

test('a large organization is exported and imported with little memory', async () => {
  await using undo = new AsyncDisposableStack();
  const { exported, secret, settings } = await prepare(undo);
  const database = undo.use(await createTestDatabase());
  const from = { ...environmentOf(settings), DATABASE_URL: database.url };
  await parley(from, ['organization', 'create', '--name', 'Large']);
  const pool = undo.adopt(
    openTestPool(database.url, 1, {
      statementTimeoutMs: 0,
    }),
    (opened) => opened.end(),
  );
  // The organization begins with a stream, and a message and its topic there.
  await pool.query(`INSERT INTO conversations (id, stream_id, topic_folded) VALUES (1000, 1, 'X')`);
  await pool.query({
    text: `INSERT INTO messages (id, position, sender_id, stream_id, conversation_id, read_conversation_id, recipient_id, topic, content,
        rendered_content, client, sent_at, search)
      SELECT n, n, 1, 1, 1000, 1000, 1, 'x', repeat('word ' || n || ' ', 40), repeat('<p>word ' || n || '</p>', 40), 'test', parley_now(), ''
      FROM generate_series(1001, 1000 + $1) n`,
    values: [messages],
  });
  // All rows together are a quarter of a gigabyte as text, which does not fit into this memory.
  const bounded = { NODE_OPTIONS: '--max-old-space-size=96' };
  const out = startParley({ ...from, ...bounded }, ['export', '--to', exported, ...secret]);
  expect(await out.ended).toMatchObject({ code: 0, error: '' });
  const into = { ...environmentOf(settings), ...bounded };
  const back = startParley(into, ['import', '--from', exported, ...secret, '--json']);
  const ended = await back.ended;
  expect(ended).toMatchObject({ code: 0, error: '' });
  expect(JSON.parse(ended.out)).toMatchObject({ rows: { messages: messages + 1 } });
});
