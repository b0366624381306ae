import { expect, test } from 'vitest';

import { ApiClient } from './api-client.ts';
import { startCluster } from './cluster.ts';
import { makeOrganization } from './test-organization.ts';

test(
  'a cluster starts, serves an organization made for it, loses and gains processes, and stops',
  { timeout: 120_000 },
  async () => {
    await using cluster = await startCluster({ gateways: 2 });
    expect(new Set(cluster.gatewayUrls).size).toBe(2);
    await using organization = await makeOrganization(cluster);
    const { administrator, member, guest, bot } = await organization.makeEveryRole();
    await organization.makeStream('plaza', [administrator, member, guest, bot]);
    for (const [account, isAdministrator] of [
      [administrator, true],
      [member, false],
      [guest, false],
      [bot, false],
    ] as const) {
      const profile = await account.client.get('users/me');
      expect(profile).toMatchObject({ user_id: account.id, is_admin: isAdministrator });
    }
    const id = await member.client.sendToStream('plaza', 'first', 'hello');
    expect(id).toBeGreaterThan(0);

    const end = await cluster.kill('gateway', 0, 'SIGKILL');
    expect(end.signal).toBe('SIGKILL');
    const another = await cluster.startAnother('gateway');
    const client = new ApiClient({
      urls: [another.url],
      email: member.email,
      apiKey: member.apiKey,
    });
    expect(await client.get('users/me')).toMatchObject({ user_id: member.id });
  },
);

test('a process that cannot start reports why', { timeout: 60_000 }, async () => {
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
