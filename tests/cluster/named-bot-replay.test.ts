/** A bot named in a stream it is not in gets the message also from a node that never saw it live, and nothing that is not for it. */
import { readObjects, waitUntil } from '@parley/test-kit';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { startSmallOrganization } from '../api/small-organization.ts';
import type { SmallOrganization } from '../api/small-organization.ts';

let organization: SmallOrganization;
beforeAll(async () => {
  organization = await startSmallOrganization({ events: 1, messages: 1 });
});
afterAll(() => organization.stop());

test('replay gives a named bot its message of a stream, and none of a private conversation', async () => {
  const { cluster } = organization;
  const ann = organization.client('ann');
  const bot = organization.client('bobBot');
  await ann.post('users/me/subscriptions', { subscriptions: [{ name: 'plans' }] });
  const queue = await bot.post('register', { event_types: ['message'], fetch_event_types: [] });
  const send = async (to: unknown, type: string, content: string): Promise<number> => {
    const answer = await ann.post('messages', { type, to, topic: 'lunch', content });
    return answer['id'] as number;
  };
  await send('plans', 'stream', 'nobody is named');
  const named = await send('plans', 'stream', 'ask @**Bob Bot**');
  await send([organization.id('cat')], 'private', 'not for @**Bob Bot**');

  await cluster.kill('events', 0);
  await cluster.startAnother('events');
  let events: readonly Record<string, unknown>[] = [];
  await waitUntil('the new node answers', async () => {
    const { status, body } = await bot.request('GET', 'events', {
      queue_id: queue['queue_id'],
      last_event_id: queue['last_event_id'],
      dont_block: true,
    });
    if (status !== 200) return false;
    events = readObjects(body, 'events');
    return true;
  });
  expect(events.map((event) => event['message'])).toMatchObject([{ id: named }]);

  const history = await bot.request('GET', 'messages', {
    anchor: 'newest',
    num_before: 10,
    num_after: 0,
  });
  expect(readObjects(history.body, 'messages').map((message) => message['id'])).toEqual([named]);
});
