/** Two people go on talking while parts of the server are killed and their network is gone. */
import { waitUntil } from '@parley/test-kit';
import { test } from 'vitest';

import { startBrowserTests } from './browser-system.ts';
import { beginTalk, expectAgreement, say } from './talk.ts';
import type { Visitor } from './visitor.ts';

const tests = startBrowserTests({ ownProcesses: true });
const { system } = tests;

test.each(['events', 'messages'] as const)(
  'a killed process of %s costs no message and repeats none',
  async (service) => {
    const talk = await beginTalk(tests, `kill ${service}`);
    await say(talk, talk.ann, `before ${service}`);
    await system().cluster.kill(service, 0);
    await say(talk, talk.ann, `without ${service}, by Ann`);
    await say(talk, talk.bob, `without ${service}, by Bob`);
    await system().cluster.startAnother(service);
    await say(talk, talk.bob, `after ${service}`);
    await expectAgreement(talk);
  },
);

test('what is written offline is sent when the network is back, and nothing is missed', async () => {
  const talk = await beginTalk(tests, 'offline');
  await talk.bob.context.setOffline(true);
  await say(talk, talk.ann, 'while Bob is offline');
  await say(talk, talk.bob, 'written offline');
  await talk.bob.context.setOffline(false);
  await expectAgreement(talk);
});

test('a deleted queue is replaced, and nothing is missed', async () => {
  /** The ids of the queues that each window follows: its streams of events have them in their addresses. */
  const followed = new Map<Visitor, string>();
  const talk = await beginTalk(tests, 'deleted queue', (visitor) => {
    visitor.page.on('request', (request) => {
      const queueId = new URL(request.url()).searchParams.get('queue_id');
      if (queueId !== null) followed.set(visitor, queueId);
    });
    return Promise.resolve();
  });
  const queue_id = await waitUntil('the page follows its queue', () => followed.get(talk.bob));
  await system().bob.typed.request('DELETE /events', { queue_id });
  await say(talk, talk.ann, 'after the queue is gone');
  await expectAgreement(talk);
});
