/** npm `zulip-js`, unchanged, with all its functions. A proxy records its requests on the way to the gateway. */
import { answerDocument, checkAnswer, readObjects, waitUntil } from '@parley/test-kit';
import type { JsonObject } from '@parley/test-kit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { startSmallOrganization } from '../api/small-organization.ts';
import type { SmallOrganization } from '../api/small-organization.ts';
import { sendRaw } from '../support/send-raw.ts';
import { JsLibrary } from './js-library.ts';
import { Values, callsOf } from './page.ts';
import { RecordingProxy, partsOf } from './recording-proxy.ts';
import type { RecordedRequest } from './recording-proxy.ts';

let organization: SmallOrganization;
let proxy: RecordingProxy;
let library: JsLibrary;
const values = new Values();

beforeAll(async () => {
  organization = await startSmallOrganization({ time: 'flows', events: 1, messages: 1 });
  proxy = await RecordingProxy.start(organization.cluster.url);
  library = new JsLibrary();
  const { user, apiKey } = organization.accounts.ann;
  await library.connect('ann', { username: user.email, apiKey, realm: proxy.url });
  const ann = organization.client('ann');
  await ann.patch('realm', { allow_message_deleting: true });
  await ann.post('users/me/subscriptions', {
    subscriptions: [{ name: 'library' }, { name: 'to delete' }],
    principals: ['ann@example.com', 'bob@example.com'],
  });
  values.set({
    ann: organization.id('ann'),
    library: await ann.streamId('library'),
    to_delete: await ann.streamId('to delete'),
    message: await ann.sendToStream('library', 'compatibility', 'a *message*'),
    doomed: await ann.sendToStream('library', 'compatibility', 'to be deleted'),
  });
  await ann.post('users/me/alert_words', { alert_words: ['tide'] });
  await ann.post('realm/filters', {
    pattern: '#(?P<id>[0-9]+)',
    url_format_string: 'https://x.example.com/%(id)s',
  });
}, 240_000);

afterAll(async () => {
  library?.stop();
  proxy?.stop();
  await organization?.stop();
}, 60_000);

/** Calls a function, and returns the answer, checked by the rules for all answers, with the single request. */
async function call(
  name: string,
  path: string,
  ...parameters: readonly unknown[]
): Promise<{ readonly answer: JsonObject; readonly request: RecordedRequest }> {
  const before = proxy.requests.length;
  const answer = await library.call(name, path, ...parameters);
  checkAnswer(answer['result'] === 'success' ? 200 : 400, answer);
  const [request, ...others] = proxy.requests.slice(before);
  if (request === undefined || others.length > 0) throw new Error(`${path} sent ${others.length}`);
  return { answer, request };
}

const succeeded = { result: 'success', msg: '' };

