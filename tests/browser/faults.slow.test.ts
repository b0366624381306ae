/** Two people go on talking while parts of the server are killed and their network is gone. */
import { waitUntil } from '@parley/test-kit';
import { expect, test } from 'vitest';

import { startBrowserTests } from './browser-system.ts';
import type { Visitor } from './visitor.ts';

const { system, visit } = startBrowserTests({ ownProcesses: true });

/** A conversation of Ann and Bob, each in a browser of their own. */
type Talk = {
  readonly topic: string;
  readonly ann: Visitor;
  readonly bob: Visitor;
  readonly sent: string[];
};

async function begin(topic: string): Promise<Talk> {
  const talk = { topic, ann: await visit(), bob: await visit(), sent: [] };
  const { ann, bob, general } = system();
  const address = `#narrow/stream/${general.id}-general/topic/${topic}`;
  await talk.ann.enter(ann, address);
  await talk.bob.enter(bob, address);
  for (const visitor of [talk.ann, talk.bob]) {
    visitor.expectOutage();
    await visitor.composeField.waitFor();
  }
  return talk;
}

async function say({ sent }: Talk, visitor: Visitor, text: string): Promise<void> {
  sent.push(text);
  await visitor.send(text);
}

/** The texts of the messages in the page, without those that are on their way. */
async function shownIn({ page }: Visitor): Promise<readonly string[]> {
  return page.locator('[role=log] [data-message-id] .content').allInnerTexts();
}

/** Waits until both pages show exactly what the server has, which is all that was sent, once each. */
async function expectAgreement({ topic, ann, bob, sent }: Talk): Promise<void> {
  const visitors = [ann, bob];
  await waitUntil(
    'both browsers show everything that was sent',
    async () => {
      const shown = await Promise.all(visitors.map(shownIn));
      return shown.every((texts) => texts.length === sent.length);
    },
    { deadlineMs: 90_000 },
  );
  const { messages } = await system().bob.typed.request('GET /messages', {
    anchor: 'newest',
    num_before: 100,
    num_after: 0,
    narrow: [{ operator: 'topic', operand: topic }],
    apply_markdown: false,
  });
  const stored = messages.map(({ content }) => content);
  expect(stored.toSorted()).toEqual(sent.toSorted());
  for (const visitor of visitors) expect(await shownIn(visitor)).toEqual(stored);
}

test.each(['events', 'messages'] as const)(
  'a killed process of %s costs no message and repeats none',
  async (service) => {
    const talk = await begin(`kill ${service}`);
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
  const talk = await begin('offline');
  await talk.bob.context.setOffline(true);
  await say(talk, talk.ann, 'while Bob is offline');
  await say(talk, talk.bob, 'written offline');
  await talk.bob.context.setOffline(false);
  await expectAgreement(talk);
});

test('a deleted queue is replaced, and nothing is missed', async () => {
  const talk = await begin('deleted queue');
  const queues = new Set<string>();
  talk.bob.page.on('request', (request) => {
    const queueId = new URL(request.url()).searchParams.get('queue_id');
    if (queueId !== null) queues.add(queueId);
  });
  // The next stream of events has the queue's id in its address.
  await talk.bob.context.setOffline(true);
  await talk.bob.context.setOffline(false);
  await waitUntil('the page follows its queue', () => Promise.resolve(queues.size > 0));
  for (const queue_id of queues) await system().bob.typed.request('DELETE /events', { queue_id });
  await say(talk, talk.ann, 'after the queue is gone');
  await expectAgreement(talk);
});
