/** Two people go on talking while parts of the server are killed and their network is gone. */
import type { Browser } from 'playwright-core';
import { waitUntil } from '@parley/test-kit';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { startSmallOrganization } from '../api/small-organization.ts';
import type { SmallOrganization } from '../api/small-organization.ts';
import { Reader, launchBrowser, wholeSystem } from './reader.ts';

let organization: SmallOrganization;
let browser: Browser;
let ann: Reader;
let bob: Reader;
const sent: string[] = [];

beforeAll(async () => {
  organization = await startSmallOrganization(wholeSystem(2, { ownProcesses: true }));
  const client = organization.typed('ann');
  await client.request('POST /users/me/subscriptions', {
    subscriptions: [{ name: 'garden' }],
    principals: [organization.id('ann'), organization.id('bob')],
  });
  const { stream_id: streamId } = await client.request('GET /get_stream_id', { stream: 'garden' });
  browser = await launchBrowser();
  const { url } = organization.cluster;
  ann = await Reader.signIn(browser, url, { email: 'ann@example.com', password: 'ann-secret' });
  bob = await Reader.signIn(browser, url, { email: 'bob@example.com', password: 'bob-secret' });
  for (const reader of [ann, bob]) await reader.goTo(`#narrow/stream/${streamId}-garden/topic/x`);
});

afterAll(async () => {
  await browser?.close();
  await organization?.stop();
});

async function say(reader: Reader, text: string): Promise<void> {
  sent.push(text);
  await reader.send(text);
}

/** The texts of the messages in the page, without those that are on their way. */
async function shownIn({ page }: Reader): Promise<readonly string[]> {
  return page.locator('[role=log] [data-message-id] .content').allInnerTexts();
}

/** Waits until both pages show exactly what the server has, which is all that was sent, once each. */
async function expectAgreement(): Promise<void> {
  await waitUntil(
    'both browsers show everything that was sent',
    async () => {
      const shown = await Promise.all([ann, bob].map(shownIn));
      return shown.every((texts) => texts.length === sent.length);
    },
    { deadlineMs: 90_000 },
  );
  const { messages } = await organization.typed('bob').request('GET /messages', {
    anchor: 'newest',
    num_before: 100,
    num_after: 0,
    narrow: [{ operator: 'topic', operand: 'x' }],
    apply_markdown: false,
  });
  const stored = messages.map(({ content }) => content);
  expect(stored.toSorted()).toEqual(sent.toSorted());
  for (const reader of [ann, bob]) expect(await shownIn(reader)).toEqual(stored);
}

test.each(['events', 'messages'] as const)(
  'a killed process of %s costs no message and repeats none',
  async (service) => {
    await say(ann, `before ${service}`);
    await organization.cluster.kill(service, 0);
    await say(ann, `without ${service}, by Ann`);
    await say(bob, `without ${service}, by Bob`);
    await organization.cluster.startAnother(service);
    await say(bob, `after ${service}`);
    await expectAgreement();
  },
);

test('what is written offline is sent when the network is back, and nothing is missed', async () => {
  await bob.page.context().setOffline(true);
  await say(ann, 'while Bob is offline');
  await say(bob, 'written offline');
  await bob.page.context().setOffline(false);
  await expectAgreement();
});

test('a deleted queue is replaced, and nothing is missed', async () => {
  const { rows } = await organization.pool.query<{ queue_id: string }>({
    text: 'SELECT queue_id FROM event_queues WHERE user_id = $1',
    values: [organization.id('bob')],
  });
  for (const { queue_id } of rows)
    await organization.typed('bob').request('DELETE /events', { queue_id });
  expect(rows.length).toBeGreaterThan(0);
  await say(ann, 'after the queue is gone');
  await expectAgreement();
});
