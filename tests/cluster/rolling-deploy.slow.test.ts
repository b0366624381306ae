/**
 * Every process of a system of two of each service is replaced, one after the other, as an orchestrator does it, while clients go
 * on: what they see of it is at most one failed or empty poll for each process that leaves (architecture, What must always hold, 2).
 */
import { serviceNames, startCluster } from '@parley/test-kit';
import type { ServiceProcess } from '@parley/test-kit';
import { expect, test } from 'vitest';

import { DeployLoad } from './rolling-deploy-load.ts';

test('a rolling deploy of every service loses, repeats and refuses nothing', async () => {
  const all = { gateways: 2, messages: 2, subscriptions: 2, presence: 2, events: 2 };
  await using cluster = await startCluster(all);
  const gatewayUrls = [...cluster.gatewayUrls];
  await using load = await DeployLoad.start(cluster, gatewayUrls);

  const first = serviceNames.flatMap((name) => cluster.findProcesses(name));
  const processes: ServiceProcess[] = [...first];
  // How often each follower was interrupted, before each process left and in the end.
  const interruptions: number[][] = [];
  for (const old of first) {
    const started = await cluster.startAnother(old.service);
    processes.push(started);
    if (old.service === 'gateway') gatewayUrls.push(started.url);
    interruptions.push(load.everyFollower.map((follower) => follower.interruptions));
    // What takes addresses out of a list does so when it asks the process to end.
    if (old.service === 'gateway') gatewayUrls.splice(gatewayUrls.indexOf(old.url), 1);
    const end = await old.kill('SIGTERM');
    expect(end).toEqual({ code: 0, signal: null });
  }
  const { sends, changes } = load.acknowledged;

  await load.settle();
  interruptions.push(load.everyFollower.map((follower) => follower.interruptions));
  expect(load.faults).toEqual([]);
  const mostOf = first.map((_old, n) =>
    Math.max(
      ...(interruptions[n + 1] ?? []).map((count, i) => count - (interruptions[n]?.[i] ?? 0)),
    ),
  );
  // Only gateways and event nodes hold polls, and each held some.
  expect(mostOf).toEqual(
    first.map(({ service }) => (service === 'gateway' || service === 'events' ? 1 : 0)),
  );
  expect(processes.flatMap(({ faultLines }) => faultLines)).toEqual([]);
  // There was load all the time.
  expect(sends).toBeGreaterThan(first.length * 5);
  expect(changes).toBeGreaterThan(first.length);
});
