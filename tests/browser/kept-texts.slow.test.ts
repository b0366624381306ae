/** What is written stays, wherever its topic goes, whoever else writes it, and whatever is pressed beside its field. */
import { waitUntil } from '@parley/test-kit';
import type { TestAccount } from '@parley/test-kit';
import { expect, test } from 'vitest';

import { sendTo, startBrowserTests } from './browser-system.ts';
import { expectGone, expectShown, expectWritten } from './visitor.ts';
import type { Visitor } from './visitor.ts';

const { system, visit } = startBrowserTests();

const wide = { viewport: { width: 1440, height: 900 } };
const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };

function fragmentOf(topic: string): string {
  return `#narrow/stream/${system().general.id}-general/topic/${topic}`;
}

async function rename(messageId: number, topic: string): Promise<void> {
  await system().ann.typed.request('PATCH /messages/{message_id}', {
    message_id: messageId,
    topic,
    propagate_mode: 'change_all',
  });
}

/** A person of the stream without any drafts. */
async function makeWriter(name: string): Promise<TestAccount> {
  const writer = await system().organization.makeAccount(name);
  await writer.typed.request('POST /users/me/subscriptions', {
    subscriptions: [{ name: 'general' }],
  });
  return writer;
}

/** Opens the client for a new person. */
async function arrive(
  name: string,
  fragment: string,
  window: Parameters<typeof visit>[0] = wide,
): Promise<Visitor> {
  const visitor = await visit(window);
  await visitor.enter(await makeWriter(name), fragment);
  return visitor;
}

/** The texts that the view of drafts has, the newest first. */
async function expectDrafts({ page }: Visitor, texts: readonly string[]): Promise<void> {
  let shown: readonly string[] = [];
  await waitUntil(
    'the drafts are there',
    async () => {
      shown = await page.locator('.written-list .source').allInnerTexts();
      return JSON.stringify(shown) === JSON.stringify(texts);
    },
    { describe: () => JSON.stringify(shown) },
  );
}

test('a draft joins what is being written where its topic went', async () => {
  const { bob, general } = system();
  const id = await sendTo(bob, general, 'ship', 'A ship');
  await sendTo(bob, general, 'boat', 'A boat');
  const visitor = await arrive('Wes Joins', fragmentOf('ship'));
  await visitor.composeField.fill('Of the ship');
  await visitor.go(fragmentOf('boat'));
  await expectShown(visitor.message('A boat'));
  await visitor.composeField.fill('Of the boat');
  await rename(id, 'boat');
  await expectWritten(visitor, 'Of the boat\n\nOf the ship');
  await visitor.composeField.press('End');
  await visitor.composeField.pressSequentially(', too');
  await visitor.go('#drafts');
  await expectDrafts(visitor, ['Of the boat\n\nOf the ship, too']);
});

test('whoever renames a topic goes on writing in it', async () => {
  const { bob, general } = system();
  await sendTo(bob, general, 'rename-here', 'A question');
  const visitor = await arrive('Wes Renames', fragmentOf('rename-here'));
  const { page } = visitor;
  await expectShown(visitor.message('A question'));
  await visitor.composeField.fill('Half an answer');
  await page.getByRole('main').getByRole('button', { name: 'What can be done here' }).click();
  await page.getByRole('menuitem', { name: 'Rename topic' }).click();
  const dialog = page.getByRole('dialog', { name: 'Rename the topic' });
  await dialog.getByRole('textbox', { name: 'New name' }).fill('renamed-here');
  await dialog.getByRole('button', { name: 'Rename' }).click();
  await visitor.expectAddress(fragmentOf('renamed-here'));
  await expectGone(dialog);
  await expectWritten(visitor, 'Half an answer');
  await visitor.go('#drafts');
  await expectDrafts(visitor, ['Half an answer']);
});

test('whoever writes elsewhere goes on there while what is shown is renamed', async () => {
  const { cat, general } = system();
  const id = await sendTo(cat, general, 'aside', 'A question');
  const visitor = await arrive('Wes Elsewhere', fragmentOf('aside'));
  const { page } = visitor;
  await expectShown(visitor.message('A question'));
  await page.getByRole('button', { name: 'Close' }).click();
  await page.getByRole('button', { name: 'New private message' }).click();
  await page.getByRole('combobox', { name: 'To people' }).fill('cat');
  await page.getByRole('option', { name: 'Cat Moe' }).click();
  await visitor.composeField.fill('Between us');
  await rename(id, 'aside-renamed');
  await visitor.expectAddress(fragmentOf('aside-renamed'));
  await expectWritten(visitor, 'Between us');
  await expectShown(page.locator('.compose .pill').filter({ hasText: 'Cat Moe' }));
});

test('a text goes along with a topic that moved while no events came', async () => {
  const { bob, general } = system();
  const id = await sendTo(bob, general, 'unheard', 'Good night');
  const writer = await makeWriter('Wes Unheard');
  const visitor = await visit({ ...wide, serviceWorkers: 'block' });
  const { context } = visitor;
  visitor.expectOutage();
  const queueIds = new Set<string>();
  context.on('request', (request) => {
    const queueId = new URL(request.url()).searchParams.get('queue_id');
    if (queueId !== null) queueIds.add(queueId);
  });
  await visitor.enter(writer, fragmentOf('unheard'));
  await expectShown(visitor.message('Good night'));
  await waitUntil('the page follows events', () => queueIds.size > 0);
  await visitor.composeField.fill('Sleep well');
  await context.setOffline(true);
  for (const queue_id of queueIds) await writer.typed.request('DELETE /events', { queue_id });
  await rename(id, 'heard');
  await context.setOffline(false);
  await visitor.expectAddress(fragmentOf('heard'));
  await expectWritten(visitor, 'Sleep well');
});

