/** What people do all day in the web client, by two of them at once. */
import { expect, test } from 'vitest';

import { annPassword, sendTo, startBrowserTests } from './browser-system.ts';
import { expectGone, expectShown } from './visitor.ts';
import type { Visitor } from './visitor.ts';

const { system, visit } = startBrowserTests();

function addressOf(topic: string): string {
  return `#narrow/stream/${system().general.id}-general/topic/${topic}`;
}

/** Ann and Bob, each in a browser of their own, at a topic with one message. */
async function meetIn(topic: string): Promise<{ readonly ann: Visitor; readonly bob: Visitor }> {
  const accounts = system();
  await sendTo(accounts.bob, accounts.general, topic, 'The first rose is open.');
  const [ann, bob] = [await visit(), await visit()];
  await ann.enter(accounts.ann, addressOf(topic));
  await bob.enter(accounts.bob, addressOf(topic));
  for (const visitor of [ann, bob]) await expectShown(visitor.message('The first rose is open.'));
  return { ann, bob };
}

test('a message is rendered and reaches the other browser once', async () => {
  const { ann, bob } = await meetIn('rendered');
  await ann.send('They need **water**');
  for (const visitor of [ann, bob])
    await expectShown(visitor.message('They need water').locator('strong', { hasText: 'water' }));
  await expectGone(ann.page.locator('[data-pending]'));
  expect(await ann.message('They need water').count()).toBe(1);
});

test('an edit reaches the other browser', async () => {
  const { ann, bob } = await meetIn('edited');
  await ann.send('They need water');
  const own = ann.message('They need water').and(ann.page.locator('[data-message-id]'));
  await own.hover();
  await own.getByRole('button', { name: 'More actions' }).click();
  await ann.page.getByRole('menuitem', { name: 'Edit', exact: true }).click();
  await ann.page.getByRole('log').getByRole('textbox').fill('They had rain');
  await ann.page.keyboard.press('Control+Enter');
  await expectShown(bob.message('They had rain'));
});

test('what is unread is counted, and read once it was seen', async () => {
  const { ann, bob } = await meetIn('counted');
  await bob.go('#recent');
  const row = bob.page.getByRole('listitem').filter({ hasText: 'counted' });
  await expectShown(row.first());
  await ann.send('Unread in the other browser');
  await expectShown(row.getByRole('img', { name: '1 unread' }).first());
  await bob.page.bringToFront();
  await bob.go(addressOf('counted'));
  await expectShown(bob.message('Unread in the other browser'));
  await bob.go('#recent');
  await expectGone(row.getByRole('img', { name: '1 unread' }).first());
});

test('back, forward and reload keep the place', async () => {
  const { bob } = await meetIn('places');
  const starred = bob.page.getByRole('heading', { name: 'Starred' });
  await bob.go('#narrow/is/starred');
  await expectShown(starred);
  await bob.page.goBack();
  await expectShown(bob.message('The first rose is open.'));
  await bob.page.goForward();
  await expectShown(starred);
  await bob.page.reload();
  await expectShown(starred);
});

test('a person signs in by the page, a draft survives a reload, and signing out leaves nothing in the browser', async () => {
  const visitor = await visit();
  const { page } = visitor;
  const signIn = page.getByRole('button', { name: 'Sign in', exact: true });
  await visitor.go('');
  await page.getByLabel('Email address').fill(system().ann.email);
  await page.getByLabel('Password').fill(annPassword);
  await signIn.click();
  await expectShown(page.getByRole('navigation'));
  await visitor.go(addressOf('drafts'));
  await visitor.composeField.fill('Not finished');
  await visitor.go('#drafts');
  await expectShown(page.getByText('Not finished').first());
  await page.reload();
  await expectShown(page.getByText('Not finished').first());
  await page.getByRole('button', { name: 'Your account' }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await expectShown(signIn);
  expect(await page.evaluate(() => Object.keys(localStorage))).toEqual([]);
  await page.reload();
  await expectShown(signIn);
});
