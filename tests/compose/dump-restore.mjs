// Makes and restores a dump with the commands of deploy/backups.md, unchanged.

import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RefusedRequest, openQueue } from './api-client.mjs';
import { repositoryRoot } from './engine.mjs';
import { fetchMessages } from './restart.mjs';

const topic = 'restore';
const deliveryTimeoutMs = 60_000;

// Tables that must not have changed while the dump was made.
const tablesThatMatter = ['users', 'messages', 'message_flags', 'subscriptions', 'log_head'];

// A line for each table: its name, its number of rows and a digest of them.
const fingerprintQuery = `SELECT format('SELECT %L, count(*), md5(coalesce(string_agg(t::text, chr(10) ORDER BY t::text COLLATE "C"), %L)) FROM %I.%I t', c.relname, '', n.nspname, c.relname)
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = 'public' AND c.relkind = 'r' ORDER BY c.relname \\gexec`;

async function findCommands() {
  const text = await readFile(join(repositoryRoot, 'deploy/backups.md'), 'utf8');
  const section = text.slice(text.indexOf('\n## Dump\n'), text.indexOf('\n## Export\n'));
  const blocks = Array.from(section.matchAll(/^```sh\n(.*?)^```$/gms), ([, block]) => block);
  const dump = blocks.find((block) => block.startsWith('docker compose exec -T postgres pg_dump'));
  const restore = blocks.find((block) => block.includes('parley_restored'));
  assert.ok(dump && restore, 'deploy/backups.md has the commands');
  const [copy, swap] = restore.split(/^(?=docker compose stop )/m);
  assert.ok(swap, 'services are stopped after the copy is made');
  return { dump, copy, swap };
}

async function fingerprint(compose, database) {
  const psql = ['psql', '-U', 'parley', '--dbname', database, '--no-psqlrc', '-tA'];
  const query = `printf '%s\n' "$PARLEY_QUERY" | docker compose exec -T postgres ${psql.join(' ')}`;
  const output = await compose.shell(query.replace('"$PARLEY_QUERY"', quote(fingerprintQuery)));
  return new Map(
    output
      .split('\n')
      .filter((line) => line.includes('|'))
      .map((line) => [line.slice(0, line.indexOf('|')), line]),
  );
}

const quote = (text) => `'${text.replaceAll("'", `'\\''`)}'`;

async function send(client, stream, content) {
  const { body } = await client.request('POST', 'messages', {
    type: 'stream',
    to: stream,
    subject: topic,
    content,
  });
  return body.id;
}

async function readEpoch(compose) {
  const output = await compose.shell(
    'docker compose run --rm --no-deps -T messages parley log --json',
  );
  return JSON.parse(output).epoch;
}

export async function testDump(check, { compose, stream, awaitHealthy, connect }) {
  const folder = await mkdtemp(join(tmpdir(), 'parley-dump-'));
  const commands = await findCommands();
  const inFolder = (command) => compose.shell(command, { cwd: folder });
  try {
    const made = await check('a dump is made while everything runs', async () => {
      const clients = await connect();
      const [sender, reader] = clients;
      // One queue is as it is in the dump; the other has events that the dump lacks.
      const patient = await openQueue(reader, topic);
      const eager = await openQueue(reader, topic);
      const keptId = await send(sender, stream, 'in the dump');
      const seen = await Promise.all(clients.map(fetchMessages));
      const before = await fingerprint(compose, 'parley');
      await inFolder(commands.dump);
      const after = await fingerprint(compose, 'parley');
      // Leases and the like are renewed all the time.
      const still = [...before.keys()].filter((table) => before.get(table) === after.get(table));
      for (const table of tablesThatMatter)
        assert.ok(still.includes(table), `${table} is not among ${still.join(', ')}`);
      const epoch = await readEpoch(compose);
      const lostId = await send(sender, stream, 'after the dump');
      await eager.readMessages(2, { deadlineMs: deliveryTimeoutMs });
      return { patient, eager, keptId, lostId, seen, before, still, epoch };
    });
    await check('a second database gets the same rows', async () => {
      await inFolder(commands.copy);
      const restored = await fingerprint(compose, 'parley_restored');
      assert.deepEqual([...restored.keys()], [...made.before.keys()]);
      for (const table of made.still) assert.equal(restored.get(table), made.before.get(table));
      console.log(`        tables compared: ${made.still.length} of ${restored.size}`);
    });
    const clients = await check('services start on the restored database', async () => {
      await inFolder(commands.swap);
      await awaitHealthy();
      return connect();
    });
    await check('it is served as it was dumped, with a new epoch', async () => {
      assert.deepEqual(await Promise.all(clients.map(fetchMessages)), made.seen);
      assert.equal(await readEpoch(compose), made.epoch + 1);
      const newId = await send(clients[0], stream, 'after the restoration');
      assert.ok(newId > made.lostId, `message ${newId} after the lost ${made.lostId}`);
      const patient = made.patient.goOn(clients[1]);
      await patient.readMessages(2, { failuresMax: 1, deadlineMs: deliveryTimeoutMs });
      assert.deepEqual(patient.messageIds, [made.keptId, newId]);
    });
    await check('a queue that saw what is gone is refused by code', async () => {
      const eager = made.eager.goOn(clients[1]);
      await assert.rejects(
        eager.findNode(),
        (error) => error instanceof RefusedRequest && error.code === 'BAD_EVENT_QUEUE_ID',
      );
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
