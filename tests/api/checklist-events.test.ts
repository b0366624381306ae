/** Registering, event queues and delivery, by the checklist of the reference facts (events 19). */
import { deleteIdleEventQueues } from '@parley/store';
import { ApiClient, readObjects } from '@parley/test-kit';
import type { JsonObject, Parameters } from '@parley/test-kit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { anyNumber, anyString, textMatching } from '../support/matchers.ts';
import { startSmallOrganization } from './small-organization.ts';
import type { PersonKey, SmallOrganization } from './small-organization.ts';

let organization: SmallOrganization;
let lunchId: number;
beforeAll(async () => {
  organization = await startSmallOrganization({
    events: 2,
    messages: 1,
    environment: { PARLEY_HEARTBEAT_MIN_SECS: '0.3', PARLEY_HEARTBEAT_MAX_SECS: '0.6' },
  });
  await as('bob').post('users/me/subscriptions', { subscriptions: [{ name: 'social' }] });
  lunchId = await as('bob').sendToStream('social', 'lunch', 'soup');
});
afterAll(() => organization.stop());

const as = (who: PersonKey): ApiClient => organization.client(who);

/** @returns the state of these types only */
async function state(
  who: PersonKey,
  types: readonly string[],
  more: Parameters = {},
): Promise<JsonObject> {
  const {
    result: _result,
    msg: _msg,
    queue_id: _queue,
    last_event_id: _last,
    ...rest
  } = await as(who).post('register', { event_types: [], fetch_event_types: types, ...more });
  return rest;
}

type Queue = { readonly who: PersonKey; readonly id: string; readonly last: number };

async function open(who: PersonKey, parameters: Parameters = {}): Promise<Queue> {
  const answer = await as(who).post('register', { fetch_event_types: [], ...parameters });
  return { who, id: answer['queue_id'] as string, last: answer['last_event_id'] as number };
}

async function poll(queue: Queue, isHeld = false): Promise<readonly JsonObject[]> {
  const answer = await as(queue.who).get('events', {
    queue_id: queue.id,
    last_event_id: queue.last,
    dont_block: !isHeld,
  });
  return readObjects(answer, 'events');
}

const contentOf = (event: JsonObject): unknown => (event['message'] as JsonObject)['content'];

const isOfBob = (event: JsonObject): boolean =>
  (event['message'] as JsonObject)['sender_full_name'] === 'Bob Ray';

