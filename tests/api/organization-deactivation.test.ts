import { ApiClient, settle } from '@parley/test-kit';
import type { Answer, JsonObject } from '@parley/test-kit';
import { expect, test } from 'vitest';

import { useFixture } from '../support/use-fixture.ts';
import { success } from './refusals.ts';
import { startSmallOrganization } from './small-organization.ts';
import type { PersonKey } from './small-organization.ts';

const organization = useFixture(() =>
  startSmallOrganization({ gateways: 2, events: 2, people: 2, messages: 1 }),
);

const everybody = ['ann', 'bob', 'gil', 'bobBot'] as const;
const refused = { result: 'error', msg: 'This organization has been deactivated' };

/** A client of only one gateway. */
function at(url: string, who: PersonKey): ApiClient {
  const { user, apiKey } = organization.accounts[who];
  return new ApiClient({ urls: [url], email: user.email, apiKey });
}

type HeldPoll = {
  readonly queueId: string;
  readonly lastEventId: number;
  readonly answer: Promise<Answer>;
};

async function holdPoll(client: ApiClient): Promise<HeldPoll> {
  const registered = await client.post('register', { fetch_event_types: [] });
  const queueId = String(registered['queue_id']);
  const lastEventId = registered['last_event_id'] as number;
  const answer = client.request('GET', 'events', { queue_id: queueId, last_event_id: lastEventId });
  return { queueId, lastEventId, answer };
}

test('then every gateway refuses everybody within a second, and held polls end', async () => {
  const { gatewayUrls } = organization.cluster;
  expect(gatewayUrls).toHaveLength(2);
  const clients = gatewayUrls.flatMap((url) => everybody.map((who) => at(url, who)));
  // Every gateway has cached every account, and holds a poll of it.
  for (const client of clients) await client.get('users/me');
  const polls = await Promise.all(clients.map(holdPoll));
  const withoutId = (event: JsonObject | undefined): JsonObject | undefined => {
    const { id: _id, ...rest } = event ?? {};
    return rest;
  };

  const position = await organization.position();
  expect(await organization.client('ann').post('realm/deactivate')).toEqual(success);

  for (const poll of polls) {
    const { status, body } = await poll.answer;
    // A poll is either answered with the event, or ended by the deactivation.
    if (status === 200) {
      const [event] = body['events'] as JsonObject[];
      expect(withoutId(event)).toEqual({ type: 'realm', op: 'deactivated', realm_id: 1 });
    } else expect([status, body]).toEqual([401, refused]);
  }
  // Without the event a gateway would accept requests for another half minute.
  await settle();
  for (const client of clients)
    expect(await client.request('GET', 'users/me')).toMatchObject({ status: 401, body: refused });
  const entries = await organization.entriesAfter(position);
  const events = entries.flatMap((entry) => (entry.kind === 'change' ? entry.events : []));
  expect(events).toEqual([
    {
      form: 'same',
      audience: { to: 'everyone' },
      event: { type: 'realm', op: 'deactivated', realm_id: 1 },
    },
  ]);
});

test('header, key in the query and password are all refused', async () => {
  const ann = organization.client('ann');
  for (const [method, path] of [
    ['POST', 'realm/deactivate'],
    ['PATCH', 'realm'],
    ['POST', 'messages'],
    ['GET', 'events'],
    ['POST', 'register'],
    ['DELETE', 'users/me'],
  ] as const)
    expect(await ann.request(method, path)).toMatchObject({
      status: 401,
      headers: { 'www-authenticate': 'Basic realm="zulip"' },
      body: refused,
    });
  const [url] = organization.cluster.gatewayUrls;
  const { apiKey } = organization.accounts.ann;
  const shown = await fetch(`${url}/user_uploads/1/a/b/c.txt?api_key=${apiKey}`);
  expect([shown.status, await shown.json()]).toEqual([400, { ...refused, code: 'BAD_REQUEST' }]);
  const closed = {
    status: 403,
    body: {
      result: 'error',
      msg: 'This organization has been deactivated.',
      reason: 'realm deactivated',
    },
  };
  const nobody = organization.client();
  const username = 'bob@example.com';
  expect(
    await nobody.request('POST', 'fetch_api_key', { username, password: 'bob-secret' }),
  ).toMatchObject(closed);
  expect(await nobody.request('POST', 'dev_fetch_api_key', { username })).toMatchObject(closed);
  expect(await nobody.get('server_settings')).toMatchObject({ realm_name: 'Example' });
});

test('accounts do not change', async () => {
  const { rows } = await organization.pool.query<{ active: boolean }>(
    'SELECT DISTINCT is_active AS active FROM users',
  );
  expect(rows).toEqual([{ active: true }]);
});
