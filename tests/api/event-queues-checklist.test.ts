/** The lines of the reference facts' checklist about queues, polls and the content of queues, each by its number. */
import { signIdentity } from '@parley/identity';
import { identityHeaderName } from '@parley/api';
import type { Caller } from '@parley/api';
import { readObjects, waitUntil } from '@parley/test-kit';
import type { JsonObject, Parameters } from '@parley/test-kit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { anyNumber, anyString } from '../support/matchers.ts';
import { startSmallOrganization } from './small-organization.ts';
import type { PersonKey, SmallOrganization } from './small-organization.ts';

let organization: SmallOrganization;
beforeAll(async () => {
  organization = await startSmallOrganization({
    events: 2,
    messages: 1,
    environment: { PARLEY_HEARTBEAT_MIN_SECS: '0.3', PARLEY_HEARTBEAT_MAX_SECS: '0.6' },
  });
  const subscribe = (who: PersonKey, name: string, more: object = {}): Promise<unknown> =>
    organization.client(who).post('users/me/subscriptions', { subscriptions: [{ name }], ...more });
  await subscribe('bob', 'general', { principals: ['ann@example.com', 'bob@example.com'] });
  await subscribe('bob', 'board', { invite_only: true });
});
afterAll(() => organization.stop());

type Queue = { readonly queue_id: string; readonly last_event_id: number };

async function register(who: PersonKey, parameters: Parameters = {}): Promise<Queue> {
  const answer = await organization
    .client(who)
    .post('register', { event_types: ['message'], fetch_event_types: [], ...parameters });
  return answer as unknown as Queue;
}

async function poll(
  who: PersonKey,
  { queue_id: queueId, last_event_id: last }: Queue,
  parameters: Parameters = {},
): Promise<readonly JsonObject[]> {
  const answer = await organization
    .client(who)
    .get('events', { queue_id: queueId, last_event_id: last, dont_block: true, ...parameters });
  expect(answer['queue_id']).toBe(queueId);
  return readObjects(answer, 'events');
}

async function send(
  who: PersonKey,
  to: string,
  content: string,
  more: Parameters = {},
  headers: Readonly<Record<string, string>> = {},
): Promise<number> {
  const answer = await organization
    .client(who)
    .post('messages', { type: 'stream', to, topic: 'lunch', content, ...more }, { headers });
  return answer['id'] as number;
}

function messageOf(event: JsonObject | undefined): JsonObject {
  return event?.['message'] as JsonObject;
}

function contentsOf(events: readonly JsonObject[]): unknown[] {
  return events.map((event) => messageOf(event)['content']);
}

async function refusalOf(
  who: PersonKey,
  method: 'GET' | 'POST' | 'DELETE',
  path: string,
  parameters: Parameters,
): Promise<object> {
  const { status, body } = await organization.client(who).request(method, path, parameters);
  return { status, ...body };
}

const badQueue = (queueId: string): object => ({
  status: 400,
  result: 'error',
  code: 'BAD_EVENT_QUEUE_ID',
  msg: `Bad event queue id: ${queueId}`,
  queue_id: queueId,
});

async function heldPolls(): Promise<number> {
  const counts = await Promise.all(
    organization.cluster
      .findProcesses('events')
      .map((node) => node.readMetric('parley_event_polls_held')),
  );
  return counts.reduce((sum, count) => sum + count, 0);
}

