/** The example of a proxy with TLS, unchanged except for addresses and names. Needs Debian's `nginx-light` and `openssl`. */
import { request as sendRequest } from 'node:http';
import type { IncomingMessage } from 'node:http';

import { waitUntil } from '@parley/test-kit';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { startSmallOrganization } from '../api/small-organization.ts';
import type { PersonKey, SmallOrganization } from '../api/small-organization.ts';
import { TlsProxy, siteName } from './tls-proxy.ts';
import type { SecureAnswer } from './tls-proxy.ts';

let organization: SmallOrganization;
let proxy: TlsProxy;

beforeAll(async () => {
  organization = await startSmallOrganization({
    time: 'flows',
    messages: 1,
    events: 1,
    environment: {
      PARLEY_TRUSTED_PROXIES: '127.0.0.1',
      PARLEY_PUBLIC_URL: `https://${siteName}`,
      // The limit of failed logins is the default, and the other one is out of reach.
      PARLEY_RATE_LIMITS: '60:100000',
      PARLEY_HEARTBEAT_MIN_SECS: '0.5',
      PARLEY_HEARTBEAT_MAX_SECS: '1',
    },
  });
  proxy = await TlsProxy.start(Number(new URL(organization.cluster.url).port));
});
afterAll(async () => {
  await proxy?.stop();
  await organization?.stop();
});

function credentials(who: PersonKey): string {
  const { user, apiKey } = organization.accounts[who];
  return `Basic ${Buffer.from(`${user.email}:${apiKey}`).toString('base64')}`;
}

function post(
  who: PersonKey,
  path: string,
  fields: Readonly<Record<string, string>>,
): Promise<SecureAnswer> {
  return proxy.send(`/api/v1/${path}`, {
    method: 'POST',
    headers: {
      authorization: credentials(who),
      'content-type': 'application/x-www-form-urlencoded',
    },
    body: new URLSearchParams(fields).toString(),
  });
}

async function register(): Promise<{ queueId: string; lastEventId: number }> {
  const { text } = await post('bob', 'register', { event_types: '["message"]' });
  const body = JSON.parse(text) as { queue_id: string; last_event_id: number };
  return { queueId: body.queue_id, lastEventId: body.last_event_id };
}

function sendToBob(content: string): Promise<SecureAnswer> {
  return post('ann', 'messages', { type: 'private', to: '["bob@example.com"]', content });
}

test('unencrypted requests are redirected to TLS, with their path', async () => {
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    const { clearPort: port } = proxy;
    const path = '/api/v1/users?x=1';
    sendRequest({ host: '127.0.0.1', port, path, headers: { host: siteName } }, resolve)
      .on('error', reject)
      .end();
  });
  answer.resume();
  expect([answer.statusCode, answer.headers.location]).toEqual([
    308,
    `https://${siteName}/api/v1/users?x=1`,
  ]);
});

test('answers are those of the gateway, including errors', async () => {
  const settings = await proxy.send('/api/v1/server_settings');
  expect(settings.status).toBe(200);
  expect(settings.headers).toMatchObject({
    'content-type': 'application/json',
    'strict-transport-security': expect.stringMatching(/^max-age=/) as string,
    'access-control-allow-origin': '*',
  });
  const unknown = await proxy.send('/api/v1/nothing');
  expect([unknown.status, JSON.parse(unknown.text)]).toEqual([
    404,
    { result: 'error', msg: 'Not found' },
  ]);
});

test('a held poll ends in time without events, and at once with a message', async () => {
  const { queueId, lastEventId } = await register();
  const poll = (lastId: number): Promise<SecureAnswer> =>
    proxy.send(`/api/v1/events?queue_id=${queueId}&last_event_id=${lastId}`, {
      headers: { authorization: credentials('bob') },
    });
  const eventsOf = ({ text }: SecureAnswer): { id: number; type: string }[] =>
    (JSON.parse(text) as { events: { id: number; type: string }[] }).events;
  const idle = await poll(lastEventId);
  expect(idle.status).toBe(200);
  expect(eventsOf(idle).filter(({ type }) => type !== 'heartbeat')).toEqual([]);
  const held = poll(eventsOf(idle).at(-1)?.id ?? lastEventId);
  expect((await sendToBob('by TLS')).status).toBe(200);
  expect(eventsOf(await held).map(({ type }) => type)).toContain('message');
});

test('a stream delivers each event at once', async () => {
  const { queueId, lastEventId } = await register();
  const stream = await proxy.open(
    `/api/v1/events/stream?queue_id=${queueId}&last_event_id=${lastEventId}`,
    { headers: { authorization: credentials('bob') } },
  );
  expect(stream.statusCode).toBe(200);
  let text = '';
  stream.setEncoding('utf8').on('data', (part: string) => {
    text += part;
  });
  await sendToBob('streamed');
  await waitUntil('the message is there while the stream goes on', () => text.includes('streamed'));
  expect(stream.complete).toBe(false);
  stream.destroy();
});

test('a file of the maximum size passes, and a larger one is refused by the gateway', async () => {
  const upload = (bytes: number): Promise<SecureAnswer> => {
    const boundary = 'parley-boundary';
    const head = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="big.bin"\r\n\r\n`;
    return proxy.send('/api/v1/user_uploads', {
      method: 'POST',
      headers: {
        authorization: credentials('bob'),
        'content-type': `multipart/form-data; boundary=${boundary}`,
      },
      body: Buffer.concat([
        Buffer.from(head),
        Buffer.alloc(bytes, 'x'),
        Buffer.from(`\r\n--${boundary}--\r\n`),
      ]),
    });
  };
  const mebibyte = 1024 * 1024;
  expect((await upload(25 * mebibyte)).status).toBe(200);
  const refused = await upload(25 * mebibyte + 1);
  expect(refused.status).toBe(400);
  expect(JSON.parse(refused.text)).toMatchObject({ result: 'error' });
});

test('an address claimed by a client is ignored', async () => {
  const statuses: number[] = [];
  for (let count = 0; count < 12; count += 1) {
    // A wrong key without a name counts for its address.
    const answer = await proxy.send(`/avatar/${count}?api_key=${'y'.repeat(32)}`, {
      headers: { 'x-forwarded-for': `198.51.100.${count}` },
    });
    statuses.push(answer.status);
  }
  expect(statuses).toEqual([...Array.from({ length: 10 }, () => 401), 429, 429]);
});

test('without a gateway the answer is a 503 in JSON', async () => {
  await organization.cluster.kill('gateway', 0, 'SIGTERM');
  const answer = await sendToBob('to nobody');
  expect(answer.status).toBe(503);
  expect(answer.headers['retry-after']).toBe('1');
  expect(JSON.parse(answer.text)).toEqual({
    result: 'error',
    msg: 'Service temporarily unavailable',
    code: 'SERVICE_UNAVAILABLE',
  });
});
