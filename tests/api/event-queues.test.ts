/** Event queues through the gateway, on two event nodes: register, poll, delete. */
import type { Answer } from '@parley/test-kit';
import { readObjects, waitUntil } from '@parley/test-kit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { anyNumber, anyString, textMatching } from '../support/matchers.ts';
import { startSmallOrganization } from './small-organization.ts';
import type { PersonKey, SmallOrganization } from './small-organization.ts';

let organization: SmallOrganization;
beforeAll(async () => {
  organization = await startSmallOrganization({
    events: 2,
    messages: 1,
    environment: { PARLEY_QUEUES_PER_USER_MAX: '40' },
  });
  const subscribe = async (who: PersonKey, name: string, more: object = {}): Promise<void> => {
    await organization
      .client(who)
      .post('users/me/subscriptions', { subscriptions: [{ name }], ...more });
  };
  await subscribe('bob', 'general', {
    principals: ['ann@example.com', 'bob@example.com', 'gil@example.com'],
  });
  await subscribe('bob', 'board', { invite_only: true });
});
afterAll(() => organization.stop());

type Queue = { readonly queue_id: string; readonly last_event_id: number };

async function register(who: PersonKey, parameters: object = {}): Promise<Queue & Answer['body']> {
  const answer = await organization
    .client(who)
    .post('register', { fetch_event_types: [], ...parameters });
  return answer as unknown as Queue & Answer['body'];
}

async function poll(
  who: PersonKey,
  queue: Queue,
  parameters: object = {},
): Promise<Record<string, unknown>[]> {
  const answer = await organization.client(who).get('events', {
    queue_id: queue.queue_id,
    last_event_id: queue.last_event_id,
    dont_block: true,
    ...parameters,
  });
  return readObjects(answer, 'events') as Record<string, unknown>[];
}

async function send(
  who: PersonKey,
  to: string,
  content: string,
  more: object = {},
): Promise<number> {
  const answer = await organization
    .client(who)
    .post('messages', { type: 'stream', to, topic: 'lunch', content, ...more });
  return answer['id'] as number;
}

async function refused(
  who: PersonKey,
  method: 'GET' | 'POST' | 'DELETE',
  path: string,
  parameters: object,
) {
  const { status, body } = await organization.client(who).request(method, path, { ...parameters });
  const { result, ...rest } = body;
  expect(result).toBe('error');
  return { status, ...rest };
}

