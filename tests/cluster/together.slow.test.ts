/** Processes that run all services: what a small installation has one of. */
import { serviceNames, startCluster } from '@parley/test-kit';
import { expect, test } from 'vitest';

import { DeliveryScenario } from '../support/delivery-scenario.ts';

test('two processes with all services deliver each message once, also when one of them dies or is replaced', async () => {
  await using cluster = await startCluster({ together: 2 });
  // The clients are at the first one, which reaches half of the nodes by calls and half by the network.
  const { url } = cluster;
  await using scenario = await DeliveryScenario.open(cluster, () => [url]);
  await scenario.sendUntilAcknowledged(200);
  const sending = scenario.sendUntilAcknowledged(600);
  await cluster.kill('together', 1);
  await cluster.startAnother('together');
  expect(await cluster.kill('together', 1, 'SIGTERM')).toEqual({ code: 0, signal: null });
  await sending;
  await scenario.sendUntilAcknowledged(200);
  await scenario.settle();
  expect(scenario.answeringNodes.size).toBe(1);
});

test('a process shows the health and the figures of all its services on one port', async () => {
  await using cluster = await startCluster({ together: 1 });
  const { internalUrl } = cluster.getProcess('together', 0);
  const health: unknown = await (await fetch(`${internalUrl}/health/ready`)).json();
  expect(health).toMatchObject({ status: 'ready', service: serviceNames.join('+'), faults: {} });
  expect(await fetch(`${cluster.url}/api/v1/server_settings`)).toMatchObject({ status: 200 });
  const lines = (await (await fetch(`${internalUrl}/metrics`)).text()).split('\n');
  for (const service of serviceNames) {
    const ofService = lines.filter((line) => line.includes(`service="${service}"`));
    expect(ofService.some((line) => line.startsWith('parley_http_requests_in_flight'))).toBe(true);
    // What the process does is counted once, whatever runs in it.
    expect(ofService.some((line) => line.startsWith('process_cpu'))).toBe(false);
  }
  const series = lines.filter((line) => line !== '' && !line.startsWith('#'));
  expect(new Set(series.map((line) => line.slice(0, line.lastIndexOf(' ')))).size).toBe(
    series.length,
  );
  expect(series.filter((line) => line.startsWith('process_cpu_seconds_total'))).toHaveLength(1);
});
