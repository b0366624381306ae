/** A new stream has its first message exactly once, whichever process dies while it is created, and even if no message service runs. */
import {
  FaultProxy,
  makeOrganization,
  openTestPool,
  startCluster,
  waitUntil,
} from '@parley/test-kit';
import { expect, test } from 'vitest';

test.each([
  ['before it commits', 'to-server', 'log_append', 0],
  ['between commit and answer', 'to-client', 'COMMIT\0', 1],
] as const)('a service is killed %s', async (_when, direction, bytesHeld, committed) => {
  await using cluster = await startCluster({
    events: 0,
    messages: 0,
    people: 0,
    presence: 0,
    subscriptions: 0,
  });
  await using organization = await makeOrganization(cluster);
  const { databaseUrl } = cluster.settings;
  await using proxy = await FaultProxy.start(databaseUrl);
  const ann = await organization.makeAccount('Ann Lee');
  const pool = openTestPool(databaseUrl);
  const create = (): Promise<unknown> =>
    ann.client.post('users/me/subscriptions', { subscriptions: [{ name: 'a' }, { name: 'b' }] });
  const start = async (environment: Readonly<Record<string, string>> = {}): Promise<void> => {
    await cluster.startAnother('subscriptions', environment);
    await waitUntil('the gateway knows of it', async () =>
      ann.client.get('streams').then(
        () => true,
        () => undefined,
      ),
    );
  };
  const findMessages = async (): Promise<string[]> => {
    const { rows } = await pool.query<{ of: string }>(
      'SELECT s.name || coalesce(m.topic, $$ has none$$) AS of FROM streams s LEFT JOIN messages m ON m.stream_id = s.id ORDER BY m.id',
    );
    return rows.map((row) => row.of);
  };
  const both = ['astream events', 'bstream events'];
  try {
    await start({ DATABASE_URL: proxy.through(databaseUrl) });
    const held = proxy.holdBack(direction, (bytes) => bytes.includes(bytesHeld));
    const first = create().catch((error: unknown) => error);
    await held.caught;
    await waitUntil(
      'it has come so far',
      async () => (await findMessages()).length === 2 * committed,
    );
    await cluster.kill('subscriptions', 0, 'SIGKILL');
    proxy.cut();
    await first;
    expect(await findMessages()).toEqual(both.slice(0, 2 * committed));
    await start();
    await create();
    expect(await findMessages()).toEqual(both);
  } finally {
    await pool.end();
  }
});
