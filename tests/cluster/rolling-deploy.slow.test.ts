/**
 * Every process of a system with two of each service is replaced, one after the other, as by an orchestrator, while clients
 * continue. They notice at most one failed or empty poll for each process that leaves (architecture, Queues).
 */
import { serviceNames, startCluster } from '@parley/test-kit';
import type { ServiceProcess } from '@parley/test-kit';
import { expect, test } from 'vitest';

import { DeployLoad } from './rolling-deploy-load.ts';

test('a rolling deploy of every service loses, repeats and refuses nothing', async () => {
  const all = { gateways: 2, messages: 2, subscriptions: 2, people: 2, presence: 2, events: 2 };
  await using cluster = await startCluster(all);
  const gatewayUrls = [...cluster.gatewayUrls];
  await using load = await DeployLoad.start(cluster, gatewayUrls);

  const first = serviceNames.flatMap((name) => cluster.findProcesses(name));
  const processes: ServiceProcess[] = [...first];
  // How often each follower had been interrupted before each process left, and after the last one.
  const counts: number[][] = [];
  const count = (): void => {
    counts.push(load.everyFollower.map(({ interruptions }) => interruptions.length));
  };
  for (const old of first) {
    const started = await cluster.startAnother(old.service);
    processes.push(started);
    if (old.service === 'gateway') gatewayUrls.push(started.url);
    count();
    // As with a load balancer, the address is removed when the process is told to end.
    if (old.service === 'gateway') gatewayUrls.splice(gatewayUrls.indexOf(old.url), 1);
    const end = await old.kill('SIGTERM');
    expect(end).toEqual({ code: 0, signal: null });
  }
  count();
  const { sends, changes } = load.acknowledged;

  await load.settle();
  expect(load.faults.join('\n')).toBe('');
  const interruptedTwice = load.everyFollower.flatMap(({ interruptions }, follower) =>
    first.flatMap(({ service }, n) => {
      const during = interruptions.slice(counts[n]?.[follower], counts[n + 1]?.[follower]);
      return during.length > 1 ? [`${service} left: ${during.join('; ')}`] : [];
    }),
  );
  // As text, so that the first line of a failure shows everything.
  expect(interruptedTwice.join('\n')).toBe('');
  // The polls without events were held throughout, so gateways and nodes had some to answer when they left.
  expect(load.quietFollowers.some(({ interruptions }) => interruptions.includes('nothing'))).toBe(
    true,
  );
  expect(processes.flatMap(({ faultLines }) => faultLines).join('\n')).toBe('');
  // There was load all the time.
  expect(sends).toBeGreaterThan(first.length * 5);
  expect(changes).toBeGreaterThan(first.length);
});
