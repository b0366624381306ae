/** People go on when Redis is killed, streams of events do not pass, the network is gone, the machine slept, or a send fails. */
import { FaultProxy, startTestRedis, waitUntil } from '@parley/test-kit';
import { afterAll, expect, test } from 'vitest';

import { sendTo, startBrowserTests } from './browser-system.ts';
import { beginTalk, beginWriting, expectAgreement, say } from './talk.ts';
import { expectGone, expectShown } from './visitor.ts';
import type { Visitor } from './visitor.ts';

const redis = await startTestRedis();
const proxy = await FaultProxy.start(redis.url);
afterAll(async () => {
  await proxy.stop();
  await redis.stop();
});
const tests = startBrowserTests({ redisUrl: proxy.through(redis.url) });

function connectionNote({ page }: Visitor) {
  return page.getByRole('status').filter({ hasText: /Connecting|You are offline/ });
}

test('a killed Redis, which comes back empty, costs no message and repeats none', async () => {
  const talk = await beginTalk(tests, 'redis');
  await say(talk, talk.ann, 'before');
  await redis.kill();
  await say(talk, talk.ann, 'without Redis, by Ann');
  await say(talk, talk.bob, 'without Redis, by Bob');
  const expectKept = await beginWriting(talk.bob);
  await redis.startAgain();
  proxy.retarget(redis.url);
  await say(talk, talk.ann, 'after');
  await expectAgreement(talk);
  for (const visitor of [talk.ann, talk.bob]) await expectGone(connectionNote(visitor));
  await expectKept();
});

test('where streams of events do not pass, the page goes on by polls', async () => {
  const polls = new Set<string>();
  const talk = await beginTalk(tests, 'polls', async ({ context, page }) => {
    await context.route('**/api/v1/events/stream?*', (route) => route.abort());
    page.on('response', (response) => {
      const { pathname } = new URL(response.url());
      if (pathname === '/api/v1/events') polls.add(pathname);
    });
  });
  await say(talk, talk.ann, 'by polls, from Ann');
  await say(talk, talk.bob, 'by polls, from Bob');
  const expectKept = await beginWriting(talk.bob);
  await say(talk, talk.ann, 'and again');
  await expectAgreement(talk);
  for (const visitor of [talk.ann, talk.bob]) await expectGone(connectionNote(visitor));
  await expectKept();
  expect(polls.size).toBe(1);
});

test('after a sleep of the machine the page connects anew, and nothing is missed', async () => {
  const talk = await beginTalk(tests, 'sleep', ({ page }) => page.clock.install());
  await say(talk, talk.ann, 'before');
  await expectShown(talk.bob.message('before'));
  const expectKept = await beginWriting(talk.bob);
  const { page } = talk.bob;
  const connecting = page.waitForRequest(/\/events\/stream\?/);
  // A sleep advances the time of day, but not the clock of timers.
  await page.clock.setSystemTime((await page.evaluate(() => Date.now())) + 8 * 3_600_000);
  await page.clock.fastForward(31_000);
  await connecting;
  await say(talk, talk.ann, 'after');
  await expectAgreement(talk);
  await expectGone(connectionNote(talk.bob));
  await expectKept();
});

test('without a network the page says so quietly, and stops saying it', async () => {
  const talk = await beginTalk(tests, 'offline');
  await say(talk, talk.ann, 'before');
  await expectShown(talk.bob.message('before'));
  const expectKept = await beginWriting(talk.bob);
  await talk.bob.context.setOffline(true);
  await expectShown(talk.bob.page.getByRole('status').filter({ hasText: 'You are offline' }));
  await say(talk, talk.ann, 'meanwhile');
  await talk.bob.context.setOffline(false);
  await expectGone(connectionNote(talk.bob));
  await expectAgreement(talk);
  await expectKept();
});

test('a send whose answers are lost says so, and is sent again, once', async () => {
  const talk = await beginTalk(tests, 'failing');
  const { page, context } = talk.ann;
  // Neither the answers nor the event tell the page that the server has it.
  await page.route('**/api/v1/events**', (route) => route.abort());
  await context.setOffline(true);
  await context.setOffline(false);
  let taken = 0;
  await page.route('**/api/v1/messages', async (route) => {
    const headers = { ...(await route.request().allHeaders()), 'sec-fetch-site': 'same-origin' };
    const answer = await route.fetch({ headers });
    if (answer.ok()) taken += 1;
    await route.abort();
  });
  await say(talk, talk.ann, 'is anybody there?');
  const failed = page.getByRole('alert').filter({ hasText: 'is anybody there?' });
  await expectShown(failed.filter({ hasText: 'The server cannot be reached.' }));
  const takenFirst = taken;
  expect(takenFirst).toBeGreaterThan(0);
  await failed.getByRole('button', { name: 'Send again' }).click();
  await waitUntil('it is sent again', () => Promise.resolve(taken > takenFirst));
  await page.unrouteAll({ behavior: 'wait' });
  await expectAgreement(talk);
  await expectGone(failed);
});

test('what is unread agrees between two devices of a person', async () => {
  const { ann, bob, general } = tests.system();
  await bob.typed.request('POST /mark_all_as_read');
  const devices = [await tests.visit(), await tests.visit()];
  const [, second] = devices;
  const expectTitles = async (what: string, begin: RegExp): Promise<void> => {
    for (const { page } of devices)
      await waitUntil(what, async () => begin.test(await page.title()));
  };
  for (const device of devices) await device.enter(bob, '#recent');
  await expectTitles('nothing is unread', /^[^(].*Test Organization$/);
  const first = await sendTo(ann, general, 'devices', 'one');
  await sendTo(ann, general, 'devices', 'two');
  await expectTitles('both are unread on both', /^\(2\) /);
  await second?.page.bringToFront();
  await second?.go(`#narrow/stream/${general.id}-general/topic/devices`);
  await expectTitles('what was read on one is read on the other', /^[^(]/);
  await second?.go('#recent');
  await bob.typed.request('POST /messages/flags', {
    messages: [first],
    op: 'remove',
    flag: 'read',
  });
  await expectTitles('what was marked as unread elsewhere is unread on both', /^\(1\) /);
});
