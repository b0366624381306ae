/** A whole system in production mode: endpoints for development refuse, and everything else works. */
import { readObjects } from '@parley/test-kit';
import type { JsonObject } from '@parley/test-kit';
import { describe, expect, test } from 'vitest';

import { useFixture } from '../support/use-fixture.ts';
import { startSmallOrganization } from './small-organization.ts';

/** Nobody signs in by it here. */
const untrusted = {
  id: 'work',
  name: 'Work',
  issuer: 'https://id.example',
  client_id: 'parley',
  client_secret: 'not used',
  trusted: false,
};

const organization = useFixture(() =>
  startSmallOrganization({
    gateways: 2,
    messages: 1,
    events: 1,
    environment: {
      PARLEY_MODE: 'production',
      PARLEY_PUBLIC_URL: 'https://chat.example.com',
      PARLEY_OIDC_PROVIDERS: JSON.stringify([untrusted]),
    },
  }),
);

describe('development features', () => {
  const notEnabled = { result: 'error', msg: 'Dev environment not enabled.' };

  test('dev_fetch_api_key returns no key', async () => {
    for (const who of [undefined, 'ann', 'bob'] as const) {
      for (const username of ['ann@example.com', 'nobody@example.com', 'no address', '']) {
        const { status, body } = await organization
          .client(who)
          .request('POST', 'dev_fetch_api_key', { username });
        expect([status, body]).toEqual([400, notEnabled]);
      }
    }
    const { status, body } = await organization.client().request('POST', 'dev_fetch_api_key');
    expect([status, body]).toEqual([
      400,
      {
        result: 'error',
        msg: "Missing 'username' argument",
        code: 'REQUEST_VARIABLE_MISSING',
        var_name: 'username',
      },
    ]);
  });

  test('dev_list_users lists nobody', async () => {
    for (const method of ['GET', 'POST'] as const) {
      const { status, body } = await organization.client('ann').request(method, 'dev_list_users');
      expect([status, body]).toEqual([400, notEnabled]);
    }
  });

  test('there is no page of kept mails', async () => {
    const response = await fetch(`${organization.cluster.url}/dev/mails`);
    expect([response.status, await response.json()]).toEqual([400, notEnabled]);
  });

  test('are not in server settings', async () => {
    const settings = await organization.client().get('server_settings');
    expect(settings).toMatchObject({
      authentication_methods: { dev: false, password: true, email: true },
      realm_uri: 'https://chat.example.com',
    });
  });

  test('do not include the demo organization', async () => {
    const { members } = await organization.client('ann').get('users');
    expect((members as JsonObject[]).map(({ full_name: name }) => name)).toEqual([
      'Ann Lee',
      'Bob Ray',
      'Cat Moe',
      'Gil Fox',
      'Bob Bot',
      'Hook',
    ]);
  });
});

test('people can sign in, subscribe, send, read and receive events', async () => {
  const signedIn = await organization
    .client()
    .post('fetch_api_key', { username: 'bob@example.com', password: 'bob-secret' });
  expect(signedIn['api_key']).toBe(organization.accounts.bob.apiKey);
  const [ann, bob] = [organization.client('ann'), organization.client('bob')];
  const queue = await ann.post('register', {
    apply_markdown: true,
    event_types: ['message', 'subscription'],
  });
  await bob.subscribe('general', { principals: ['Ann@example.com', 'bob@example.com'] });
  const messageId = await bob.sendToStream('general', 'topic', 'Hello **all**');
  const received: JsonObject[] = [];
  let lastEventId = Number(queue['last_event_id']);
  // The notice of the new stream comes before it.
  const findSent = (): JsonObject | undefined =>
    received.find(({ message }) => (message as JsonObject | undefined)?.['id'] === messageId);
  while (findSent() === undefined) {
    const events = readObjects(
      await ann.get('events', { queue_id: queue['queue_id'], last_event_id: lastEventId }),
      'events',
    );
    received.push(...events);
    lastEventId = Number(events.at(-1)?.['id'] ?? lastEventId);
  }
  expect(findSent()).toMatchObject({
    message: { content: '<p>Hello <strong>all</strong></p>' },
  });
  await ann.patch(`users/me/subscriptions/muted_topics`, {
    stream: 'general',
    topic: 'topic',
    op: 'add',
  });
  await ann.flag([messageId], 'starred');
  const found = await ann.get('messages', {
    anchor: 'newest',
    num_before: 1,
    num_after: 0,
    narrow: [['is', 'starred']],
  });
  expect(readObjects(found, 'messages').map(({ id }) => id)).toEqual([messageId]);
  await ann.delete('events', { queue_id: queue['queue_id'] });
});

test('files can be uploaded and read', async () => {
  const { user, apiKey } = organization.accounts.bob;
  const authorization = `Basic ${Buffer.from(`${user.email}:${apiKey}`).toString('base64')}`;
  const form = new FormData();
  form.append('file', new Blob(['content']), 'note.txt');
  const [url] = organization.cluster.gatewayUrls;
  const uploaded = await fetch(`${url}/api/v1/user_uploads`, {
    method: 'POST',
    headers: { authorization },
    body: form,
  });
  const { uri } = (await uploaded.json()) as { uri: string };
  const read = await fetch(`${url}${uri}`, { headers: { authorization } });
  expect([read.status, await read.text()]).toEqual([200, 'content']);
});

test('without mails and a provider that is trusted with addresses no link to join is made, because it would lead nowhere', async () => {
  const ann = organization.client('ann');
  const refused = await ann.request('POST', 'invites/multiuse', { stream_ids: '[]' });
  expect(refused.body).toMatchObject({ result: 'error', msg: 'This server sends no mails.' });
  expect((await ann.get('invites'))['invites']).toEqual([]);
});

test('administrators can administer', async () => {
  const ann = organization.client('ann');
  await ann.post('users', {
    email: 'new@example.com',
    password: 'a long enough password 17',
    full_name: 'New Person',
    short_name: 'new',
  });
  await ann.patch('realm', { description: 'Ours' });
  await ann.post('realm/filters', {
    pattern: '#(?P<id>[0-9]+)',
    url_format_string: 'https://example.com/%(id)s',
  });
  const settings = await organization.client().get('server_settings');
  expect(settings['realm_description']).toBe('<p>Ours</p>');
});
