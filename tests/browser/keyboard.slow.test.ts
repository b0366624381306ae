/** The main tasks by the keyboard alone. After each of them something has the focus. */
import { waitUntil } from '@parley/test-kit';
import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';

import { annPassword, sendTo, startBrowserTests } from './browser-system.ts';
import { expectGone, expectShown, foundEmoji } from './visitor.ts';

const { system, visit } = startBrowserTests();

const tabsMax = 120;

function hasFocus(target: Locator): Promise<boolean> {
  return target.evaluate((element) => element === document.activeElement);
}

async function expectFocus(target: Locator): Promise<void> {
  await waitUntil('it has the focus', () => hasFocus(target));
}

/** The page keeps the focus somewhere: whoever uses the keyboard goes on from where they are. */
async function expectSomeFocus(page: Page): Promise<void> {
  await waitUntil('something has the focus', () =>
    page.evaluate(() => ![null, document.body].includes(document.activeElement as null)),
  );
}

async function tabTo(page: Page, target: Locator): Promise<void> {
  await expectShown(target);
  for (let tabs = 0; tabs < tabsMax; tabs += 1) {
    if (await hasFocus(target)) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`${String(target)} was not reached`);
}

test('somebody signs in, goes to a stream and a topic, and reads', async () => {
  const { ann, bob, general } = system();
  await sendTo(bob, general, 'keys', 'The first');
  await sendTo(bob, general, 'keys', 'The second');
  const visitor = await visit();
  const { page } = visitor;
  await visitor.go('');
  const address = page.getByLabel('Email address');
  await tabTo(page, address);
  await page.keyboard.type(ann.email);
  await tabTo(page, page.getByLabel('Password'));
  await page.keyboard.type(annPassword);
  await page.keyboard.press('Enter');
  await expectShown(page.getByRole('navigation'));
  await expectSomeFocus(page);

  const navigation = page.getByRole('navigation');
  await tabTo(page, navigation.getByRole('link', { name: 'general' }));
  await page.keyboard.press('Enter');
  await visitor.expectAddress(`#narrow/stream/${general.id}-general`);
  const topic = navigation
    .getByRole('list', { name: 'Topics of general' })
    .getByRole('link', { name: 'keys' });
  await tabTo(page, topic);
  await page.keyboard.press('Enter');
  await visitor.expectAddress(`#narrow/stream/${general.id}-general/topic/keys`);
  await expectShown(visitor.message('The second'));
  await page.keyboard.press('k');
  await expectFocus(visitor.message('The second'));
  await page.keyboard.press('k');
  await expectFocus(visitor.message('The first'));
  await page.keyboard.press('j');
  await expectFocus(visitor.message('The second'));
  // What a screen reader says of it: who sent it when, then what it says.
  const said = await visitor.message('The second').evaluate((element) => ({
    label: element.getAttribute('aria-label'),
    description: document.getElementById(element.getAttribute('aria-describedby') ?? '')
      ?.textContent,
  }));
  expect(said.label).toMatch(/^Bob Ray, \d/);
  expect(said.description).toContain('The second');
});

test('somebody replies, edits, reacts, stars and quotes', async () => {
  const { ann, bob, general } = system();
  await sendTo(bob, general, 'answers', 'A question');
  const visitor = await visit();
  const { page } = visitor;
  await visitor.enter(ann, `#narrow/stream/${general.id}-general/topic/answers`);
  const question = visitor.message('A question');
  await expectShown(question);
  await page.keyboard.press('k');
  await expectFocus(question);
  await page.keyboard.press('s');
  await expectShown(question.getByRole('button', { name: 'Remove star' }));
  await expectFocus(question);

  await tabTo(page, question.getByRole('button', { name: 'Add reaction' }).last());
  await page.keyboard.press('Enter');
  await expectFocus(page.getByRole('searchbox', { name: 'Search emoji' }));
  await page.keyboard.type('tada');
  const emoji = foundEmoji(page, 'tada');
  await expectShown(emoji);
  await tabTo(page, emoji);
  await page.keyboard.press('Enter');
  await expectShown(question.getByRole('button', { name: /^You reacted with tada/ }));
  await expectSomeFocus(page);
  await expectGone(page.getByRole('dialog'));

  await page.keyboard.press('r');
  await expectFocus(visitor.composeField);
  await page.keyboard.type('An answer');
  await page.keyboard.press('Control+Enter');
  const answer = visitor.message('An answer').and(page.locator('[data-message-id]'));
  await expectShown(answer);
  await expectGone(page.locator('[data-pending]'));
  await page.keyboard.press('Escape');
  await expectFocus(page.getByRole('main'));

  await page.keyboard.press('k');
  await expectFocus(answer);
  await page.keyboard.press('e');
  const editing = page.getByRole('form', { name: 'Edit message' }).getByRole('textbox');
  await expectFocus(editing);
  await page.keyboard.press('End');
  await page.keyboard.type(' that is better');
  await page.keyboard.press('Control+Enter');
  await expectGone(editing);
  await expectShown(visitor.message('An answer that is better'));
  await expectFocus(answer);

  await page.keyboard.press('q');
  await expectFocus(visitor.composeField);
  await waitUntil('the quotation is there', async () =>
    (await visitor.composeField.inputValue()).includes('An answer that is better'),
  );
});

test('somebody searches, opens the sheet, goes to every view, to what is unread, and marks it as read', async () => {
  const { ann, bob, general } = system();
  await ann.typed.request('POST /mark_all_as_read');
  await sendTo(bob, general, 'unread by keys', 'A harpoon');
  const visitor = await visit();
  const { page } = visitor;
  await visitor.enter(ann, '#recent');
  await expectShown(page.getByRole('main').getByRole('link', { name: 'unread by keys' }));
  // Nobody looks at the window: what it shows is not read.
  await page.evaluate(() => {
    document.hasFocus = () => false;
  });
  await page.keyboard.press('?');
  const sheet = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
  await expectShown(sheet.getByText('Reply to the message'));
  await page.keyboard.press('Escape');
  await expectGone(sheet);

  await page.keyboard.press('n');
  await visitor.expectAddress(`#narrow/stream/${general.id}-general/topic/unread.20by.20keys`);
  await expectShown(visitor.message('A harpoon'));
  const unread = page.getByRole('navigation').getByRole('img', { name: '1 unread' }).first();
  await expectShown(unread);
  await page.keyboard.press('Shift+M');
  await expectGone(unread);

  await page.keyboard.press('/');
  await expectFocus(page.getByRole('combobox', { name: 'Search messages' }));
  await page.keyboard.type('harpoon');
  await page.keyboard.press('Enter');
  await expectShown(visitor.message('A harpoon').locator('.highlight'));
  await expectSomeFocus(page);
  await page.keyboard.press('Escape');
  await visitor.expectAddress('#recent');
  for (const [keys, address] of [
    ['ga', '#all'],
    ['gm', '#narrow/is/mentioned'],
    ['gs', '#narrow/is/starred'],
    ['gp', '#narrow/is/private'],
    ['gd', '#drafts'],
    ['gr', '#recent'],
  ] as const) {
    for (const key of keys) await page.keyboard.press(key);
    await visitor.expectAddress(address);
    await expectSomeFocus(page);
  }
  await page.keyboard.press('c');
  await expectFocus(visitor.composeField);
});
