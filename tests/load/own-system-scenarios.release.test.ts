/** The scenarios that need a system of their own run, find no fault and measure something. The values of the figures are not tested. */
import { afterEach, expect, test } from 'vitest';

import { startOwnSystem } from './load-system.ts';
import type { LoadSystem, OwnSystemOptions } from './load-system.ts';
import { inspectable } from './process-gauge.ts';
import { measureAttacks } from './scenarios/attacks.ts';
import type { AttackResult } from './scenarios/attacks.ts';
import { measureIdleQueues } from './scenarios/idle-queues.ts';
import { measureImport } from './scenarios/import.ts';
import { measureNodeDeath } from './scenarios/node-death.ts';
import { measureNotifications } from './scenarios/notifications.ts';
import { soak } from './scenarios/soak.ts';
import { describeStatements, measureStatements } from './scenarios/statements.ts';
import type { StatementsResult } from './scenarios/statements.ts';
import type { SoakSample } from './scenarios/soak.ts';

let system: LoadSystem | undefined;
afterEach(async () => {
  await system?.stop();
  system = undefined;
});

async function start(options: OwnSystemOptions): Promise<LoadSystem> {
  system = await startOwnSystem(1, options);
  return system;
}

test('notifications', async () => {
  const measured = await measureNotifications(await start({ events: 1, people: 0 }), {
    audience: 20,
    rounds: 1,
  });
  expect(measured).toMatchObject({ subscribers: 20, away: 18 });
  const { send, candidate, decision_and_mail, candidate_of_push, decision_and_push } = measured;
  for (const { ratio } of Object.values(send)) expect(ratio).toBeGreaterThan(0);
  for (const cost of [candidate, decision_and_mail, candidate_of_push, decision_and_push])
    expect(cost.node_us + cost.postgres_us).toBeGreaterThan(0);
});

test('statements', async () => {
  const results: StatementsResult[] = [];
  await measureStatements(
    { sizes: [120], secs: 1 },
    (result) => results.push(result),
    () => undefined,
  );
  for (const result of results)
    if ('in_flight' in result) expect(result.postgres_us_per_send).toBeGreaterThan(0);
  const table = describeStatements(results);
  expect(table).toContain('| 120 | 120, analyzed |');
  expect(table).toMatch(/nobody is told \| send-messages \| 1 \| \d+ \| \d+ \|/);
});

test.each(['64 KiB', 'webhook of numbers'])('attacks: %s', async (only) => {
  const results: AttackResult[] = [];
  await measureAttacks(await start({ events: 1 }), only, (result) => results.push(result));
  expect(results.map(({ answers }) => answers)).toEqual([{ 400: 1 }, { 400: 1 }]);
  for (const result of results) expect(result.others_longest_ms).toBeGreaterThan(0);
});

test('idle queues', async () => {
  const result = await measureIdleQueues(await start({ events: 1, environment: inspectable }), {
    queues: 100,
    followers: 25,
    deliveriesPerSecond: 100,
    durationSecs: 2,
    backlog: 10,
  });
  expect(result).toMatchObject({ idle_queues: 100, followers: 25 });
  expect(result.send_to_receive.count).toBeGreaterThan(0);
  expect(result.send_to_all_to_receive.count).toBe(75);
});

test('the death of a node', async () => {
  const result = await measureNodeDeath(await start({ events: 1 }), { queues: 120, survivors: 2 });
  expect(result.served_again.count).toBe(120);
});

test('a soak', async () => {
  const samples: SoakSample[] = [];
  const result = await soak(
    await start({ events: 2, environment: inspectable }),
    { minutes: 0.2, clients: 30, fill: 100, sampleSecs: 4 },
    (sample) => samples.push(sample),
  );
  expect(result.abandoned).toBeGreaterThan(0);
  expect(result.deleted).toBeGreaterThan(0);
  // Three processes each time.
  expect(samples.length % 3).toBe(0);
  expect(samples.every(({ open_files: files, listeners }) => files > 0 && listeners > 0)).toBe(
    true,
  );
});

test('an import is measured', async () => {
  const size = { people: 5, channels: 2, messages: 600, threads: 20, reactions: 40, seed: 1 };
  const result = await measureImport('mattermost', size, {
    file: undefined,
    profileFolder: undefined,
    say: () => undefined,
  });
  expect(result.messages).toBe(size.messages);
  expect(result.commandCpuSecs).toBeGreaterThan(0);
  expect(result.postgresCpuSecs).toBeGreaterThan(0);
  expect(result.peakMib).toBeGreaterThan(0);
});
