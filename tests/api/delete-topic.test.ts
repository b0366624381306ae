/** Deleting a whole topic (reference facts, streams 8.3). */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';

import { fetchMessages, refusalOf } from './message-fixture.ts';
import { StreamFixture, coded, forEach, mustBeAdministrator, success } from './stream-fixture.ts';

let all: StreamFixture;
beforeAll(async () => {
  all = await StreamFixture.start();
});
afterAll(() => all.stop());
beforeEach(async () => {
  await all.queues.read();
});

const deleteTopic = (streamId: number, topic: unknown): Promise<unknown> =>
  all.people.ann.client.post(`streams/${streamId}/delete_topic`, { topic_name: topic });

test('deletes every message in any letter case, and sends holders one event for each', async () => {
  const { organization } = all.all;
  const { bob, cat, guest } = all.people;
  const { id } = await organization.makeStream('room', [bob, guest]);
  const first = await bob.client.sendToStream('room', 'Lunch', 'one');
  const second = await bob.client.sendToStream('room', 'LUNCH', 'two');
  const kept = await bob.client.sendToStream('room', 'dinner', 'three');
  // A user who starred a message holds it too.
  await cat.client.post('messages/flags', { messages: [second], op: 'add', flag: 'starred' });
  await all.queues.read();
  expect(await deleteTopic(id, 'lunch')).toEqual(success);
  const { bob: ofBob, ...others } = await all.queues.read();
  const event = (message: number, topic: string): object => ({
    type: 'delete_message',
    message_id: message,
    sender: bob.email,
    sender_id: bob.id,
    message_type: 'stream',
    stream_id: id,
    topic,
  });
  expect(ofBob).toEqual([event(first, 'Lunch'), event(second, 'LUNCH')]);
  expect(others).toEqual({
    guest: [event(first, 'Lunch'), event(second, 'LUNCH')],
    cat: [event(second, 'LUNCH')],
  });
  expect((await fetchMessages(bob, { narrow: [['stream', 'room']] })).ids).toEqual([kept]);
  expect(await refusalOf(bob.client.get(`messages/${first}`))).toMatchObject({
    msg: 'Invalid message(s)',
  });
});

test('deletes a large topic completely, in several transactions', async () => {
  const { bob, ann } = all.people;
  const { id } = await all.all.organization.makeStream('large', [bob]);
  for (let n = 0; n < 12; n += 1)
    await Promise.all(
      Array.from({ length: 50 }, (_, k) => bob.client.sendToStream('large', 'bulk', `${n} ${k}`)),
    );
  await bob.client.sendToStream('large', 'other', 'stays');
  await all.queues.read();
  expect(await deleteTopic(id, 'bulk')).toEqual(success);
  const { bob: ofBob } = await all.queues.read();
  expect(ofBob).toHaveLength(600);
  const ids = ofBob?.map((event) => event['message_id'] as number);
  expect(new Set(ids).size).toBe(600);
  expect(await ann.client.get(`users/me/${id}/topics`)).toMatchObject({
    topics: [{ name: 'other' }],
  });
});

test('succeeds for a topic without messages', async () => {
  const { id } = await all.all.organization.makeStream('empty', []);
  expect(await deleteTopic(id, 'nothing')).toEqual(success);
  expect(await all.kinds()).toEqual({});
});

test('in a private stream without shared history deletes only what the administrator received', async () => {
  const { ann, bob } = all.people;
  const { id } = await all.all.organization.makeStream('closed', [bob], { inviteOnly: true });
  const before = await bob.client.sendToStream('closed', 'x', 'before');
  expect(await refusalOf(deleteTopic(id, 'x'))).toEqual(coded('Invalid stream id'));
  await all.join('bob', ['closed'], { principals: [ann.email] });
  await bob.client.sendToStream('closed', 'x', 'after');
  await all.queues.read();
  expect(await deleteTopic(id, 'x')).toEqual(success);
  expect(await all.kinds()).toEqual(forEach(['ann', 'bob'], ['delete_message']));
  expect((await fetchMessages(bob, { narrow: [['stream', 'closed']] })).ids).toEqual([before]);
});

test('requires an administrator, an existing stream and a topic', async () => {
  const { id } = await all.all.organization.makeStream('guarded', [all.people.bob]);
  for (const who of ['bob', 'guest', 'bot'] as const)
    expect(
      await all.refusal(who, 'POST', `streams/${id}/delete_topic`, { topic_name: 'x' }),
    ).toEqual(mustBeAdministrator);
  expect(await refusalOf(deleteTopic(999_999, 'x'))).toEqual(coded('Invalid stream id'));
  expect(await refusalOf(deleteTopic(id, undefined))).toMatchObject({
    code: 'REQUEST_VARIABLE_MISSING',
    var_name: 'topic_name',
  });
  expect(await refusalOf(deleteTopic(id, 'a\0b'))).toMatchObject({
    code: 'REQUEST_VARIABLE_INVALID',
  });
});
