// A system that runs from a compose file: the common parts of all such systems in the tests.

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { docker } from './engine.mjs';

const oneShots = ['secrets', 'migrate', 'first-start'];
const stores = ['postgres', 'redis'];

// Eleven Node processes start on two slow cores in under a minute.
const healthyTimeoutMs = 240_000;
const oneShotTimeoutMs = 60_000;
const takeDownTriesMax = 3;

/** The arguments of `up` for these numbers of replicas. */
export function scaleArguments(replicas) {
  return Object.entries(replicas).flatMap(([service, count]) => ['--scale', `${service}=${count}`]);
}

export async function buildImage(image, folder) {
  // The machine's own network, because not every machine reaches the npm registry from the default network of builds.
  await docker(
    [
      'build',
      '--network',
      process.env.PARLEY_BUILD_NETWORK ?? 'host',
      '--file',
      join(folder, 'deploy/Dockerfile'),
      '--tag',
      image,
      folder,
    ],
    { show: true },
  );
}

/** Waits until every container is healthy, and fails if one ended or was restarted. */
export async function awaitHealthy(compose, replicas) {
  const giveUpAt = Date.now() + healthyTimeoutMs;
  const expected = { ...replicas, ...Object.fromEntries(stores.map((store) => [store, 1])) };
  for (;;) {
    const containers = await compose.inspectContainers();
    const waiting = [];
    for (const [service, count] of Object.entries(expected)) {
      const own = containers.filter((container) => container.service === service);
      assert.equal(own.length, count, `containers of ${service}`);
      for (const { Name, State, RestartCount } of own) {
        assert.ok(
          State.Running && RestartCount === 0,
          `${Name} ended with ${State.ExitCode} or was restarted`,
        );
        if (State.Health?.Status !== 'healthy') waiting.push(`${Name} ${lastHealthOutput(State)}`);
      }
    }
    if (waiting.length === 0) return containers;
    assert.ok(
      Date.now() < giveUpAt,
      `not healthy after ${healthyTimeoutMs} ms:\n${waiting.join('\n')}`,
    );
    await delay(1_000);
  }
}

function lastHealthOutput(state) {
  return state.Health?.Log?.at(-1)?.Output?.trim() ?? 'has no health check';
}

/** Waits until the one-shot containers have ended with code 0. */
export async function checkOneShots(compose) {
  const giveUpAt = Date.now() + oneShotTimeoutMs;
  for (const service of oneShots) {
    for (;;) {
      const own = (await compose.inspectContainers()).filter(
        (container) => container.service === service,
      );
      assert.equal(own.length, 1, `containers of ${service}`);
      if (own[0].State.Status === 'exited') {
        assert.equal(own[0].State.ExitCode, 0, `exit code of ${service}`);
        break;
      }
      assert.ok(Date.now() < giveUpAt, `${service} does not end`);
      await delay(500);
    }
  }
}

/**
 * Addresses of the healthy gateways, by the ports that the engine assigned. The engine accepts connections even for a gateway that
 * is just starting, and resets them.
 */
export async function findGateways(compose) {
  const containers = await compose.inspectContainers();
  return containers
    .filter(({ service, State }) => service === 'gateway' && State.Health?.Status === 'healthy')
    .flatMap(({ NetworkSettings }) => Object.values(NetworkSettings.Ports ?? {}))
    .flatMap((bindings) => bindings ?? [])
    .map(({ HostIp, HostPort }) => `http://${HostIp}:${HostPort}`);
}

export async function showLogs(compose) {
  try {
    process.stderr.write(await compose.run(['logs', '--no-color', '--tail', '40']));
    process.stderr.write(await compose.run(['ps', '--all']));
  } catch (error) {
    process.stderr.write(`no logs: ${error.message}\n`);
  }
}

/** Removes containers, networks, volumes and the images that were built for the system. */
export async function takeDown(compose, images = []) {
  await bringDown(compose, ['--volumes', '--remove-orphans']);
  assert.deepEqual(await compose.inspectContainers(), []);
  assert.deepEqual(await compose.listVolumes(), []);
  for (const image of images) await docker(['image', 'rm', image]);
}

/**
 * Removes containers and networks, and everything that the options name.
 *
 * Older engines sometimes miscount the containers of a network when many start at once, and then keep the empty network until they
 * are restarted. That is reported, but it is no fault of the tested system.
 */
export async function bringDown(compose, options = []) {
  for (let tries = 1; ; tries++) {
    try {
      await compose.run(['down', ...options]);
      return;
    } catch (error) {
      if (tries < takeDownTriesMax) continue;
      if (!error.message.includes('has active endpoints')) throw error;
      console.log(
        `        the engine keeps an empty network:\n${error.message.split('\n').at(-1)}`,
      );
      return;
    }
  }
}
