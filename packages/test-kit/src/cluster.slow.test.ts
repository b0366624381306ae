import { expect, test } from 'vitest';

import { startCluster } from './cluster.ts';

test('a process that cannot start reports why', async () => {
  const starting = startCluster({
    gateways: 1,
    messages: 0,
    subscriptions: 0,
    people: 0,
    presence: 0,
    events: 0,
    environment: { PARLEY_PUBLIC_URL: 'no address' },
  });
  await expect(starting).rejects.toThrow(/gateway did not start[\s\S]*PARLEY_PUBLIC_URL/);
});
