import { ApiClient, makeOrganization, serviceNames, startCluster } from '@parley/test-kit';
import { expect, test } from 'vitest';

const [first, second] = ['first-'.padEnd(40, 'x'), 'second-'.padEnd(40, 'y')];

/** The steps of the runbook: in each, every process is replaced, gateways and services in any order. */
const steps = [
  { PARLEY_INTERNAL_SECRET: first, PARLEY_INTERNAL_SECRET_PREVIOUS: second },
  { PARLEY_INTERNAL_SECRET: second, PARLEY_INTERNAL_SECRET_PREVIOUS: first },
  { PARLEY_INTERNAL_SECRET: second, PARLEY_INTERNAL_SECRET_PREVIOUS: '' },
];

test('the internal secret is replaced in three rolling steps, and no request fails', async () => {
  await using cluster = await startCluster({ environment: { PARLEY_INTERNAL_SECRET: first } });
  await using organization = await makeOrganization(cluster);
  const ann = await organization.makeAccount('Ann Lee');
  await organization.makeStream('secrets', [ann]);
  let sent = 0;
  const callAll = async (): Promise<void> => {
    // Through every running gateway, to each service that verifies identities.
    for (const url of cluster.gatewayUrls) {
      const client = new ApiClient({ urls: [url], email: ann.email, apiKey: ann.apiKey });
      await client.sendToStream('secrets', 'rotation', `Number ${sent}`);
      sent += 1;
      await client.get('users/me');
      await client.get('streams');
      const queue = await client.post('register', { event_types: ['message'] });
      await client.call('DELETE', 'events', { queue_id: queue['queue_id'] as string });
    }
  };
  await callAll();
  for (const environment of steps)
    for (const service of serviceNames) {
      const started = await cluster.startAnother(service, environment);
      await callAll();
      await cluster.kill(service, 0, 'SIGTERM');
      await callAll();
      expect(cluster.getProcess(service, 0).nodeId).toBe(started.nodeId);
    }
  const reader = new ApiClient({ urls: cluster.gatewayUrls, email: ann.email, apiKey: ann.apiKey });
  const { messages } = await reader.get('messages', {
    anchor: 'newest',
    num_before: 1_000,
    num_after: 0,
  });
  expect(messages).toHaveLength(sent);
});
