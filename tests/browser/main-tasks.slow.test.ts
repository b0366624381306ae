/** What people do all day in the web client, by two of them at once. */
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { startSmallOrganization } from '../api/small-organization.ts';
import type { SmallOrganization } from '../api/small-organization.ts';
import { Reader, expectGone, expectShown, launchBrowser, wholeSystem } from './reader.ts';

let organization: SmallOrganization;
let browser: Browser;
let ann: Reader;
let bob: Reader;
let topic: string;

beforeAll(async () => {
  organization = await startSmallOrganization(wholeSystem(2));
  const client = organization.typed('ann');
  await client.request('POST /users/me/subscriptions', {
    subscriptions: [{ name: 'garden' }],
    principals: [organization.id('ann'), organization.id('bob')],
  });
  await client.request('POST /messages', {
    type: 'stream',
    to: 'garden',
    topic: 'roses',
    content: 'The first rose is open.',
  });
  const { stream_id: streamId } = await client.request('GET /get_stream_id', { stream: 'garden' });
  topic = `#narrow/stream/${streamId}-garden/topic/roses`;
  browser = await launchBrowser();
  const { url } = organization.cluster;
  ann = await Reader.signIn(browser, url, { email: 'ann@example.com', password: 'ann-secret' });
  bob = await Reader.signIn(browser, url, { email: 'bob@example.com', password: 'bob-secret' });
});

afterAll(async () => {
  await browser?.close();
  await organization?.stop();
});

test('a message is rendered and reaches the other browser', async () => {
  for (const reader of [ann, bob]) {
    await reader.goTo(topic);
    await expectShown(reader.message('The first rose is open.'));
  }
  await ann.send('They need **water**');
  for (const reader of [ann, bob])
    await expectShown(reader.message('They need water').locator('strong', { hasText: 'water' }));
  expect(await ann.message('They need water').count()).toBe(1);
});

test('an edit reaches the other browser', async () => {
  const own = ann.message('They need water');
  await own.hover();
  await own.getByRole('button', { name: 'More actions' }).click();
  await ann.page.getByRole('menuitem', { name: 'Edit', exact: true }).click();
  await own.or(ann.page.getByRole('log')).getByRole('textbox').first().fill('They had rain');
  await ann.page.keyboard.press('Control+Enter');
  await expectShown(bob.message('They had rain'));
});

test('what is unread is counted, and read once it was seen', async () => {
  await bob.goTo('#recent');
  await expectShown(bob.page.getByRole('heading', { name: 'Recent conversations' }));
  await ann.send('Unread in the other browser');
  const row = bob.page.getByRole('listitem').filter({ hasText: 'roses' });
  await expectShown(row.getByRole('img', { name: '1 unread' }).first());
  await bob.page.bringToFront();
  await bob.goTo(topic);
  await expectShown(bob.message('Unread in the other browser'));
  await bob.goTo('#recent');
  await expectGone(row.getByRole('img', { name: '1 unread' }).first());
});

test('back, forward and reload keep the place', async () => {
  await bob.goTo(topic);
  await expectShown(bob.message('The first rose is open.'));
  await bob.goTo('#narrow/is/starred');
  await expectShown(bob.page.getByRole('heading', { name: 'Starred' }));
  await bob.page.goBack();
  await expectShown(bob.message('The first rose is open.'));
  await bob.page.goForward();
  await expectShown(bob.page.getByRole('heading', { name: 'Starred' }));
  await bob.page.reload();
  await expectShown(bob.page.getByRole('heading', { name: 'Starred' }));
});

test('a draft survives a reload', async () => {
  await ann.goTo(topic);
  await ann.page.getByRole('textbox', { name: 'Message', exact: true }).fill('Not finished');
  await ann.goTo('#drafts');
  await expectShown(ann.page.getByText('Not finished').first());
  await ann.page.reload();
  await expectShown(ann.page.getByText('Not finished').first());
});

test('signing out ends the session and erases drafts', async () => {
  await ann.page.getByRole('button', { name: 'Your account' }).click();
  await ann.page.getByRole('menuitem', { name: 'Sign out' }).click();
  await expectShown(ann.page.getByRole('button', { name: 'Sign in', exact: true }));
  expect(await ann.page.evaluate(() => Object.keys(localStorage))).toEqual([]);
  await ann.page.reload();
  await expectShown(ann.page.getByRole('button', { name: 'Sign in', exact: true }));
});

test('no browser reported anything', () => {
  expect([...ann.faults, ...bob.faults]).toEqual([]);
});
