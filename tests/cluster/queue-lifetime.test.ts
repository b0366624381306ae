/** Idle queues end after their lifetime; polled queues stay, and a poll without events gets a heartbeat. */
import { readObjects, waitUntil } from '@parley/test-kit';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { anyNumber } from '../support/matchers.ts';
import { startSmallOrganization } from '../api/small-organization.ts';
import type { SmallOrganization } from '../api/small-organization.ts';
import { EventStreamReader } from './event-stream-reader.ts';

let organization: SmallOrganization;
beforeAll(async () => {
  organization = await startSmallOrganization({
    events: 2,
    messages: 1,
    environment: {
      PARLEY_HEARTBEAT_MIN_SECS: '0.5',
      PARLEY_HEARTBEAT_MAX_SECS: '1',
      PARLEY_EVENT_STREAM_LIFETIME_SECS: '3',
    },
  });
});
afterAll(() => organization.stop());

test('an idle queue ends, polling keeps it, and without events there are heartbeats', async () => {
  const ann = organization.client('ann');
  const register = async (): Promise<{ id: string; last: number }> => {
    const answer = await ann.post('register', {
      event_types: ['message'],
      fetch_event_types: [],
      queue_lifespan_secs: 3,
    });
    return { id: answer['queue_id'] as string, last: answer['last_event_id'] as number };
  };
  const idle = await register();
  const polled = await register();
  const count = async (queueId: string): Promise<number> => {
    const { rows } = await organization.pool.query<{ count: number }>({
      text: 'SELECT count(*) AS count FROM event_queues WHERE queue_id = $1',
      values: [queueId],
    });
    return rows[0]?.count ?? 0;
  };

  const heartbeats: unknown[] = [];
  let { last } = polled;
  let isOver = false;
  const polling = (async () => {
    while (!isOver) {
      const answer = await ann.get('events', { queue_id: polled.id, last_event_id: last });
      for (const event of readObjects(answer, 'events')) {
        heartbeats.push(event);
        expect(event['id']).toBeGreaterThan(last);
        last = event['id'] as number;
      }
    }
  })();
  // Other changes move the log on, so that a heartbeat has an id.
  await organization
    .client('bob')
    .post('users/me/subscriptions', { subscriptions: [{ name: 'noise' }] });
  await waitUntil('a heartbeat came', () => heartbeats.length > 0, { deadlineMs: 30_000 });
  expect(heartbeats[0]).toEqual({ type: 'heartbeat', id: anyNumber });
  await waitUntil('the idle queue has ended', async () => (await count(idle.id)) === 0, {
    deadlineMs: 60_000,
  });
  expect(await count(polled.id)).toBe(1);
  const { status, body } = await ann.request('GET', 'events', {
    queue_id: idle.id,
    last_event_id: idle.last,
  });
  expect({ status, code: body['code'] }).toEqual({ status: 400, code: 'BAD_EVENT_QUEUE_ID' });
  isOver = true;
  await polling;
});

test('a stream ends after its lifetime, and its client reconnects', async () => {
  const ann = organization.client('ann');
  const answer = await ann.post('register', { event_types: [], fetch_event_types: [] });
  const queue = {
    queueId: answer['queue_id'] as string,
    lastEventId: answer['last_event_id'] as number,
  };
  const openedAtMs = Date.now();
  const reader = await EventStreamReader.open(ann, queue);
  expect(await reader.waitForEnd()).toEqual({ isComplete: true });
  // The lifetime's start and this process' clock are not exactly equal.
  expect(Date.now() - openedAtMs).toBeGreaterThan(2_900);
  expect(reader.errors).toEqual([]);
  expect(Object.keys(reader.messages.at(-1) ?? {})).toEqual(['retry']);
  const again = await EventStreamReader.open(ann, queue);
  expect(again.status).toBe(200);
  again.close();
});
