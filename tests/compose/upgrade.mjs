// A running system is upgraded from the image of an older commit to that of this
// one, with the newest migration between them if there is one after the first
// schema, its key secret is replaced, and it goes back, by deploy/upgrade.sh,
// while clients send and follow through all gateways.

import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createClient } from './api-client.mjs';
import { composeProject, docker } from './engine.mjs';
import { exportCommit, findOlderCommit } from './older-commit.mjs';
import {
  awaitHealthy,
  buildImage,
  findGateways,
  scaleArguments,
  showLogs,
  takeDown,
} from './system.mjs';
import { startTraffic } from './traffic.mjs';

const replicas = { gateway: 2, messages: 2, subscriptions: 1, people: 1, presence: 1, events: 2 };
const accountsCount = 4;
const sentBeforeMin = 20;
const trafficTimeoutMs = 30_000;

/** Seeds the demo organization in a container that ends afterwards. */
async function makeAccounts(compose) {
  const seed = ['node', 'packages/demo/src/seed-main.ts', '--json'];
  const output = await compose.run(['run', '--rm', '--no-TTY', '--no-deps', 'migrate', ...seed]);
  const { accounts } = JSON.parse(output);
  const people = accounts.filter((account) => !account.is_bot).slice(0, accountsCount);
  assert.equal(people.length, accountsCount);
  return people;
}

async function readSchemaVersion(compose) {
  const psql = ['psql', '-U', 'parley', '-tAc', 'SELECT version FROM schema_version'];
  return Number(await compose.run(['exec', '-T', 'postgres', ...psql]));
}

/** The older system may have had none; the newer services use theirs. */
async function checkRedisPassword(compose) {
  const answer = await compose.run(['exec', '-T', 'redis', 'redis-cli', 'ping']);
  assert.match(answer, /NOAUTH/, 'Redis asks for a password');
}

/** As many replicas as before, each healthy and with this image, and no others. */
async function checkReplaced(compose, image) {
  const containers = await awaitHealthy(compose, replicas);
  const [{ Id }] = JSON.parse(await docker(['image', 'inspect', image]));
  for (const { Name, Image, service } of containers)
    if (service in replicas) assert.equal(Image, Id, `image of ${Name}`);
}

async function awaitSent(traffic, count) {
  const giveUpAt = Date.now() + trafficTimeoutMs;
  while (traffic.sent < count) {
    traffic.checkFaults();
    assert.ok(Date.now() < giveUpAt, `${traffic.sent} of ${count} messages were sent`);
    await delay(100);
  }
}

/** Runs deploy/upgrade.sh; clients must notice nothing that a retry does not hide, and must have sent in the meantime. */
async function replaceAll(compose, traffic, words) {
  const [sent, repeated] = [traffic.sent, traffic.repeated];
  await compose.shell(`deploy/upgrade.sh ${words.join(' ')}`, { show: true });
  traffic.checkFaults();
  await awaitSent(traffic, sent + sentBeforeMin);
  console.log(
    `        messages meanwhile: ${traffic.sent - sent}, requests repeated: ${traffic.repeated - repeated}`,
  );
}

/** Takes one of the runbook's steps for replacing the key secret; each must be followed by a deploy. */
function takeSecretStep(compose, step) {
  const program = ['node', 'deploy/generate-secrets.mjs', step, 'key-secret'];
  return compose.run(['run', '--rm', '--no-TTY', '--no-deps', 'secrets', ...program]);
}

/**
 * Switches to the new key secret, which the replicas accept since the upgrade. The downgrade that follows replaces every replica
 * anyway, so it is the deploy of the last step.
 */
async function replaceKeySecret(compose, traffic, image) {
  const renewAll = async () => {
    const before = new Set((await compose.inspectContainers()).map(({ Id }) => Id));
    await replaceAll(compose, traffic, ['--renew', image]);
    await checkReplaced(compose, image);
    for (const { Id, Name, service } of await compose.inspectContainers())
      assert.ok(!(service in replicas && before.has(Id)), `${Name} was not replaced`);
  };
  const reencrypt = async (...settings) => {
    const command = ['messages', 'parley', 'key', 'reencrypt', '--json'];
    const run = ['run', '--rm', '--no-TTY', '--no-deps', ...settings, ...command];
    return JSON.parse(await compose.run(run));
  };
  await takeSecretStep(compose, 'use-new');
  await renewAll();
  const { renewed, left } = await reencrypt();
  assert.ok(renewed > 0 && left === 0, `${renewed} rows were stored anew, ${left} are left`);
  // Ends with 1 if the old secret is still needed.
  await reencrypt('--env', 'PARLEY_KEY_SECRET_PREVIOUS_FILE=');
  await takeSecretStep(compose, 'forget-old');
}