describe('polling', () => {
  test('checklist 20: presences is keyed by email and has aggregated per user', async () => {
    const ann = organization.client('ann');
    await ann.post('users/me/presence', { status: 'active', ping_only: true });
    const state = await ann.post('register', { fetch_event_types: ['presence'] });
    expect(state['presences']).toMatchObject({
      [organization.accounts.ann.user.email]: { aggregated: { status: 'active' } },
    });
  });

  test("checklist 21: the first event's id is above register's last_event_id", async () => {
    const queue = await register('ann');
    await send('bob', 'general', 'first');
    const [event] = await poll('ann', queue);
    expect(event?.['id']).toBeGreaterThan(queue.last_event_id);
  });

  test('checklist 22: the start, 0 and -1 return the same events each time', async () => {
    const queue = await register('ann');
    for (const content of ['a', 'b']) await send('bob', 'general', content);
    const events = await poll('ann', queue);
    expect(contentsOf(events)).toEqual(['a', 'b']);
    for (const last of [queue.last_event_id, 0, -1, 0, queue.last_event_id])
      expect(await poll('ann', queue, { last_event_id: last })).toEqual(events);
  });

  test('checklist 23: acknowledged events do not come again, unless the poll has an older id', async () => {
    const queue = await register('ann');
    for (const content of ['a', 'b', 'c']) await send('bob', 'general', content);
    const events = await poll('ann', queue);
    const second = events[1]?.['id'];
    expect(await poll('ann', queue, { last_event_id: second })).toEqual([events[2]]);
    expect(await poll('ann', queue)).toEqual(events);
  });

  test('checklist 24: dont_block with an empty queue returns no events at once', async () => {
    expect(await poll('ann', await register('ann'))).toEqual([]);
  });

  test('checklist 25: a blocking GET returns when a matching event happens', async () => {
    const queue = await register('ann', { narrow: ['topic', 'dinner'] });
    const held = poll('ann', queue, { dont_block: false });
    await send('bob', 'general', 'no match');
    await send('bob', 'general', 'match', { topic: 'dinner' });
    const events = await held;
    // The first event may be a heartbeat.
    if (events[0]?.['type'] === 'message') expect(contentsOf(events)).toEqual(['match']);
    else expect(contentsOf(await poll('ann', queue))).toEqual(['match']);
  });

  test('checklist 26 and 27: without events a poll gets one heartbeat with type and id only, even without event types', async () => {
    const queue = await register('ann', { event_types: [] });
    await send('bob', 'general', 'moves the log on');
    const events = await poll('ann', queue, { dont_block: false });
    expect(events).toEqual([{ type: 'heartbeat', id: anyNumber }]);
    expect(events[0]?.['id']).toBeGreaterThan(queue.last_event_id);
    // A heartbeat carries no state, so a client that does not acknowledge it misses nothing.
    expect(await poll('ann', queue)).toEqual([]);
  });

  test('checklist 28: a second GET ends the first with success and no events, unless the second is refused', async () => {
    const queue = await register('ann');
    const first = poll('ann', queue, { dont_block: false });
    await waitUntil('it is held', async () => (await heldPolls()) === 1);
    await refusalOf('ann', 'GET', 'events', { queue_id: queue.queue_id, last_event_id: 'x' });
    await refusalOf('bob', 'GET', 'events', { queue_id: queue.queue_id, last_event_id: 0 });
    expect(await heldPolls()).toBe(1);
    const second = poll('ann', queue, { dont_block: false });
    expect(await first).toEqual([]);
    await second;
  });

  test('two polls of one queue at two nodes are both answered', async () => {
    const queue = await register('ann');
    const { id: userId, email, role } = organization.accounts.ann.user;
    const caller: Caller = { userId, email, role, botType: null, botOwnerId: null };
    const identity = signIdentity(organization.cluster.settings.internalSecret, caller, {
      requestId: 'both',
      nowMs: Date.now(),
    });
    const nodes = organization.cluster.findProcesses('events');
    const answers = nodes.map(async ({ url }) => {
      for (let last = queue.last_event_id; ;) {
        const response = await fetch(
          `${url}/api/v1/events?queue_id=${queue.queue_id}&last_event_id=${last}`,
          { headers: { [identityHeaderName]: identity } },
        );
        const { events } = (await response.json()) as { events: JsonObject[] };
        const messages = events.filter(({ type }) => type === 'message');
        if (messages.length > 0) return contentsOf(messages);
        last = (events.at(-1)?.['id'] as number | undefined) ?? last;
      }
    });
    await waitUntil('both are held', async () => (await heldPolls()) === 2);
    await send('bob', 'general', 'for both');
    expect(await Promise.all(answers)).toEqual([['for both'], ['for both']]);
  });
});