describe('register', () => {
  test('returns a queue at the head of the log and only the requested state', async () => {
    const position = await organization.position();
    const answer = await register('ann', { event_types: ['message'] });
    expect(Object.keys(answer).toSorted()).toEqual(['last_event_id', 'msg', 'queue_id', 'result']);
    expect(answer.last_event_id).toBeGreaterThanOrEqual(position);
    const message = await organization
      .client('ann')
      .post('register', { event_types: ['message', 'nonsense'] });
    expect(Object.keys(message).toSorted()).toEqual([
      'last_event_id',
      'max_message_id',
      'msg',
      'queue_id',
      'result',
    ]);
    expect(message).not.toHaveProperty('zulip_feature_level');
  });

  test('returns everything by default', async () => {
    const answer = await organization.client('ann').post('register');
    for (const key of [
      'realm_users',
      'subscriptions',
      'unsubscribed',
      'never_subscribed',
      'streams',
      'unread_msgs',
    ]) {
      expect(answer).toHaveProperty(key);
    }
    expect(answer['user_id']).toBe(organization.id('ann'));
    const users = readObjects(answer, 'realm_users');
    expect(users.map((user) => user['user_id'])).toContain(organization.id('ann'));
    expect(users.every((user) => !('is_active' in user))).toBe(true);
    expect(Object.keys(answer['unread_msgs'] as object).toSorted()).toEqual([
      'count',
      'huddles',
      'mentions',
      'pms',
      'streams',
    ]);
    expect(readObjects(answer, 'subscriptions').every((entry) => !('subscribers' in entry))).toBe(
      true,
    );
    const detailed = await organization
      .client('bob')
      .post('register', { fetch_event_types: ['subscription'], include_subscribers: true });
    const general = readObjects(detailed, 'subscriptions').find(
      (entry) => entry['name'] === 'general',
    );
    expect(general?.['subscribers']).toEqual(
      [organization.id('ann'), organization.id('bob'), organization.id('gil')].toSorted(
        (a, b) => a - b,
      ),
    );
  });

  test('accepts unknown types', async () => {
    const types = ['__proto__', 'constructor', 'toString'];
    const queue = await register('bob', { event_types: types, fetch_event_types: types });
    expect(Object.keys(queue).toSorted()).toEqual(['last_event_id', 'msg', 'queue_id', 'result']);
  });

  test('administrators get events of private streams, members do not, and guests get no more than members', async () => {
    const never = async (who: PersonKey): Promise<unknown[]> => {
      const answer = await organization
        .client(who)
        .post('register', { fetch_event_types: ['subscription'] });
      return readObjects(answer, 'never_subscribed').map((stream) => stream['name']);
    };
    expect(await never('ann')).toEqual(['board']);
    expect(await never('cat')).toEqual(['general']);
    expect(await never('gil')).toEqual([]);
  });

  test.each([
    [
      { event_types: 'x' },
      { code: 'BAD_REQUEST', msg: 'Argument "event_types" is not valid JSON.' },
    ],
    [{ event_types: '{}' }, { code: 'BAD_REQUEST', msg: 'event_types is not a list' }],
    [{ event_types: '["a",1]' }, { code: 'BAD_REQUEST', msg: 'event_types[1] is not a string' }],
    [{ apply_markdown: '1' }, { code: 'BAD_REQUEST', msg: 'apply_markdown is not a boolean' }],
    [{ narrow: '{}' }, { code: 'BAD_REQUEST', msg: 'narrow is not a list' }],
    [{ narrow: '["a"]' }, { code: 'BAD_REQUEST', msg: 'narrow[0] is not a list' }],
    [
      { narrow: '[["stream"]]' },
      { code: 'BAD_REQUEST', msg: 'narrow[0] should have exactly 2 items' },
    ],
    [
      { narrow: '[["pm-with","a@b"]]' },
      { code: 'BAD_REQUEST', msg: 'Operator pm-with not supported.' },
    ],
    [
      { client_capabilities: '[]' },
      { code: 'BAD_REQUEST', msg: 'client_capabilities is not a dict' },
    ],
    [
      { queue_lifespan_secs: '-1' },
      {
        code: 'REQUEST_VARIABLE_INVALID',
        msg: "Bad value for 'queue_lifespan_secs': -1",
        var_name: 'queue_lifespan_secs',
        bad_value: '-1',
      },
    ],
  ])('refuses %j', async (parameters, expected) => {
    expect(await refused('ann', 'POST', 'register', parameters)).toEqual({
      status: 400,
      ...expected,
    });
  });

  test('accepts null for optional parameters, unknown capabilities, and a multipart form', async () => {
    const form = new FormData();
    form.set('event_types', 'null');
    form.set('fetch_event_types', '[]');
    form.set('client_capabilities', '{"bulk_message_deletion":true}');
    const ann = organization.client('ann');
    const response = await fetch(`${ann.urls[0]}/api/v1/register`, {
      method: 'POST',
      body: form,
      headers: {
        authorization: `Basic ${Buffer.from(`${ann.email}:${ann.apiKey}`).toString('base64')}`,
      },
    });
    expect(await response.json()).toMatchObject({
      result: 'success',
      queue_id: anyString,
    });
  });

  test('refuses one queue too many and ends no other', async () => {
    const queues: Queue[] = [];
    const { status, msg } = await (async () => {
      for (;;) {
        const answer = await organization
          .client('cat')
          .request('POST', 'register', { fetch_event_types: [] });
        if (answer.status !== 200) return { status: answer.status, msg: answer.body['msg'] };
        queues.push(answer.body as unknown as Queue);
      }
    })();
    expect({ status, msg }).toEqual({
      status: 400,
      msg: 'You have as many event queues as one may have (maximum 40).',
    });
    for (const queue of queues) {
      expect(await poll('cat', queue)).toEqual([]);
      await organization.client('cat').delete('events', { queue_id: queue.queue_id });
    }
  });
});