describe('reference facts, clients 4.2', () => {
  test.each(callsOf('4.2'))('%s', async (path, parameters = '', wire, expected) => {
    if (path === 'messages.deleteReactionById')
      await organization
        .client('ann')
        .post(values.fill('messages/$message/reactions'), { emoji_name: 'heart' });
    const filled = JSON.parse(values.fill(parameters)) as readonly unknown[];
    const { answer, request } = await call('ann', path, ...filled);
    expect(answer).toMatchObject(values.readAnswer(expected));
    const [method, target, parts] = values.readCall(wire);
    expect(`${request.method} ${request.target}`).toBe(`${method} /api/v1/${target}`);
    if (parts === undefined) expect(request.body).toBe('');
    else expect(partsOf(request)).toEqual(parts);
    const { apiKey } = organization.accounts.ann;
    expect(request.headers).toMatchObject({
      accept: '*/*',
      authorization: `Basic ${Buffer.from(`Ann@example.com:${apiKey}`).toString('base64')}`,
      'user-agent': 'node-fetch/1.0 (+https://github.com/bitinn/node-fetch)',
    });
  });

  test('accounts.retrieve', async () => {
    await library.connect('by password', {
      username: 'ann@example.com',
      password: 'ann-secret',
      realm: proxy.url,
    });
    const { answer, request } = await call('by password', 'accounts.retrieve');
    expect(answer).toMatchObject({ result: 'success', api_key: organization.accounts.ann.apiKey });
    expect(`${request.method} ${request.target}`).toBe('POST /api/v1/fetch_api_key');
    expect(partsOf(request)).toEqual({ username: 'ann@example.com', password: 'ann-secret' });
    expect(request.headers).not.toHaveProperty('authorization');
  });

  test('events.retrieve and queues.deregister', async () => {
    const { answer: queue } = await call('ann', 'queues.register', { event_types: ['message'] });
    const { queue_id, last_event_id } = queue;
    const id = await organization.client('bob').sendToStream('library', 'x', 'for the queue');
    const { answer, request } = await call('ann', 'events.retrieve', {
      queue_id,
      last_event_id,
      dont_block: true,
    });
    expect(`${request.method} ${request.target}`).toBe(
      `GET /api/v1/events?queue_id=${encodeURIComponent(String(queue_id))}&last_event_id=${String(last_event_id)}&dont_block=true`,
    );
    expect(readObjects(answer, 'events').map(({ message }) => message)).toMatchObject([{ id }]);
    const ended = await call('ann', 'queues.deregister', { queue_id });
    expect(ended.answer).toMatchObject(succeeded);
    expect(`${ended.request.method} ${ended.request.target}`).toBe(
      `DELETE /api/v1/events?queue_id=${encodeURIComponent(String(queue_id))}`,
    );
    expect((await call('ann', 'queues.deregister', { queue_id })).answer).toMatchObject({
      code: 'BAD_EVENT_QUEUE_ID',
    });
  });

  test.each([
    [
      'typing.send to several',
      ['bob@example.com', 'cat@example.com'],
      '["bob@example.com","cat@example.com"]',
      3,
    ],
    ['typing.send to one in a list', ['bob@example.com'], '["bob@example.com"]', 2],
    ['typing.send to one as text', 'bob@example.com', '"bob@example.com"', 2],
  ])('%s', async (_, to, text, count) => {
    const bob = organization.client('bob');
    const queue = await bob.post('register', { event_types: ['typing'], fetch_event_types: [] });
    const { answer, request } = await call('ann', 'typing.send', { op: 'start', to });
    expect(answer).toMatchObject(succeeded);
    expect(`${request.method} ${request.target}`).toBe('POST /api/v1/typing');
    expect(partsOf(request)).toEqual({ op: 'start', to: text });
    const polled = await bob.get('events', {
      queue_id: queue['queue_id'],
      last_event_id: queue['last_event_id'],
    });
    expect(readObjects(polled, 'events')[0]).toMatchObject({ type: 'typing', op: 'start' });
    expect(readObjects(polled, 'events')[0]?.['recipients']).toHaveLength(count);
  });

  test('callEndpoint with an empty multipart form, mark_all_as_read', async () => {
    const { answer, request } = await call('ann', 'callEndpoint', '/mark_all_as_read', 'POST');
    expect(answer).toMatchObject(succeeded);
    expect(request.headers['content-type']).toMatch(/^multipart\/form-data;boundary=-+\w+$/);
    expect(request.body).toBe('');
  });

  test('a multipart form with only the closing boundary, which the library sends if its form was not measured', async () => {
    const { authorization } = proxy.requests.at(-1)?.headers ?? {};
    const boundary = `${'-'.repeat(26)}515890814546601021194782`;
    const answer = await sendRaw(organization.cluster.url, {
      method: 'POST',
      path: '/api/v1/mark_all_as_read',
      headers: {
        authorization: String(authorization),
        'content-type': `multipart/form-data;boundary=${boundary}`,
      },
      body: Buffer.from(`--${boundary}--\r\n`),
    });
    expect(answer).toMatchObject({ status: 200, text: JSON.stringify(succeeded) });
  });

  test.each([
    [
      'callEndpoint mutes a topic by PATCH with its parameters in the query',
      'users/me/subscriptions/muted_topics',
      'PATCH',
      { stream: 'library', topic: 'noise', op: 'add' },
      'PATCH /api/v1/users/me/subscriptions/muted_topics?stream=library&topic=noise&op=add',
    ],
    [
      'callEndpoint takes an address in the path',
      '/users/bob@example.com/presence',
      'GET',
      {},
      'GET /api/v1/users/bob@example.com/presence',
    ],
  ])('%s', async (_, path, method, parameters, line) => {
    if (method === 'GET')
      await organization.client('bob').post('users/me/presence', { status: 'active' });
    const { answer, request } = await call('ann', 'callEndpoint', path, method, parameters);
    expect(answer).toMatchObject(succeeded);
    expect(`${request.method} ${request.target}`).toBe(line);
  });

  test('an unknown path and an unknown stream are refused in JSON, which the library returns', async () => {
    const { answer } = await call('ann', 'callEndpoint', '/no/such/path', 'GET');
    expect(answer).toMatchObject({ result: 'error' });
    const refused = await call('ann', 'messages.send', {
      type: 'stream',
      to: 'nowhere',
      subject: 'x',
      content: 'x',
    });
    expect(refused.answer).toMatchObject({ code: 'STREAM_DOES_NOT_EXIST', stream: 'nowhere' });
  });

  test('a boolean in a POST fails in the library, and the server continues', async () => {
    await expect(
      library.call('ann', 'callEndpoint', '/messages/flags', 'POST', { all: true }),
    ).rejects.toThrow(/./);
    expect((await call('ann', 'users.me.getProfile')).answer).toMatchObject(succeeded);
  });

  test('a realm that ends in /api is the same', async () => {
    const { user, apiKey } = organization.accounts.ann;
    await library.connect('api', { username: user.email, apiKey, realm: `${proxy.url}/api` });
    const { request } = await call('api', 'users.me.getProfile');
    expect(request.target).toBe('/api/v1/users/me');
  });
});