describe('refusals and registration by GET', () => {
  test('checklist 29: GET with an unknown queue, and with an empty name', async () => {
    const ask = { last_event_id: 0 };
    expect(await refusalOf('ann', 'GET', 'events', { ...ask, queue_id: '1:99' })).toEqual(
      badQueue('1:99'),
    );
    expect(await refusalOf('ann', 'GET', 'events', { ...ask, queue_id: '' })).toEqual(badQueue(''));
  });

  test("checklist 30 and 31: another user's queue is refused, also for administrators, and stays unchanged", async () => {
    const queue = await register('bob');
    expect(
      await refusalOf('ann', 'GET', 'events', { queue_id: queue.queue_id, last_event_id: 0 }),
    ).toEqual({
      status: 400,
      result: 'error',
      code: 'BAD_REQUEST',
      msg: 'You are not authorized to get events from this queue',
    });
    expect(await refusalOf('ann', 'DELETE', 'events', { queue_id: queue.queue_id })).toEqual({
      status: 400,
      result: 'error',
      msg: 'You are not authorized to access this queue',
    });
    expect(await poll('bob', queue)).toEqual([]);
  });

  test('checklist 32 and 33: last_event_id is required and must be a number', async () => {
    const { queue_id: queueId } = await register('ann');
    // The missing parameter is reported before the queue is looked up.
    for (const id of [queueId, '1:99'])
      expect(await refusalOf('ann', 'GET', 'events', { queue_id: id })).toEqual({
        status: 400,
        result: 'error',
        code: 'BAD_REQUEST',
        msg: "Missing 'last_event_id' argument",
      });
    expect(
      await refusalOf('ann', 'GET', 'events', { queue_id: queueId, last_event_id: 'abc' }),
    ).toEqual({
      status: 400,
      result: 'error',
      code: 'REQUEST_VARIABLE_INVALID',
      msg: "Bad value for 'last_event_id': abc",
      var_name: 'last_event_id',
      bad_value: 'abc',
    });
  });

  test('checklist 34: GET without a queue registers one, with every argument of register, blocking or not', async () => {
    for (const more of [{ dont_block: true }, {}]) {
      const answer = await organization.client('ann').get('events', {
        event_types: ['message'],
        apply_markdown: true,
        narrow: [['topic', 'by get']],
        fetch_event_types: ['message'],
        include_subscribers: true,
        queue_lifespan_secs: 700,
        ...more,
      });
      expect(answer).toEqual({
        result: 'success',
        msg: '',
        events: [],
        queue_id: anyString,
        last_event_id: anyNumber,
      });
      await send('bob', 'general', 'no');
      await send('bob', 'general', '**yes**', { topic: 'by get' });
      expect(contentsOf(await poll('ann', answer as unknown as Queue))).toEqual([
        '<p><strong>yes</strong></p>',
      ]);
    }
  });

  test('checklist 35 and 36: DELETE requires a queue, in query or body, and works once', async () => {
    expect(await refusalOf('ann', 'DELETE', 'events', {})).toEqual({
      status: 400,
      result: 'error',
      code: 'REQUEST_VARIABLE_MISSING',
      msg: "Missing 'queue_id' argument",
      var_name: 'queue_id',
    });
    const ann = organization.client('ann');
    const inBody = await register('ann');
    await ann.delete('events', { queue_id: inBody.queue_id });
    const inQuery = await register('ann');
    await ann.delete(`events?queue_id=${inQuery.queue_id}`);
    for (const { queue_id: queueId } of [inBody, inQuery]) {
      const gone = badQueue(queueId);
      expect(await refusalOf('ann', 'DELETE', 'events', { queue_id: queueId })).toEqual(gone);
      expect(
        await refusalOf('ann', 'GET', 'events', { queue_id: queueId, last_event_id: 0 }),
      ).toEqual(gone);
    }
  });

  test('checklist 37: DELETE ends a waiting poll with success', async () => {
    const queue = await register('ann');
    const held = poll('ann', queue, { dont_block: false });
    await waitUntil('it is held', async () => (await heldPolls()) === 1);
    await organization.client('ann').delete('events', { queue_id: queue.queue_id });
    expect(await held).toEqual([]);
  });

  test('checklist 38: a lifetime is as requested, ten minutes by default, at most a week', async () => {
    const storedLifespanOf = async (queueId: unknown): Promise<number | undefined> => {
      const { rows } = await organization.pool.query<{ lifespan: number }>({
        text: 'SELECT lifespan_secs AS lifespan FROM event_queues WHERE queue_id = $1',
        values: [queueId],
      });
      return rows[0]?.lifespan;
    };
    const lifespanOf = async (parameters: Parameters): Promise<number | undefined> =>
      storedLifespanOf((await register('ann', parameters)).queue_id);
    expect(await lifespanOf({})).toBe(600);
    expect(await lifespanOf({ queue_lifespan_secs: 0 })).toBe(600);
    expect(await lifespanOf({ queue_lifespan_secs: 5 })).toBe(5);
    for (const seconds of ['604801', '999999999', '4294967296', '9'.repeat(400)]) {
      expect(await lifespanOf({ queue_lifespan_secs: seconds })).toBe(604_800);
      const { queue_id: queueId } = await organization
        .client('ann')
        .get('events', { lifespan_secs: seconds });
      expect(await storedLifespanOf(queueId)).toBe(604_800);
    }
    const short = await register('ann', { queue_lifespan_secs: 1 });
    const usual = await register('ann');
    // Nine minutes without a poll.
    await organization.pool.query({
      text: "UPDATE event_queues SET last_polled_at = now() - interval '9 minutes' WHERE queue_id = ANY ($1)",
      values: [[short.queue_id, usual.queue_id]],
    });
    await waitUntil(
      'the short one is gone',
      async () => {
        const { rowCount } = await organization.pool.query({
          text: 'SELECT FROM event_queues WHERE queue_id = $1',
          values: [short.queue_id],
        });
        return rowCount === 0;
      },
      { deadlineMs: 28_000 },
    );
    expect(await poll('ann', usual)).toEqual([]);
  });
});

