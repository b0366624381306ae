/** The scenarios of scale and the soak run, find no fault and measure something. How much is no matter of a test. */
import { afterEach, expect, test } from 'vitest';

import { startOwnSystem } from './load-system.ts';
import type { LoadSystem, OwnSystemOptions } from './load-system.ts';
import { inspectable } from './process-gauge.ts';
import { measureIdlePolls } from './scenarios/idle-polls.ts';
import type { IdlePollsResult } from './scenarios/idle-polls.ts';
import { measureIdleQueues } from './scenarios/idle-queues.ts';
import { measureNodeDeath } from './scenarios/node-death.ts';
import { soak } from './scenarios/soak.ts';
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

test('idle polls', async () => {
  const results: IdlePollsResult[] = [];
  await measureIdlePolls(
    await start({
      events: 1,
      gateways: 2,
      environment: {
        ...inspectable,
        PARLEY_HEARTBEAT_MIN_SECS: '1',
        PARLEY_HEARTBEAT_MAX_SECS: '2',
      },
    }),
    { levels: [20, 60], idleSecs: 3 },
    (result) => results.push(result),
  );
  expect(results.map(({ polls, send_to_receive: { count } }) => [polls, count])).toEqual([
    [20, 60],
    [60, 180],
  ]);
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
