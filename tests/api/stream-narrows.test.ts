/** Narrows to a stream by name while names change: a name's meaning in an earlier request does not matter. */
import { readObjects } from '@parley/test-kit';
import { beforeEach, expect, test } from 'vitest';

import { useFixture } from '../support/use-fixture.ts';
import { refusalOf } from './message-fixture.ts';
import { startSmallOrganization } from './small-organization.ts';
import type { PersonKey } from './small-organization.ts';

const all = useFixture(() => startSmallOrganization({ messages: 1 }));

let tests = 0;
let name = '';
beforeEach(() => {
  tests += 1;
  name = `tide ${tests}`;
});

/** Creates a stream, sends a message and reads it by the stream's name, so that the service knows the name. */
async function makeKnown(content = 'known'): Promise<number> {
  const ann = all.client('ann');
  await ann.post('users/me/subscriptions', { subscriptions: JSON.stringify([{ name }]) });
  await ann.sendToStream(name, 'now', content);
  expect(await read(name)).toEqual([content]);
  return Number((await ann.get('get_stream_id', { stream: name }))['stream_id']);
}

/** @returns the contents of a page */
async function read(
  stream: string | number,
  topic = 'now',
  anchor = 'newest',
  who: PersonKey = 'ann',
): Promise<unknown[]> {
  const page = await all.client(who).get('messages', {
    anchor,
    num_before: 5,
    num_after: 5,
    apply_markdown: false,
    narrow: JSON.stringify([{ operator: 'stream', operand: stream }, ['topic', topic]]),
  });
  return readObjects(page, 'messages').map(({ content }) => content);
}

const unknown = (stream: string | number): object => ({
  code: 'BAD_NARROW',
  desc: `unknown stream ${stream}`,
});

test.each(['newest', 'first_unread'])('a renamed stream (%s)', async (anchor) => {
  const id = await makeKnown();
  await all.client('ann').patch(`streams/${id}`, { new_name: JSON.stringify(`other ${name}`) });
  expect(await refusalOf(read(name, 'now', anchor))).toMatchObject(unknown(name));
  expect(await refusalOf(read(name, 'nothing here', anchor))).toMatchObject(unknown(name));
  expect(await read(`OTHER ${name}`, 'now', anchor)).toEqual(['known']);
});

test('a name that another stream has taken over', async () => {
  const id = await makeKnown();
  await all.client('ann').patch(`streams/${id}`, { new_name: JSON.stringify(`former ${name}`) });
  // The service must notice by itself, because no request in between used the name.
  await all
    .client('bob')
    .post('users/me/subscriptions', { subscriptions: JSON.stringify([{ name }]) });
  await all
    .client('bob')
    .post('messages', { type: 'stream', to: name, topic: 'now', content: 'new' });
  expect(await read(name)).toEqual(['new']);
  expect(await read(name.toUpperCase())).toEqual(['new']);
  expect(await read(`former ${name}`)).toEqual(['known']);
});

test.each(['now', 'nothing here'])('a deactivated stream (%s)', async (topic) => {
  const id = await makeKnown();
  await all.client('ann').delete(`streams/${id}`);
  expect(await refusalOf(read(name, topic))).toMatchObject(unknown(name));
});

test('a deactivated stream is read by its id and its new name, and unknown to those who were never in it', async () => {
  const id = await makeKnown();
  await all.client('bob').subscribe(name);
  await all
    .client('bob')
    .post('messages', { type: 'stream', to: name, topic: 'now', content: 'too' });
  await all.client('ann').delete(`streams/${id}`);
  for (const stream of [id, `!DEACTIVATED:${name}`]) {
    expect(await read(stream)).toEqual(['known', 'too']);
    expect(await read(stream, 'now', 'newest', 'bob')).toEqual(['too']);
    expect(await refusalOf(read(stream, 'now', 'newest', 'cat'))).toMatchObject(unknown(stream));
    expect(await refusalOf(read(stream, 'now', 'newest', 'gil'))).toMatchObject(unknown(stream));
  }
});

test('a topic without messages is an empty list, each time', async () => {
  await makeKnown();
  expect(await read(name, 'nothing here')).toEqual([]);
  expect(await read(name, 'nothing here', 'first_unread')).toEqual([]);
});