/**
 * @param {ReturnType<typeof import('./checks.mjs').createChecks>['check']} check
 * @param {{ runId: string, image: string }} run the beginning of the containers' names, and the image of this commit
 */
export async function testUpgrade(check, { runId, image }) {
  const older = await check('git tells its history', findOlderCommit);
  if (older === undefined) {
    console.log(
      '        NOT TRIED: an upgrade. This clone has no older commit whose schema upgrades to this one; in a shallow clone: git fetch --unshallow',
    );
    return;
  }
  const { commit, migrates } = older;
  const project = `${runId}-upgrade`;
  const images = { older: `${project}:older`, newer: image };
  const settings = {
    // Accounts of the demo, which every release creates alike.
    PARLEY_MODE: 'development',
    PARLEY_PUBLISH_PORT: '0',
    PARLEY_RATE_LIMITS: 'off',
  };
  const folder = await mkdtemp(join(tmpdir(), 'parley-upgrade-'));
  const compose = composeProject(project, { ...settings, PARLEY_IMAGE: images.newer });
  const built = [];
  let traffic;
  try {
    console.log(`        the older commit: ${commit}`);
    const sources = await check('git gives the sources of the older commit', () =>
      exportCommit(commit, folder),
    );
    await check('the image of that commit builds', async () => {
      await buildImage(images.older, sources);
      built.push(images.older);
    });
    const olderCompose = composeProject(
      project,
      { ...settings, PARLEY_IMAGE: images.older },
      sources,
    );
    await check('the older system starts from its own compose file', async () => {
      const up = ['up', '--detach', '--no-build', '--quiet-pull', ...scaleArguments(replicas)];
      await olderCompose.run(up, { show: true });
      await awaitHealthy(compose, replicas);
    });
    const schemaBefore = await readSchemaVersion(compose);
    await check('clients send and follow through all gateways', async () => {
      const accounts = await makeAccounts(olderCompose);
      const stream = `upgrade ${process.pid}`;
      const gateways = await findGateways(compose);
      assert.equal(gateways.length, replicas.gateway);
      for (const account of accounts)
        await createClient(gateways, account).request('POST', 'users/me/subscriptions', {
          subscriptions: [{ name: stream }],
        });
      traffic = await startTraffic(compose, accounts, stream);
      await awaitSent(traffic, sentBeforeMin);
    });
    await check(
      'an upgrade migrates and replaces every replica, and one retry hides it from every client',
      async () => {
        // Deployed by the upgrade.
        await takeSecretStep(compose, 'accept-new');
        await replaceAll(compose, traffic, [images.newer]);
      },
    );
    const schemaAfter = await check('every replica is of the newer image', async () => {
      await checkReplaced(compose, images.newer);
      await checkRedisPassword(compose);
      const version = await readSchemaVersion(compose);
      assert.equal(version > schemaBefore, migrates, `schema ${version} after ${schemaBefore}`);
      return version;
    });
    await check(
      'the key secret is replaced in rolling steps, and one retry hides it from every client',
      () => replaceKeySecret(compose, traffic, images.newer),
    );
    await check(
      'the way back replaces every replica, and one retry hides it from every client',
      () => replaceAll(compose, traffic, ['--back', images.older]),
    );
    await check('every replica is of the older image, and the schema stays', async () => {
      await checkReplaced(compose, images.older);
      assert.equal(await readSchemaVersion(compose), schemaAfter);
    });
    await check('every acknowledged message came to every queue once and in order', () =>
      traffic.settle(),
    );
  } catch (error) {
    if (built.length > 0) await showLogs(compose);
    throw error;
  } finally {
    await traffic?.stop();
    await check('both are taken down, volumes too', () => takeDown(compose, built));
    await rm(folder, { recursive: true, force: true });
  }
}
