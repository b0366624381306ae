// The scenario of a whole system: its first start, messages over several
// replicas, an event node that stops, a restart that keeps all data, and a dump
// that is restored.

import assert from 'node:assert/strict';
import { createClient, openQueue } from './api-client.mjs';
import { testDump } from './dump-restore.mjs';
import { composeProject, docker } from './engine.mjs';
import {
  checkNothingSecret,
  checkNothingToldAgain,
  makePeople,
  readCredentials,
} from './first-start.mjs';
import { testRestart } from './restart.mjs';
import {
  awaitHealthy,
  checkOneShots,
  findGateways,
  scaleArguments,
  showLogs,
  takeDown,
} from './system.mjs';

/** With all services in one process. */
const onlyGateway = { gateway: 1 };
const togetherFiles = ['docker-compose.yml', 'deploy/compose-together.yml'];
const replicas = { gateway: 2, messages: 2, subscriptions: 2, people: 2, presence: 2, events: 3 };

// Which node a queue lands on is a hash of a random id: with 24 queues one of
// three nodes gets none once in six thousand runs, so more are opened if needed.
const queuesMin = 24;
const queuesMax = 96;
const messagesPerRound = 8;
const topic = 'replicas';
const deliveryTimeoutMs = 60_000;

function checkConfinement(containers) {
  for (const { Name, Config, HostConfig, NetworkSettings, service } of containers) {
    assert.ok(!['', '0', 'root'].includes(Config.User), `${Name} runs as ${Config.User || 'root'}`);
    assert.ok(HostConfig.ReadonlyRootfs, `${Name} can write to its root`);
    assert.ok(HostConfig.Memory > 0, `${Name} has no memory limit`);
    assert.deepEqual(HostConfig.CapDrop, ['ALL'], `${Name} keeps capabilities`);
    const published = Object.values(NetworkSettings.Ports ?? {}).flatMap(
      (bindings) => bindings ?? [],
    );
    assert.equal(published.length, service === 'gateway' ? 1 : 0, `published ports of ${Name}`);
    for (const { HostIp } of published)
      assert.equal(HostIp, '127.0.0.1', `address published by ${Name}`);
    // Secrets come from files, because `docker inspect` and crash reports show a container's environment.
    const named = Config.Env.filter((entry) =>
      /(SECRET|PASSWORD|^DATABASE_URL|^REDIS_URL)\w*=./.test(entry),
    );
    for (const entry of named) assert.match(entry, /^\w+_FILE=\//, `environment of ${Name}`);
  }
}

async function checkRedisPassword(compose, containers) {
  const redis = (...words) => compose.run(['exec', '-T', 'redis', ...words]);
  // redis-cli prints a refusal like any other answer.
  assert.match(await redis('redis-cli', 'ping'), /NOAUTH/);
  const password = await redis('cat', '/run/parley/redis/password');
  assert.match(password, /^[\w-]{43}$/);
  for (const { Name, ...told } of containers)
    assert.ok(!JSON.stringify(told).includes(password), `docker inspect shows it of ${Name}`);
}

async function findEveryGateway(compose, { gateway: count } = replicas) {
  const gateways = await findGateways(compose);
  assert.equal(new Set(gateways).size, count, `addresses ${gateways.join(', ')}`);
  const anonymous = createClient(gateways);
  for (const gateway of gateways) {
    assert.match(gateway, /^http:\/\/127\.0\.0\.1:\d+$/);
    await anonymous.request('GET', 'server_settings', {}, gateway);
  }
  return gateways;
}

async function subscribeAll(clients, stream) {
  for (const client of clients) {
    const { body } = await client.request('POST', 'users/me/subscriptions', {
      subscriptions: [{ name: stream }],
    });
    assert.deepEqual(body.subscribed, { [client.account.email]: [stream] });
  }
}

/** Opens queues until every event node serves at least one; returns them with the number at each node. */
async function openQueuesOnAllNodes(clients) {
  const queues = [];
  const countByNode = new Map();
  while (
    queues.length < queuesMin ||
    (countByNode.size < replicas.events && queues.length < queuesMax)
  ) {
    const queue = await openQueue(clients[queues.length % clients.length], topic);
    const node = await queue.findNode();
    assert.ok(node, 'GET /api/v1/events names its node in x-parley-node');
    countByNode.set(node, (countByNode.get(node) ?? 0) + 1);
    queues.push(queue);
  }
  assert.equal(
    countByNode.size,
    replicas.events,
    `queues by node ${JSON.stringify([...countByNode])}`,
  );
  console.log(`        queues by event node: ${[...countByNode.values()].join(', ')}`);
  return queues;
}

/** The web client's page, and what it loads first. */
async function checkWebClient(gateways) {
  for (const gateway of gateways) {
    const page = await fetch(gateway);
    assert.equal(page.status, 200);
    assert.match(page.headers.get('content-security-policy') ?? '', /default-src 'none'/);
    const script = /src="(\/assets\/[^"]+\.js)"/.exec(await page.text())?.[1];
    assert.ok(script, 'the page loads a script');
    assert.equal((await fetch(new URL(script, gateway))).status, 200);
  }
}

