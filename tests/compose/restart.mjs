// Everything except the volumes is stopped and removed, and started again.

import assert from 'node:assert/strict';
import { openQueue } from './api-client.mjs';
import { bringDown } from './system.mjs';

const topic = 'restart';
const deliveryTimeoutMs = 60_000;

async function send(client, stream, content) {
  const { body } = await client.request('POST', 'messages', {
    type: 'stream',
    to: stream,
    subject: topic,
    content,
  });
  return body.id;
}

/** The newest messages as a user sees them, with the user's read flags. */
export async function fetchMessages(client) {
  const { body } = await client.request('GET', 'messages', {
    anchor: 'newest',
    num_before: 100,
    num_after: 0,
  });
  return body.messages.map(({ id, sender_id, content, flags, display_recipient, subject }) => ({
    id,
    sender_id,
    content,
    flags: flags.toSorted(),
    display_recipient,
    subject,
  }));
}

/**
 * @param {{ kind: string, compose: object, stream: string, start: () => Promise<unknown>, awaitHealthy: () => Promise<unknown>, connect: () => Promise<any[]> }} system
 * @param {any[]} clients of the running system
 */
export async function testRestart(
  check,
  { kind, compose, stream, start, awaitHealthy, connect },
  clients,
) {
  const before = await check('somebody reads a part of what is there', async () => {
    const [sender, reader] = clients;
    const ids = [];
    for (let i = 0; i < 3; i++) ids.push(await send(sender, stream, `before the restart ${i}`));
    await reader.request('POST', 'messages/flags', {
      messages: [ids[0]],
      op: 'add',
      flag: 'read',
    });
    await reader.request('POST', 'messages/flags', {
      messages: [ids[2]],
      op: 'add',
      flag: 'starred',
    });
    const queue = await openQueue(reader, topic);
    const lateId = await send(sender, stream, 'unread by its queue at the restart');
    const seen = await Promise.all(clients.map(fetchMessages));
    const flagsOf = (id) => seen[1].find((message) => message.id === id).flags;
    assert.deepEqual([flagsOf(ids[0]), flagsOf(ids[1])], [['read'], []]);
    return { queue, lateId, seen };
  });
  await check('all containers are removed, the volumes stay', async () => {
    const volumes = await compose.listVolumes();
    await bringDown(compose);
    assert.deepEqual(await compose.inspectContainers(), []);
    assert.deepEqual(await compose.listVolumes(), volumes);
  });
  await check(`the system starts again, ${kind}`, async () => {
    await start();
    await awaitHealthy();
  });
  const again = await check(
    'the same keys sign in; messages, read state and stars are there',
    async () => {
      const connected = await connect();
      assert.deepEqual(await Promise.all(connected.map(fetchMessages)), before.seen);
      return connected;
    },
  );
  await check('a queue from before goes on, with nothing lost or repeated', async () => {
    const queue = before.queue.goOn(again[1]);
    const newId = await send(again[0], stream, 'after the restart');
    assert.ok(newId > before.lateId, `message ${newId} after ${before.lateId}`);
    await queue.readMessages(2, { failuresMax: 1, deadlineMs: deliveryTimeoutMs });
    assert.deepEqual(queue.messageIds, [before.lateId, newId]);
    await queue.close();
  });
}
