/** A bot that is mentioned in a stream without being in it also gets the message from a node that did not see it live, and nothing else. */
import { afterAll, beforeAll, expect, test } from 'vitest';

import { startSmallOrganization } from '../api/small-organization.ts';
import type { SmallOrganization } from '../api/small-organization.ts';

let organization: SmallOrganization;
beforeAll(async () => {
  organization = await startSmallOrganization({ ownProcesses: true, events: 1, messages: 1 });
});
afterAll(() => organization.stop());

test('replay delivers a stream message to a mentioned bot, and no private message', async () => {
  const { cluster } = organization;
  const ann = organization.typed('ann');
  const bot = organization.typed('bobBot');
  await ann.request('POST /users/me/subscriptions', { subscriptions: [{ name: 'plans' }] });
  await using events = bot.events({ event_types: ['message'] });
  expect((await events.next()).value).toMatchObject({ type: 'registered', isFirst: true });
  const send = async (to: string, type: string, content: string): Promise<number> => {
    const { id } = await ann.request('POST /messages', { type, to, topic: 'lunch', content });
    if (id === undefined) throw new Error('a send answered no id');
    return id;
  };
  await send('plans', 'stream', 'nobody is named');
  const named = await send('plans', 'stream', 'ask @**Bob Bot**');
  await send('cat@example.com', 'private', 'not for @**Bob Bot**');

  // The first poll comes after the node that saw the messages has gone.
  await cluster.kill('events', 0);
  await cluster.startAnother('events');
  expect((await events.next()).value).toMatchObject({ type: 'message', message: { id: named } });
  // The next event is the next message to the bot, without the private conversation in between.
  const last = await send('bob-bot@example.com', 'private', 'for the bot alone');
  expect((await events.next()).value).toMatchObject({ type: 'message', message: { id: last } });

  const history = await bot.request('GET /messages', {
    anchor: 'newest',
    num_before: 10,
    num_after: 0,
  });
  expect(history.messages.map(({ id }) => id)).toEqual([named, last]);
});