describe('GET events', () => {
  test('returns the same events until they are acknowledged, whatever the start', async () => {
    const queue = await register('ann', { event_types: ['message'] });
    const ids = [await send('bob', 'general', 'one'), await send('bob', 'general', 'two')];
    const events = await poll('ann', queue);
    expect(events.map((event) => (event['message'] as { id: number }).id)).toEqual(ids);
    const [first, second] = events.map((event) => event['id'] as number);
    expect(first).toBeGreaterThan(queue.last_event_id);
    expect(second).toBeGreaterThan(first ?? 0);
    for (const last of [queue.last_event_id, 0, -1, queue.last_event_id]) {
      expect(await poll('ann', queue, { last_event_id: last })).toEqual(events);
    }
    expect(await poll('ann', queue, { last_event_id: first })).toEqual([events[1]]);
    expect(await poll('ann', queue, { last_event_id: second })).toEqual([]);
    expect(await poll('ann', queue)).toEqual(events);
    // An id that was never given out acknowledges present events, but does not hide later ones.
    expect(await poll('ann', queue, { last_event_id: '10000000000000000' })).toEqual([]);
    const held = poll('ann', queue, { last_event_id: 999_999_999, dont_block: false });
    const third = await send('bob', 'general', 'three');
    expect((await held).map((event) => (event['message'] as { id: number }).id)).toEqual([third]);
  });

  test('wakes a held poll at any node', async () => {
    for (let round = 0; round < 6; round += 1) {
      const queue = await register('ann', { event_types: ['message'], apply_markdown: true });
      const held = poll('ann', queue, { dont_block: false });
      const id = await send('bob', 'general', `**round** ${round}`);
      expect(await held).toMatchObject([
        {
          type: 'message',
          flags: [],
          message: {
            id,
            content: `<p><strong>round</strong> ${round}</p>`,
            content_type: 'text/html',
          },
        },
      ]);
    }
  });

  test('gives each queue its variant, and the local echo to the queue named in the send', async () => {
    const raw = await register('bob', { event_types: ['message'], client_gravatar: true });
    const html = await register('bob', { event_types: ['message'], apply_markdown: true });
    await send('bob', 'general', 'see **this**', { queue_id: html.queue_id, local_id: '7.01' });
    const [rawEvent] = await poll('bob', raw);
    const [htmlEvent] = await poll('bob', html);
    expect(rawEvent).toMatchObject({
      message: { content: 'see **this**', content_type: 'text/x-markdown', avatar_url: null },
    });
    expect(rawEvent).not.toHaveProperty('local_message_id');
    expect(htmlEvent).toMatchObject({
      local_message_id: '7.01',
      message: {
        content: '<p>see <strong>this</strong></p>',
        avatar_url: textMatching(/^https:\/\/secure\.gravatar\.com\/avatar\//),
      },
    });
  });

  test('echoes a local id only to its sender, whatever queue the send names', async () => {
    const queue = await register('bob', { event_types: ['message'] });
    await send('ann', 'general', 'not mine', { queue_id: queue.queue_id, local_id: '8.01' });
    const [event] = await poll('bob', queue);
    expect(event).toMatchObject({ message: { content: 'not mine' } });
    expect(event).not.toHaveProperty('local_message_id');
  });

  test('delivers to holders of the message and to nobody else', async () => {
    const everyone = ['ann', 'bob', 'cat', 'gil', 'bobBot'] as const;
    const queues = new Map<PersonKey, Queue>();
    for (const who of everyone) queues.set(who, await register(who, { event_types: ['message'] }));
    const publicId = await send('cat', 'general', 'from outside, to @**Bob Bot** and @**Cat Moe**');
    const privateId = await send('bob', 'board', 'for the board');
    const direct = await organization.client('cat').post('messages', {
      type: 'private',
      to: JSON.stringify(['gil@example.com']),
      content: 'psst',
    });
    const received: Record<string, unknown[]> = {};
    for (const [who, queue] of queues) {
      received[who] = (await poll(who, queue)).map((event) => [
        (event['message'] as { id: number }).id,
        event['flags'],
      ]);
    }
    expect(received).toEqual({
      ann: [[publicId, []]],
      bob: [
        [publicId, []],
        [privateId, []],
      ],
      cat: [[direct['id'], []]],
      gil: [
        [publicId, []],
        [direct['id'], []],
      ],
      bobBot: [[publicId, ['mentioned']]],
    });
  });

  test('wider filters add public streams only, and nothing for guests', async () => {
    const all = await register('cat', { event_types: ['message'], all_public_streams: true });
    const narrowed = await register('cat', {
      event_types: ['message'],
      narrow: ['stream', 'GENERAL'],
    });
    const elsewhere = await register('cat', {
      event_types: ['message'],
      narrow: [['topic', 'dinner']],
    });
    const onBoard = await register('cat', {
      event_types: ['message'],
      narrow: ['stream', 'board'],
    });
    await organization
      .client('ann')
      .post('users/me/subscriptions', { subscriptions: [{ name: 'attic' }] });
    const [notice] = await poll('cat', all, { dont_block: false });
    const { id: firstOfAttic } = (notice ?? {})['message'] as { id: number };
    const guest = await register('gil', { event_types: ['message'], all_public_streams: true });
    const attic = await send('ann', 'attic', 'dust');
    const general = await send('bob', 'general', 'hello');
    await send('bob', 'board', 'secret');
    const idsOf = async (who: PersonKey, queue: Queue): Promise<unknown[]> =>
      (await poll(who, queue)).map((event) => [
        (event['message'] as { id: number }).id,
        event['flags'],
      ]);
    expect(await idsOf('cat', all)).toEqual([
      [firstOfAttic, []],
      [attic, []],
      [general, []],
    ]);
    expect(await idsOf('cat', narrowed)).toEqual([[general, []]]);
    expect(await idsOf('cat', elsewhere)).toEqual([]);
    expect(await idsOf('cat', onBoard)).toEqual([]);
    expect(await idsOf('gil', guest)).toEqual([[general, []]]);
  });

  test('a join and a leave determine delivery in between, even if it is read late', async () => {
    const queue = await register('cat', { event_types: ['message', 'subscription'] });
    const cat = organization.client('cat');
    await send('bob', 'general', 'before');
    await cat.post('users/me/subscriptions', { subscriptions: [{ name: 'general' }] });
    const between = await send('bob', 'general', 'between');
    await cat.delete('users/me/subscriptions', { subscriptions: ['general'] });
    await send('bob', 'general', 'after');
    const events = await poll('cat', queue);
    expect(
      events.map((event) => [
        event['type'],
        event['op'] ?? (event['message'] as { id: number }).id,
      ]),
    ).toEqual([
      ['subscription', 'add'],
      ['message', between],
      ['subscription', 'remove'],
    ]);
    const [add] = readObjects(events[0] ?? {}, 'subscriptions');
    expect(add).toMatchObject({
      name: 'general',
      in_home_view: true,
      is_muted: false,
      push_notifications: false,
    });
    expect(add?.['subscribers']).toEqual(
      (['ann', 'bob', 'cat', 'gil'] as const)
        .map((who) => organization.id(who))
        .toSorted((a, b) => a - b),
    );
  });

  test('a second poll ends the first', async () => {
    const queue = await register('ann', { event_types: ['message'] });
    const first = poll('ann', queue, { dont_block: false });
    let isFirstOver = false;
    void first.then(() => {
      isFirstOver = true;
    });
    const second = poll('ann', queue, { dont_block: false });
    await waitUntil('the first poll is answered', () => isFirstOver);
    expect(await first).toEqual([]);
    const id = await send('bob', 'general', 'for the second');
    expect((await second).map((event) => (event['message'] as { id: number }).id)).toEqual([id]);
  });

  test('registers if no queue is named', async () => {
    const answer = await organization
      .client('ann')
      .get('events', { event_types: ['message'], dont_block: true });
    expect(answer).toMatchObject({
      events: [],
      queue_id: anyString,
      last_event_id: anyNumber,
    });
    const id = await send('bob', 'general', 'hello');
    const events = await poll('ann', answer as unknown as Queue);
    expect(events.map((event) => (event['message'] as { id: number }).id)).toEqual([id]);
  });

  test('refuses invalid requests', async () => {
    const queue = await register('ann');
    expect(await refused('ann', 'GET', 'events', { queue_id: queue.queue_id })).toEqual({
      status: 400,
      code: 'BAD_REQUEST',
      msg: "Missing 'last_event_id' argument",
    });
    expect(
      await refused('ann', 'GET', 'events', { queue_id: queue.queue_id, last_event_id: 'abc' }),
    ).toEqual({
      status: 400,
      code: 'REQUEST_VARIABLE_INVALID',
      msg: "Bad value for 'last_event_id': abc",
      var_name: 'last_event_id',
      bad_value: 'abc',
    });
    expect(await refused('ann', 'GET', 'events', { queue_id: '1:2', last_event_id: 0 })).toEqual({
      status: 400,
      code: 'BAD_EVENT_QUEUE_ID',
      msg: 'Bad event queue id: 1:2',
      queue_id: '1:2',
    });
    expect(
      await refused('bob', 'GET', 'events', { queue_id: queue.queue_id, last_event_id: 0 }),
    ).toEqual({
      status: 400,
      code: 'BAD_REQUEST',
      msg: 'You are not authorized to get events from this queue',
    });
  });
});

describe('DELETE events', () => {
  test('ends the queue and the poll that waits on it', async () => {
    const queue = await register('ann', { event_types: ['message'] });
    const held = poll('ann', queue, { dont_block: false });
    await waitUntil('the poll is held', async () => {
      const counts = await Promise.all(
        organization.cluster
          .findProcesses('events')
          .map((node) => node.readMetric('parley_event_polls_held')),
      );
      return counts.includes(1);
    });
    await organization.client('ann').delete('events', { queue_id: queue.queue_id });
    expect(await held).toEqual([]);
    const gone = {
      status: 400,
      code: 'BAD_EVENT_QUEUE_ID',
      msg: `Bad event queue id: ${queue.queue_id}`,
      queue_id: queue.queue_id,
    };
    expect(await refused('ann', 'DELETE', 'events', { queue_id: queue.queue_id })).toEqual(gone);
    expect(
      await refused('ann', 'GET', 'events', { queue_id: queue.queue_id, last_event_id: 0 }),
    ).toEqual(gone);
  });

  test('refuses a missing queue id and another user', async () => {
    const queue = await register('ann');
    expect(await refused('ann', 'DELETE', 'events', {})).toEqual({
      status: 400,
      code: 'REQUEST_VARIABLE_MISSING',
      msg: "Missing 'queue_id' argument",
      var_name: 'queue_id',
    });
    expect(await refused('bob', 'DELETE', 'events', { queue_id: queue.queue_id })).toEqual({
      status: 400,
      msg: 'You are not authorized to access this queue',
    });
    expect(await poll('ann', queue)).toEqual([]);
  });
});