describe('what reaches a queue', () => {
  test('checklist 39 and 40: ids strictly increase, and flags are beside the message', async () => {
    const queue = await register('ann');
    for (const content of ['1', '2', '3', '4']) await send('bob', 'general', content);
    const events = await poll('ann', queue);
    const ids = events.map(({ id }) => id as number);
    expect(ids).toHaveLength(4);
    expect(ids).toEqual([...new Set(ids)].toSorted((a, b) => a - b));
    for (const event of events) {
      expect(event['flags']).toEqual([]);
      expect(messageOf(event)).not.toHaveProperty('flags');
    }
  });

  test('checklist 41 and 42: each queue gets content in its own form', async () => {
    const raw = await register('ann', { apply_markdown: false });
    const html = await register('ann', { apply_markdown: true });
    await send('bob', 'general', '*hi*');
    expect(messageOf((await poll('ann', raw))[0])).toMatchObject({
      content: '*hi*',
      content_type: 'text/x-markdown',
    });
    expect(messageOf((await poll('ann', html))[0])).toMatchObject({
      content: '<p><em>hi</em></p>',
      content_type: 'text/html',
    });
  });

  test('checklist 43 and 44: messages contain no internal fields, and private ones no topic or stream', async () => {
    const queue = await register('ann');
    await send('bob', 'general', 'in a stream');
    await organization
      .client('bob')
      .post('messages', { type: 'private', to: ['ann@example.com'], content: 'in private' });
    const [inStream, inPrivate] = (await poll('ann', queue)).map(messageOf);
    for (const message of [inStream, inPrivate])
      for (const key of [
        'rendered_content',
        'recipient_type',
        'recipient_type_id',
        'sender_realm_id',
      ])
        expect(message).not.toHaveProperty(key);
    expect(inPrivate).toMatchObject({ type: 'private', subject: '' });
    expect(inPrivate).not.toHaveProperty('stream_id');
    const people = readObjects(inPrivate ?? {}, 'display_recipient');
    expect(new Set(people.map(({ id }) => id))).toEqual(
      new Set([organization.id('ann'), organization.id('bob')]),
    );
  });

  test("checklist 45: the client name decides whether the sender's copy is read", async () => {
    const queue = await register('bob');
    await send('bob', 'general', 'by a person', {}, { 'user-agent': 'website/1' });
    await send('bob', 'general', 'by a program', {}, { 'user-agent': 'ZulipPython/0.9 (x)' });
    expect((await poll('bob', queue)).map(({ flags }) => flags)).toEqual([['read'], []]);
  });

  test('checklist 46: only the queue named in the send gets local_message_id', async () => {
    const named = await register('bob');
    const other = await register('bob');
    await send('bob', 'general', 'echo', { queue_id: named.queue_id, local_id: '12.5' });
    const [inNamed] = await poll('bob', named);
    const [inOther] = await poll('bob', other);
    expect(inNamed?.['local_message_id']).toBe('12.5');
    expect(inOther).not.toHaveProperty('local_message_id');
    expect(messageOf(inOther)).toEqual(messageOf(inNamed));
  });

  test('checklist 47 and 48: wider queues get public streams without flags, and never private streams', async () => {
    const all = await register('cat', { all_public_streams: true });
    const narrowed = await register('cat', { narrow: [['stream', 'General']] });
    const onBoard = await register('cat', { narrow: [['stream', 'board']] });
    await send('bob', 'general', '@**Cat Moe** come');
    await send('bob', 'board', 'secret');
    for (const queue of [all, narrowed]) {
      const events = await poll('cat', queue);
      expect(events.map(({ flags }) => flags)).toEqual([[]]);
      expect(contentsOf(events)).toEqual(['@**Cat Moe** come']);
    }
    expect(await poll('cat', onBoard)).toEqual([]);
  });

  test('checklist 49: a narrow filters only messages', async () => {
    const queue = await register('ann', {
      event_types: ['message', 'reaction', 'subscription'],
      narrow: [['topic', 'nothing has it']],
    });
    const id = await send('bob', 'general', 'react to this');
    await organization.client('bob').post(`messages/${id}/reactions`, { emoji_name: 'tada' });
    await organization
      .client('ann')
      .post('users/me/subscriptions', { subscriptions: [{ name: 'for 49' }] });
    const types = (await poll('ann', queue)).map(({ type }) => type);
    expect(types).toContain('reaction');
    expect(types).toContain('subscription');
    expect(types).not.toContain('message');
  });

  test('checklist 50: is:mentioned includes mentions by name and excludes wildcards; the other words work as documented', async () => {
    const narrowedTo = async (operand: string): Promise<readonly [string, Queue]> => [
      operand,
      await register('ann', { narrow: [['is', operand]] }),
    ];
    const queues = await Promise.all(
      ['mentioned', 'alerted', 'private', 'starred', 'unread', 'whatever'].map(narrowedTo),
    );
    const bySender = await register('ann', { narrow: [['sender', 'BOB@example.com']] });
    await send('bob', 'general', '@**all** look');
    await send('bob', 'general', '@**Ann Lee** look');
    await organization
      .client('bob')
      .post('messages', { type: 'private', to: ['ann@example.com'], content: 'psst' });
    await send('ann', 'general', 'mine', {}, { 'user-agent': 'website/1' });
    const all = ['@**all** look', '@**Ann Lee** look', 'psst', 'mine'];
    const got: Record<string, unknown[]> = {};
    for (const [operand, queue] of queues) got[operand] = contentsOf(await poll('ann', queue));
    expect(got).toEqual({
      mentioned: ['@**Ann Lee** look'],
      alerted: ['@**Ann Lee** look'],
      private: ['psst'],
      starred: [],
      unread: all.slice(0, 3),
      whatever: all,
    });
    expect(contentsOf(await poll('ann', bySender))).toEqual(all.slice(0, 3));
  });

  test('checklist 51: neither a sender nor a mentioned user who is not subscribed gets an event', async () => {
    const sender = await register('cat');
    const named = await register('gil');
    await send('cat', 'general', 'from outside to @**Gil Fox**');
    expect(await poll('cat', sender)).toEqual([]);
    expect(await poll('gil', named)).toEqual([]);
  });
});