describe('the state at register', () => {
  test('unread messages need both event types, and have five keys', async () => {
    const both = await state('ann', ['message', 'update_message_flags']);
    expect(Object.keys(both).toSorted()).toEqual(['max_message_id', 'unread_msgs']);
    expect(both['unread_msgs']).toEqual({
      pms: [],
      streams: [],
      huddles: [],
      mentions: [],
      count: 0,
    });
    expect(await state('ann', ['message'])).toEqual({ max_message_id: -1 });
    expect(await state('ann', ['update_message_flags'])).toEqual({});
  });

  test("without messages max_message_id is -1, and a new account's pointer is -1", async () => {
    const { person } = await organization.makePersonWithBot('newcomer');
    const answer = await organization
      .clientOf(person)
      .post('register', { fetch_event_types: ['message', 'pointer'] });
    expect(answer).toMatchObject({ max_message_id: -1, pointer: -1 });
  });

  test('people: the caller is among the active ones, deactivated ones are separate, and none has is_active', async () => {
    const { person } = await organization.makePersonWithBot('leaver');
    await as('ann').delete(`users/${person.user.id}`);
    const users = await state('bob', ['realm_user']);
    const active = readObjects(users, 'realm_users');
    const gone = readObjects(users, 'realm_non_active_users');
    const ids = (people: readonly JsonObject[]): unknown[] => people.map((one) => one['user_id']);
    expect(ids(active)).toContain(organization.id('bob'));
    expect(ids(active)).not.toContain(person.user.id);
    expect(ids(gone)).toContain(person.user.id);
    for (const one of [...active, ...gone]) expect(one).not.toHaveProperty('is_active');
  });

  test('client_gravatar: null in the list, but an address at the top', async () => {
    const users = await state('bob', ['realm_user'], { client_gravatar: true });
    const bob = readObjects(users, 'realm_users').find((one) => one['email'] === 'bob@example.com');
    expect(bob?.['avatar_url']).toBe(null);
    expect(users['avatar_url']).toEqual(textMatching(/^https:\/\/secure\.gravatar\.com\//));
  });

  test('unset notification streams are -1', async () => {
    expect(await state('gil', ['realm'])).toMatchObject({
      realm_notifications_stream_id: -1,
      realm_signup_notifications_stream_id: -1,
    });
  });

  test('muted topics are pairs of a stream and a topic', async () => {
    await as('bob').patch('users/me/subscriptions/muted_topics', {
      stream: 'social',
      topic: 'noise',
      op: 'add',
    });
    expect(await state('bob', ['muted_topics'])).toEqual({ muted_topics: [['social', 'noise']] });
  });

  test('the type user_settings returns display and notification settings at the top', async () => {
    const settings = await state('bob', ['user_settings']);
    expect(settings).toMatchObject({
      twenty_four_hour_time: false,
      pm_content_in_desktop_notifications: true,
    });
    expect(settings).not.toHaveProperty('user_settings');
    expect(settings).not.toHaveProperty('zulip_feature_level');
  });
});

describe('queues', () => {
  test('a narrow of one pair may be the pair itself or a list with it', async () => {
    const narrows = [
      ['stream', 'social'],
      [['stream', 'social']],
      [
        ['stream', 'SOCIAL'],
        ['topic', 'Tea'],
      ],
    ];
    const queues = await Promise.all(
      narrows.map((narrow) => open('cat', { narrow, event_types: ['message'] })),
    );
    await as('bob').sendToStream('social', 'tea', 'green');
    await as('bob').sendToStream('social', 'cake', 'brown');
    const received = await Promise.all(
      // The notice of the new stream comes before them.
      queues.map(async (queue) => (await poll(queue)).filter(isOfBob).map(contentOf)),
    );
    expect(received).toEqual([['green', 'brown'], ['green', 'brown'], ['green']]);
  });

  test('a poll without events gets a heartbeat with type and id, whatever the event types', async () => {
    const queues = await Promise.all(
      [{}, { event_types: [] }, { narrow: ['stream', 'nowhere'] }].map((more) => open('cat', more)),
    );
    // A heartbeat needs an id above the queue's last one, so the log must grow by a change without an event for these queues.
    await as('bob').post('users/me/alert_words', { alert_words: ['x'] });
    for (const queue of queues)
      expect(await poll(queue, true)).toEqual([{ type: 'heartbeat', id: anyNumber }]);
  });

  test('ids in one answer increase', async () => {
    const queue = await open('bob', { event_types: ['message', 'alert_words'] });
    for (let n = 0; n < 5; n += 1) {
      await as('bob').sendToStream('social', 'ids', `${n}`);
      await as('bob').post('users/me/alert_words', { alert_words: [`w${n}`] });
    }
    const ids = (await poll(queue)).map((event) => event['id'] as number);
    expect(ids).toHaveLength(10);
    expect(ids).toEqual([...new Set(ids)].toSorted((a, b) => a - b));
    expect(ids[0]).toBeGreaterThan(queue.last);
  });

  test('a queue is deleted once, by its id in the query or body', async () => {
    const { email = '', apiKey = '', urls } = as('bob');
    const authorization = `Basic ${Buffer.from(`${email}:${apiKey}`).toString('base64')}`;
    const remove = async (query: string, body?: URLSearchParams): Promise<JsonObject> => {
      const answer = await fetch(`${urls[0]}/api/v1/events${query}`, {
        method: 'DELETE',
        headers: { authorization },
        ...(body !== undefined && { body }),
      });
      return (await answer.json()) as JsonObject;
    };
    const inQuery = await open('bob');
    const inBody = await open('bob');
    const done = { result: 'success', msg: '' };
    const gone = { result: 'error', code: 'BAD_EVENT_QUEUE_ID' };
    const query = `?queue_id=${encodeURIComponent(inQuery.id)}`;
    expect(await remove(query)).toEqual(done);
    expect(await remove(query)).toMatchObject(gone);
    expect(await remove('', new URLSearchParams({ queue_id: inBody.id }))).toEqual(done);
    expect(await remove('', new URLSearchParams({ queue_id: inBody.id }))).toMatchObject(gone);
  });

  test('a queue with the default lifetime survives nine idle minutes but not twelve', async () => {
    const nine = await open('bob');
    const twelve = await open('bob');
    const idle = (queue: Queue, minutes: number): Promise<unknown> =>
      organization.pool.query({
        text: 'UPDATE event_queues SET last_polled_at = now() - make_interval(mins => $2) WHERE queue_id = $1',
        values: [queue.id, minutes],
      });
    await idle(nine, 9);
    await idle(twelve, 12);
    expect(await deleteIdleEventQueues(organization.pool, new Date(0))).toEqual([twelve.id]);
    expect(await poll(nine)).toEqual([]);
  });

  test('unknown parameters are ignored', async () => {
    const unknown = { dont_block_: true, client_gravatar_: 'x', _: 1, read_by_sender: true };
    const answer = await as('bob').post('register', { fetch_event_types: ['pointer'], ...unknown });
    expect(Object.keys(answer).toSorted()).toEqual([
      'last_event_id',
      'msg',
      'pointer',
      'queue_id',
      'result',
    ]);
    const queue = { queue_id: answer['queue_id'], last_event_id: answer['last_event_id'] };
    expect(await as('bob').get('events', { ...queue, dont_block: true, ...unknown })).toMatchObject(
      { events: [], queue_id: anyString },
    );
    for (const [path, parameters] of [
      ['typing', { op: 'start', to: [organization.id('ann')] }],
      ['users/me/presence', { status: 'active', ping_only: true }],
      ['users/me/status', { away: false }],
      ['users/me/pointer', { pointer: lunchId }],
    ] as const)
      expect(await as('bob').post(path, { ...parameters, ...unknown })).toEqual({
        result: 'success',
        msg: '',
      });
    expect(await as('bob').delete('events', { queue_id: queue.queue_id, ...unknown })).toEqual({
      result: 'success',
      msg: '',
    });
  });
});

describe('what queues deliver', () => {
  test('a narrow filters only messages', async () => {
    const queue = await open('bob', {
      narrow: ['stream', 'nowhere'],
      event_types: ['message', 'reaction', 'stream', 'subscription'],
    });
    await as('bob').sendToStream('social', 'lunch', 'bread');
    await as('bob').post(`messages/${lunchId}/reactions`, { emoji_name: 'tada' });
    await as('bob').post('users/me/subscriptions', { subscriptions: [{ name: 'held' }] });
    const kinds = (await poll(queue)).map(({ type, op }) => `${String(type)}/${String(op)}`);
    expect(kinds.slice(0, 4)).toEqual([
      'reaction/add',
      'stream/create',
      'stream/occupy',
      'subscription/add',
    ]);
    expect(kinds.some((kind) => kind.startsWith('message'))).toBe(false);
  });

  test('is:mentioned includes direct mentions and excludes wildcards', async () => {
    const queues = await Promise.all(
      ['mentioned', 'alerted'].map((operand) =>
        open('bob', { narrow: [['is', operand]], event_types: ['message'] }),
      ),
    );
    await as('bob').sendToStream('social', 'lunch', '@**all** come');
    const { fullName } = organization.accounts.bob.user;
    const named = `@**${fullName}** come`;
    await as('bob').sendToStream('social', 'lunch', named);
    for (const queue of queues) expect((await poll(queue)).map(contentOf)).toEqual([named]);
  });

  test('two changes of flags are two events', async () => {
    const queue = await open('bob', { event_types: ['update_message_flags'] });
    const other = await as('bob').sendToStream('social', 'lunch', 'salt');
    for (const id of [lunchId, other])
      await as('bob').post('messages/flags', { messages: [id], op: 'add', flag: 'read' });
    const events = await poll(queue);
    expect(events.map((event) => event['messages'])).toEqual([[lunchId], [other]]);
  });
});
