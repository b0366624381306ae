/** Deleting a whole topic (reference facts, streams 8.3). */
import { beforeEach, expect, test } from 'vitest';

import { useFixture } from '../support/use-fixture.ts';
import { fetchMessages, refusalOf } from './message-fixture.ts';
import { expectRefusal, missing, success } from './refusals.ts';
import { StreamFixture, forEach } from './stream-fixture.ts';

const all = useFixture(() => StreamFixture.start());
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
  await cat.client.flag([second], 'starred');
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
  await expectRefusal(bob.client.get(`messages/${first}`), 'Invalid message(s)');
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
  await expectRefusal(deleteTopic(id, 'x'), 'Invalid stream id');
  await all.join('bob', ['closed'], { principals: [ann.email] });
  await bob.client.sendToStream('closed', 'x', 'after');
  await all.queues.read();
  expect(await deleteTopic(id, 'x')).toEqual(success);
  expect(await all.kinds()).toEqual(forEach(['ann', 'bob'], ['delete_message']));
  expect((await fetchMessages(bob, { narrow: [['stream', 'closed']] })).ids).toEqual([before]);
});

test('requires an existing stream and a topic', async () => {
  const { id } = await all.all.organization.makeStream('guarded', [all.people.bob]);
  await expectRefusal(deleteTopic(999_999, 'x'), 'Invalid stream id');
  await expectRefusal(deleteTopic(id, undefined), missing('topic_name'));
  expect(await refusalOf(deleteTopic(id, 'a\0b'))).toMatchObject({
    code: 'REQUEST_VARIABLE_INVALID',
  });
});
