/** Requests that never come to an end. Node measures their limit by the time of the machine, so the services are processes. */
import { waitUntil } from '@parley/test-kit';
import { beforeAll, expect, test } from 'vitest';

import { startSmallOrganization } from '../api/small-organization.ts';
import { Wire, head } from '../support/wire.ts';
import { useFixture } from '../support/use-fixture.ts';

let authorization: string;

const organization = useFixture(() =>
  startSmallOrganization({
    ownProcesses: true,
    messages: 1,
    environment: { PARLEY_REQUEST_TIMEOUT_SECS: '1' },
  }),
);
beforeAll(async () => {
  authorization = `Authorization: ${organization.client('bob').credentials['authorization']}`;
});

/** Sends small pieces again and again until the server closes the connection. */
async function drip(begin: string, little: string): Promise<Wire> {
  const wire = await Wire.open(organization.cluster.url);
  wire.say(begin);
  await waitUntil('the server hangs up', () => {
    wire.say(little);
    return wire.isClosed;
  });
  return wire;
}

test('headers that arrive byte by byte end the connection', async () => {
  const wire = await drip(head('GET /api/v1/users/me'), 'X: y\r\n');
  expect(wire.statuses.filter((status) => status < 400)).toEqual([]);
});

test('a body that arrives byte by byte ends it, and nothing is sent', async () => {
  const wire = await drip(
    `${head('POST /api/v1/messages')}${authorization}\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 100000\r\n\r\ntype=private&to=bob@example.com&content=`,
    'x',
  );
  expect(wire.statuses.filter((status) => status < 400)).toEqual([]);
  const { body } = await organization
    .client('bob')
    .request('GET', 'messages', { anchor: 0, num_before: 0, num_after: 10 });
  expect(body['messages']).toEqual([]);
});

test('hundreds of silent connections lock nobody out', async () => {
  const silent = await Promise.all(
    Array.from({ length: 500 }, () => Wire.open(organization.cluster.url)),
  );
  for (const wire of silent) wire.say('POST /api/v1/messages HTTP/1.1\r\n');
  expect((await organization.client('bob').request('GET', 'users/me')).status).toBe(200);
  await waitUntil('all of them are hung up on', () => silent.every(({ isClosed }) => isClosed));
});