describe('the event loop (reference facts, clients 4.3)', () => {
  const idsOf = (events: readonly JsonObject[]): unknown[] =>
    events.flatMap((event) =>
      event['type'] === 'message' ? [(event['message'] as JsonObject)['id']] : [],
    );
  const registers = (): RecordedRequest[] =>
    proxy.requests.filter(({ target }) => target === '/api/v1/register');

  /** The library reports nothing when its loop polls, so the test looks for the poll. */
  async function follow(client: string, ...parameters: readonly unknown[]) {
    const before = proxy.requests.length;
    const events = await library.follow(client, ...parameters);
    const poll = await waitUntil('the loop polls', () =>
      proxy.requests.slice(before).find(({ target }) => target.startsWith('/api/v1/events?')),
    );
    return { events, poll };
  }

  test.each([
    ['with types asks for those', [['message']], '["message"]'],
    ['without types asks for null, which is every type', [], 'null'],
  ])('%s', async (_, parameters, text) => {
    const { events, poll } = await follow('ann', ...parameters);
    expect(partsOf(registers().at(-1) as RecordedRequest)).toEqual({ event_types: text });
    expect(poll.target).toMatch(
      /^\/api\/v1\/events\?queue_id=[^&]+&last_event_id=\d+&dont_block=false$/,
    );
    const ids: number[] = [];
    for (const content of ['one', 'two']) {
      ids.push(await organization.client('bob').sendToStream('library', 'loop', content));
      await waitUntil('the event', () => idsOf(events()).length >= ids.length, {});
    }
    expect(idsOf(events())).toEqual(ids);
    for (const event of events()) answerDocument().checkEvent(event);
  });

  test("with a password delivers the library's own messages", async () => {
    await library.connect('bob', {
      username: 'bob@example.com',
      password: 'bob-secret',
      realm: proxy.url,
    });
    const { events } = await follow('bob', ['message']);
    const { answer } = await call('bob', 'messages.send', {
      type: 'stream',
      to: 'library',
      subject: 'compatibility',
      content: 'sent by **zulip-js**',
    });
    await waitUntil('the event', () => events().length > 0);
    expect(events()[0]).toMatchObject({
      type: 'message',
      message: { id: answer['id'], content: 'sent by **zulip-js**', client: 'node-fetch' },
    });
  });
});
