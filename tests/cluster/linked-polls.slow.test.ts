/** Polls of many clients on few links, while clients hang up, nodes are paused and drained, and answers of every size share the links. */
import { QueueFollower, startCluster, untilAvailable, waitUntil } from '@parley/test-kit';
import type { Cluster, Parameters, ServiceProcess, TestAccount } from '@parley/test-kit';
import { expect, test } from 'vitest';

import { DeliveryScenario } from '../support/delivery-scenario.ts';

async function sumOf(processes: readonly ServiceProcess[], name: string): Promise<number> {
  const values = await Promise.all(processes.map((process) => process.readMetric(name)));
  return values.reduce((sum, value) => sum + value, 0);
}

/** Waits until no process keeps a poll that no client waits for. */
async function waitForNoPolls(cluster: Cluster<ServiceProcess>): Promise<void> {
  await waitUntil(
    'no poll is left',
    async () => {
      const nodes = cluster.findProcesses('events');
      const gateways = cluster.findProcesses('gateway');
      const left = [
        await sumOf(nodes, 'parley_event_polls_held'),
        await sumOf(nodes, 'parley_http_requests_in_flight'),
        await sumOf(gateways, 'parley_gateway_held_polls'),
      ];
      return left.every((count) => count === 0);
    },
    // Shorter than a poll is held, so that a heartbeat does not end a forgotten poll unnoticed.
    { pauseMs: 250 },
  );
}

type Queue = { readonly queueId: string; readonly lastEventId: number };

async function register({ client }: TestAccount, parameters: Parameters = {}): Promise<Queue> {
  const body = await client.post('register', { event_types: ['message'], ...parameters });
  return { queueId: body['queue_id'] as string, lastEventId: body['last_event_id'] as number };
}

/** Polls and hangs up, sometimes before the poll has arrived anywhere, until `isOver`. */
async function hangUpAgainAndAgain(
  account: TestAccount,
  { queueId, lastEventId }: Queue,
  isOver: () => boolean,
): Promise<number> {
  let polls = 0;
  while (!isOver()) {
    const controller = new AbortController();
    const polling = account.client
      .request(
        'GET',
        'events',
        { queue_id: queueId, last_event_id: lastEventId },
        { signal: controller.signal },
      )
      .catch(() => undefined);
    await new Promise((resolve) => setTimeout(resolve, (polls % 7) * 3));
    controller.abort();
    await polling;
    polls += 1;
  }
  return polls;
}

test('nothing is lost, repeated or left behind while clients hang up, a node is paused and one is drained', async () => {
  await using cluster = await startCluster({ events: 2, messages: 1, gateways: 2 });
  await using scenario = await DeliveryScenario.open(cluster);
  // Half of the people are in every stream, and get the same messages with different options.
  const inEveryStream = scenario.senders.filter((_person, n) => n % 2 === 0);
  const variants: readonly Parameters[] = [
    { client_gravatar: true },
    { all_public_streams: true },
    { client_gravatar: true, all_public_streams: true },
  ];
  const followers = await Promise.all(
    inEveryStream.flatMap(({ client, id }) =>
      variants.map((parameters) => QueueFollower.open(client, id, scenario.ledger, { parameters })),
    ),
  );
  let isOver = false;
  // Before a node is paused, because registers may be refused then. There are no events, so each poll is held.
  const silent = await Promise.all(
    scenario.people.map((person) => register(person, { event_types: ['realm'] })),
  );
  const hangUps = silent.map((queue, at) => {
    const person = scenario.people[at];
    if (person === undefined) throw new Error('each has a queue');
    return hangUpAgainAndAgain(person, queue, () => isOver);
  });
  await scenario.sendUntilAcknowledged(200);

  const [paused] = cluster.findProcesses('events');
  if (paused === undefined) throw new Error('there are event nodes');
  const sending = scenario.sendUntilAcknowledged(400);
  paused.signal('SIGSTOP');
  await sending;
  await waitUntil(
    'polls moved to the other node',
    async () =>
      (await sumOf(cluster.findProcesses('gateway'), 'parley_gateway_moved_polls_total')) > 0,
  );
  paused.signal('SIGCONT');
  await scenario.sendUntilAcknowledged(200);

  const drained = scenario.sendUntilAcknowledged(200);
  await cluster.startAnother('events');
  expect(await cluster.kill('events', 1, 'SIGTERM')).toMatchObject({ code: 0 });
  await drained;

  isOver = true;
  const polls = (await Promise.all(hangUps)).reduce((sum, count) => sum + count, 0);
  expect(polls).toBeGreaterThan(500);
  await waitUntil('all is there', () => scenario.ledger.hasAllReceipts());
  await Promise.all(followers.map((follower) => follower.stop()));
  await scenario.settle();
  await waitForNoPolls(cluster);
});

test('an answer of a megabyte does not delay small ones, and each client gets its own', async () => {
  await using cluster = await startCluster({ events: 1, messages: 1, gateways: 1 });
  await using scenario = await DeliveryScenario.open(cluster);
  // In addition to the scenario's people, whose ledger does not include these sends.
  const one = await scenario.organization.makeAccount('One');
  const other = await scenario.organization.makeAccount('Other');
  const behind = await Promise.all(
    [{}, { apply_markdown: true }, { client_gravatar: true }].map((parameters) =>
      register(one, parameters),
    ),
  );
  const content = '**ü**'.repeat(1_500);
  const ids: unknown[] = [];
  for (let sent = 0; sent < 130; sent += 1) {
    const { id } = await other.client.post('messages', {
      type: 'private',
      to: [one.email],
      content,
    });
    ids.push(id);
  }
  const read = async ({ queueId, lastEventId }: (typeof behind)[number]): Promise<unknown[]> => {
    const events: unknown[] = [];
    let last = lastEventId;
    while (events.length < ids.length) {
      const parameters = { queue_id: queueId, last_event_id: last };
      const body = await untilAvailable(() => one.client.get('events', parameters));
      const given = body['events'] as { id: number; message: { id: number } }[];
      expect(body['queue_id']).toBe(queueId);
      expect(given.map(({ id }) => id)).toEqual(
        given.map(({ id }) => id).toSorted((a, b) => a - b),
      );
      expect(given[0]?.id).toBeGreaterThan(last);
      events.push(...given.map(({ message }) => message.id));
      last = given.at(-1)?.id ?? last;
    }
    return events;
  };
  const sending = scenario.sendUntilAcknowledged(100);
  const all = await Promise.all(behind.map(read));
  await sending;
  for (const each of all) expect(each.slice(0, ids.length)).toEqual(ids);
  await scenario.settle();
  await waitForNoPolls(cluster);
});