test('two tabs write one text', async () => {
  const { bob, general } = system();
  await sendTo(bob, general, 'two-tabs', 'Begin');
  const first = await arrive('Wes Tabs', fragmentOf('two-tabs'));
  await expectShown(first.message('Begin'));
  const second = await first.openTab(fragmentOf('two-tabs'));
  const field = second.getByRole('textbox', { name: 'Message' });
  await field.fill('From the second tab');
  await expectWritten(first, 'From the second tab');
  await first.composeField.fill('From the second tab, and the first');
  await waitUntil(
    'the second tab has it',
    async () => (await field.inputValue()) === 'From the second tab, and the first',
  );
  await first.page.getByRole('button', { name: 'Send', exact: true }).click();
  await waitUntil('both are empty', async () => (await field.inputValue()) === '');
  await expectShown(first.message('From the second tab, and the first'));
});

test('places that somebody visited follow renames', async () => {
  const { cat, general } = system();
  const id = await sendTo(cat, general, 'quince-old', 'A fruit');
  const visitor = await arrive('Wes Visits', fragmentOf('quince-old'));
  const { page } = visitor;
  await expectShown(visitor.message('A fruit'));
  await visitor.go('#drafts');
  await rename(id, 'quince-new');
  await waitUntil('the visit has the new name', () =>
    page.evaluate(() =>
      Object.keys(localStorage).some(
        (key) =>
          key.endsWith('/visited') && localStorage.getItem(key)?.includes('quince-new') === true,
      ),
    ),
  );
  await page.keyboard.press('Control+k');
  const dialog = page.getByRole('dialog', { name: 'Go to' });
  await dialog.getByRole('combobox').fill('quince');
  await expectShown(dialog.getByRole('option', { name: /quince-new/ }));
  expect(await dialog.getByRole('option', { name: /quince-old/ }).count()).toBe(0);
});

test('a conversation that is pressed can be written in at once, however late its field is drawn', async () => {
  const { bob, ann, general } = system();
  const reader = await makeWriter('Wes Late');
  await sendTo(bob, general, 'from-inbox', 'From the inbox');
  await sendTo(ann, general, 'held-back', 'Held back');
  const visitor = await visit({ ...wide, serviceWorkers: 'block' });
  const { page } = visitor;
  // No worker answers for the network here, which the page reports.
  visitor.expectOutage();
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  await page.route(/\/assets\/compose-area-[^/]*\.js$/, async (route) => {
    await released;
    await route.continue();
  });
  await visitor.enter(reader, '#recent');
  await page.getByRole('main').getByRole('link', { name: 'held-back' }).click();
  await expectShown(visitor.message('Held back'));
  release();
  await expectShown(page.locator('.compose textarea:focus'));
  await visitor.go('#inbox');
  await page.getByRole('main').getByRole('link', { name: 'from-inbox' }).click();
  await expectShown(visitor.message('From the inbox'));
  await expectShown(page.locator('.compose textarea:focus'));
});

test('in a low window nothing folds under the finger', async () => {
  const { ann, cat } = system();
  const visitor = await arrive(
    'Wes Low',
    `#narrow/pm-with/${[ann.id, cat.id].toSorted((one, other) => one - other).join(',')}-group`,
    {
      ...phone,
      // A keyboard takes the rest.
      viewport: { width: 390, height: 420 },
    },
  );
  const { page, composeField } = visitor;
  const send = page.getByRole('button', { name: 'Send', exact: true });
  await composeField.tap();
  await expectShown(send);
  const field = page.locator('.compose textarea:focus');
  // Nothing is written, so that it cannot be pressed.
  const box = await send.boundingBox();
  await page.touchscreen.tap((box?.x ?? 0) + 5, (box?.y ?? 0) + 5);
  await expectShown(field);
  await expectShown(send);
  await composeField.fill('Something **bold**');
  const preview = page.getByRole('button', { name: 'Preview' });
  await preview.tap();
  await expectShown(page.getByRole('region', { name: 'Preview' }).locator('strong'));
  await expectShown(send);
  await preview.tap();
  await expectShown(field);
  await page.getByRole('button', { name: 'Remove Cat Moe' }).tap();
  await expectGone(page.locator('.pill').filter({ hasText: 'Cat Moe' }));
  await expectShown(field);
  await expectShown(send);
  await page.getByRole('button', { name: 'Choose an emoji' }).tap();
  const picker = page.getByRole('dialog', { name: /Choose/ });
  await expectShown(picker.getByRole('button', { name: 'tada', exact: true }).first());
  await picker.getByRole('heading').first().tap();
  await picker.getByRole('button', { name: 'tada', exact: true }).first().tap();
  await expectWritten(visitor, 'Something **bold**:tada: ');
  await send.tap();
  await expectShown(visitor.message('Something bold'));
});