/** Sends one message after the other, with gateways and accounts in turn. */
async function sendRound(clients, stream, round) {
  const ids = [];
  for (let i = 0; i < messagesPerRound; i++) {
    const { body } = await clients[i % clients.length].request('POST', 'messages', {
      type: 'stream',
      to: stream,
      subject: topic,
      content: `round ${round}, message ${i}`,
    });
    assert.ok(ids.length === 0 || body.id > ids.at(-1), `message ${body.id} after ${ids.at(-1)}`);
    ids.push(body.id);
  }
  return ids;
}

async function readEverywhere(queues, sentIds, failuresMax) {
  const options = { failuresMax, deadlineMs: deliveryTimeoutMs };
  await Promise.all(queues.map((queue) => queue.readMessages(sentIds.length, options)));
  for (const queue of queues)
    assert.deepEqual(queue.messageIds, sentIds, `messages of queue ${queue.queueId}`);
}

/** Stops an event node as a deploy does, while its queues are polled. */
async function stopEventNode(compose, clients, queues, stream, sentIds) {
  const containers = await compose.inspectContainers();
  const node = containers.find(({ service, index }) => service === 'events' && index === 1);
  const expectedCount = sentIds.length + messagesPerRound;
  // A drained node costs its clients at most one failed poll.
  const options = { failuresMax: 1, deadlineMs: deliveryTimeoutMs };
  const reading = Promise.all(queues.map((queue) => queue.readMessages(expectedCount, options)));
  const [, round] = await Promise.all([
    docker(['stop', node.Id]),
    sendRound(clients, stream, 2),
    reading,
  ]);
  const allIds = [...sentIds, ...round];
  for (const queue of queues)
    assert.deepEqual(queue.messageIds, allIds, `messages of queue ${queue.queueId}`);
  const [{ State }] = JSON.parse(await docker(['inspect', node.Id]));
  assert.equal(State.ExitCode, 0, 'exit code of the stopped event node');
}

/**
 * @param {ReturnType<typeof import('./checks.mjs').createChecks>['check']} check
 * @param {{ runId: string, image: string }} run the beginning of the containers' names, and the image of this commit
 */
export async function testSystem(check, { runId, image }) {
  const compose = composeProject(runId, {
    PARLEY_IMAGE: image,
    // A free port for each gateway.
    PARLEY_PUBLISH_PORT: '0',
    PARLEY_ORGANIZATION_NAME: 'Boats',
    PARLEY_ADMINISTRATOR_EMAIL: 'ann@boats.example',
  });
  const upArguments = ['up', '--detach', '--no-build', '--quiet-pull'];
  const start = () => compose.run([...upArguments, ...scaleArguments(replicas)], { show: true });
  const startTogether = () =>
    compose.run([...togetherFiles.flatMap((file) => ['--file', file]), ...upArguments], {
      show: true,
    });
  try {
    await check('the system starts', start);
    const containers = await check('every replica becomes healthy', () =>
      awaitHealthy(compose, replicas),
    );
    await check('secrets, migration and first start ended well', () => checkOneShots(compose));
    await check('containers are confined and publish only the gateway, on loopback', () =>
      checkConfinement(containers),
    );
    await check('Redis takes nobody who does not know its password', () =>
      checkRedisPassword(compose, containers),
    );
    const gateways = await check('every gateway answers on a port of its own', () =>
      findEveryGateway(compose),
    );
    await check('every gateway serves the web client', () => checkWebClient(gateways));
    const credentials = await check(
      'the first start made the organization, and told the credentials of its administrator',
      () => readCredentials(compose, gateways, 'Boats', 'ann@boats.example'),
    );
    await check('no other log has the credentials', () => checkNothingSecret(compose, credentials));
    const accounts = await check('the administrator makes accounts, which sign in', () =>
      makePeople(gateways, credentials),
    );
    const clients = accounts.map((account) => createClient(gateways, account));
    const stream = `containers ${process.pid}`;
    await check('accounts subscribe to a new stream', () => subscribeAll(clients, stream));
    const queues = await check('queues open on every event node', () =>
      openQueuesOnAllNodes(clients),
    );
    const sentIds = await check('messages are sent through every gateway', () =>
      sendRound(clients, stream, 1),
    );
    await check('every queue gets every message once and in order', () =>
      readEverywhere(queues, sentIds, 0),
    );
    await check('stopping an event node loses and repeats nothing', () =>
      stopEventNode(compose, clients, queues, stream, sentIds),
    );
    await check('queues close', () => Promise.all(queues.map((queue) => queue.close())));

    const systemOf = (counts) => ({
      compose,
      stream,
      awaitHealthy: async () => {
        await awaitHealthy(compose, counts);
        await checkOneShots(compose);
      },
      // Each start assigns new ports.
      connect: async () => {
        const found = await findEveryGateway(compose, counts);
        return accounts.map((account) => createClient(found, account));
      },
    });
    const together = { ...systemOf(onlyGateway), kind: 'all in one process', start: startTogether };
    await testRestart(check, together, clients);
    const system = { ...systemOf(replicas), kind: 'a process for each service', start };
    await testRestart(check, system, await together.connect());
    await check('a later start makes nothing and tells nothing secret', () =>
      checkNothingToldAgain(compose, credentials),
    );
    await testDump(check, system);
  } catch (error) {
    await showLogs(compose);
    throw error;
  } finally {
    await check('everything is taken down, volumes too', () => takeDown(compose));
  }
}
