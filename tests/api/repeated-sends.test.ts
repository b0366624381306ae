/** A send that is repeated with its key is executed once (architecture, A send). */
import type { Parameters, TestAccount } from '@parley/test-kit';
import { beforeAll, expect, test } from 'vitest';

import { useFixture } from '../support/use-fixture.ts';
import { fetchMessages, refusalOf, startMessageFixture } from './message-fixture.ts';

const all = useFixture(() => startMessageFixture({ gateways: 2, messages: 2 }));
beforeAll(async () => {
  const { organization, ann, bob, cat } = all;
  await organization.makeStream('Denmark', [ann, bob, cat]);
});

type Key = { readonly headers?: Record<string, string>; readonly parameters?: Parameters };

const ownHeader = (key: string): Key => ({ headers: { 'idempotency-key': key } });
const localId = (key: string): Key => ({ parameters: { queue_id: 'a queue', local_id: key } });

async function send(account: TestAccount, message: Parameters, key: Key): Promise<unknown> {
  const body = await account.client.post(
    'messages',
    { type: 'stream', to: 'Denmark', content: 'hello', ...message, ...key.parameters },
    key.headers === undefined ? {} : { headers: key.headers },
  );
  return body['id'];
}

async function countIn(topic: string): Promise<number> {
  return (await fetchMessages(all.ann, { narrow: [['topic', topic]] })).ids.length;
}

test.each([
  ['Idempotency-Key', ownHeader('at once')],
  ['queue_id and local_id', localId('at once')],
])('thirty concurrent repeats with one %s create one message', async (name, key) => {
  const topic = `at once by ${name}`;
  const ids = await Promise.all(
    Array.from({ length: 30 }, async () => send(all.bob, { topic }, key)),
  );
  expect(new Set(ids).size).toBe(1);
  expect(await countIn(topic)).toBe(1);
  expect(await send(all.bob, { topic }, key)).toBe(ids[0]);
});

test('a key belongs to one user', async () => {
  const key = ownHeader('shared');
  const ids = await Promise.all(
    [all.ann, all.bob, all.cat].map(async (one) => send(one, { topic: 'own keys' }, key)),
  );
  expect(new Set(ids).size).toBe(3);
});

test('a refused request does not use up its key', async () => {
  const key = ownHeader('refused');
  const message = { to: 'Norway', topic: 'refused' };
  expect(await refusalOf(send(all.bob, message, key))).toMatchObject({
    status: 400,
    code: 'STREAM_DOES_NOT_EXIST',
  });
  await all.organization.makeStream('Norway', [all.ann, all.bob]);
  expect(await refusalOf(send(all.bob, { ...message, content: ' ' }, key))).toMatchObject({
    msg: 'Message must not be empty',
  });
  const id = await send(all.bob, message, key);
  expect(await send(all.bob, message, key)).toBe(id);
});

test.each([
  ['Idempotency-Key', ownHeader('renamed')],
  ['queue_id and local_id', localId('renamed')],
])('a repeat with %s gets the first answer even if it would be refused now', async (name, key) => {
  const { organization, pool, bob } = all;
  const from = `Finland ${name}`;
  await organization.makeStream(from, [bob]);
  const message = { to: from, topic: 'renamed' };
  const id = await send(bob, message, key);
  await pool.query({
    text: 'UPDATE streams SET name = $2, name_folded = upper($2), version = version + 1 WHERE name = $1',
    values: [from, `Suomi ${name}`],
  });
  expect(await send(bob, message, key)).toBe(id);
  expect(await refusalOf(send(bob, { ...message, content: 'other' }, key))).toMatchObject({
    code: 'STREAM_DOES_NOT_EXIST',
  });
});
