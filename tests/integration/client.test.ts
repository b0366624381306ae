/** The typed client calls a real system and follows its events. */

import { ParleyClient } from '@parley/client';
import { waitUntil } from '@parley/test-kit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { startSmallOrganization } from '../api/small-organization.ts';
import type { PersonKey, SmallOrganization } from '../api/small-organization.ts';
import { EventTaker } from '../support/event-taker.ts';

let organization: SmallOrganization;
beforeAll(async () => {
  // Its own, because its event node ends.
  organization = await startSmallOrganization({ events: 1, messages: 1, isOwn: true });
}, 120_000);
afterAll(async () => {
  await organization?.stop();
});

async function isQueueThere(queueId: string | undefined): Promise<boolean> {
  const { rowCount } = await organization.pool.query({
    text: 'SELECT FROM event_queues WHERE queue_id = $1',
    values: [queueId],
  });
  return rowCount === 1;
}

async function send(from: PersonKey, to: PersonKey, content: string): Promise<number> {
  const { user } = organization.accounts[to];
  const { id } = await organization.typed(from).request('POST /messages', {
    type: 'private',
    to: user.email,
    content,
  });
  if (id === undefined) throw new Error('a send answered no id');
  return id;
}

describe('events', () => {
  test('begin at the registered state, and come once and in order', async () => {
    const before = await send('ann', 'bob', 'before');
    const taker = await new EventTaker(organization.typed('bob')).begun();
    expect(taker.events[0]).toMatchObject({
      type: 'registered',
      isFirst: true,
      state: { queue_id: taker.stream.queueId, max_message_id: before },
    });
    const ids: number[] = [];
    for (let n = 0; n < 20; n += 1) ids.push(await send('ann', 'bob', `number ${n}`));
    expect(await taker.taken(ids.length)).toEqual(ids);
    await taker.stream.return();
    await taker.ended;
  });
});

describe('the end of a stream', () => {
  test('by its signal causes no error and deletes the queue', async () => {
    const stopping = new AbortController();
    const taker = await new EventTaker(
      organization.typed('bob'),
      {},
      { signal: stopping.signal },
    ).begun();
    const { queueId } = taker.stream;
    stopping.abort();
    await taker.ended;
    expect(await isQueueThere(queueId)).toBe(false);
    const late = organization.typed('bob').events({}, { signal: stopping.signal });
    expect(await late.next()).toEqual({ done: true, value: undefined });
  });

  test('by its signal while nobody waits deletes the queue too', async () => {
    const stopping = new AbortController();
    const stream = organization.typed('bob').events({}, { signal: stopping.signal });
    await stream.next();
    const { queueId } = stream;
    stopping.abort();
    await waitUntil('the queue is gone', async () => !(await isQueueThere(queueId)));
  });
});

describe('requests', () => {
  test('log in by password, upload a file, and read it', async () => {
    const ann = await ParleyClient.logIn({
      site: organization.cluster.url,
      username: 'ann@example.com',
      password: 'ann-secret',
    });
    const file = new File(['what is in it'], 'a file.txt', { type: 'text/plain' });
    const { uri } = await ann.request('POST /user_uploads', { file });
    const [, realm, path = ''] = /^\/user_uploads\/(\d+)\/(.+)$/.exec(uri) ?? [];
    const answer = await ann.request('GET /user_uploads/{realm_id}/{path}', {
      realm_id: realm ?? '',
      path: decodeURIComponent(path),
    });
    expect(await answer.text()).toBe('what is in it');
  });

  test('repeated under one key send one message', async () => {
    const parameters = { type: 'private', to: 'bob@example.com', content: 'once' } as const;
    const ann = organization.typed('ann');
    const first = await ann.request('POST /messages', parameters, { idempotencyKey: 'k1' });
    const again = await ann.request('POST /messages', parameters, { idempotencyKey: 'k1' });
    expect(again.id).toBe(first.id);
  });

  test('return a refusal as a value', async () => {
    const refusal = await organization.typed('ann').attempt('POST /messages', {
      type: 'stream',
      to: 'nowhere',
      topic: 'x',
      content: 'x',
    });
    expect(refusal).toMatchObject({ code: 'STREAM_DOES_NOT_EXIST', stream: 'nowhere' });
  });
});

test('replay delivers a stream message to a mentioned bot that is not in the stream, and no private message', async () => {
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
  await cluster.kill('events', 0, 'SIGTERM');
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
