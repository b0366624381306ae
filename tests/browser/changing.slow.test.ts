/** What people do with messages that are there: their authors, and those who read them. */
import { waitUntil } from '@parley/test-kit';
import type { Locator } from 'playwright-core';
import { expect, test } from 'vitest';

import { sendTo, startBrowserTests } from './browser-system.ts';
import { expectGone, expectShown, foundEmoji } from './visitor.ts';
import type { Visitor } from './visitor.ts';

const { system, visit } = startBrowserTests();

function addressOf(topic: string): string {
  return `#narrow/stream/${system().general.id}-general/topic/${topic}`;
}

/** Ann and Bob in a topic, which begins with messages of Ann. */
async function meetIn(
  topic: string,
  contents: readonly string[],
): Promise<{ readonly ann: Visitor; readonly bob: Visitor }> {
  const accounts = system();
  for (const content of contents) await sendTo(accounts.ann, accounts.general, topic, content);
  const [ann, bob] = [await visit(), await visit()];
  await ann.enter(accounts.ann, addressOf(topic));
  await bob.enter(accounts.bob, addressOf(topic));
  for (const visitor of [ann, bob])
    await waitUntil('all messages are shown', async () => {
      return (await visitor.messages.count()) === contents.length;
    });
  return { ann, bob };
}

/** Chooses from the menu of a message. */
async function choose({ page }: Visitor, message: Locator, item: string): Promise<void> {
  await message.hover();
  await message.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: item, exact: true }).click();
}

test('an edit is shown to the other, with what it changed', async () => {
  const { ann, bob } = await meetIn('edits', ['The soop is ready']);
  await choose(ann, ann.messages, 'Edit');
  const form = ann.page.getByRole('form', { name: 'Edit message' });
  await form.getByRole('textbox').fill('The soup is ready');
  // What was written in it stays, wherever its author looks meanwhile.
  await ann.go('#recent');
  await ann.go(addressOf('edits'));
  await form.getByRole('button', { name: 'Save' }).click();
  await expectShown(bob.message('The soup is ready').getByText('edited'));
  await choose(bob, bob.messages, 'View edits');
  const dialog = bob.page.getByRole('dialog', { name: 'Edits' });
  await expectShown(dialog.getByText('Written by Ann Lee'));
  await expectShown(dialog.locator('.highlight_text_deleted', { hasText: 'soop' }));
});

test('a message moves to another topic with those after it', async () => {
  const { ann, bob } = await meetIn('ropes', ['ropes: one', 'sails: two', 'sails: three']);
  await choose(ann, ann.message('two'), 'Move to another topic');
  const topic = ann.page.getByRole('dialog').getByRole('combobox', { name: 'Topic' });
  await topic.fill('sails');
  await expectShown(ann.page.getByRole('radio', { name: /those after it/, checked: true }));
  await topic.press('Enter');
  await expectGone(bob.message('sails: three'));
  await bob.expectMessages(': ', ['ropes: one']);
  await bob.go(addressOf('sails'));
  await bob.expectMessages(': ', ['sails: two', 'sails: three']);
});

test('a message is deleted for everybody once that was confirmed', async () => {
  const { ann, bob } = await meetIn('mistakes', ['A mistake', 'No mistake at all']);
  const dialog = ann.page.getByRole('dialog', { name: 'Delete this message?' });
  await choose(ann, ann.message('A mistake'), 'Delete');
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await expectGone(dialog);
  await choose(ann, ann.message('A mistake'), 'Delete');
  await dialog.getByRole('button', { name: 'Delete' }).click();
  await expectGone(bob.message('A mistake'));
  await expectGone(dialog);
  expect(await bob.messages.count()).toBe(1);
});

test('one reacts with what a search found, the other joins by a click and takes it back', async () => {
  const { ann, bob } = await meetIn('reactions', ['Welcome']);
  await bob.messages.hover();
  await bob.messages.getByRole('button', { name: 'Add reaction' }).click();
  await bob.page.getByRole('searchbox', { name: 'Search emoji' }).fill('tada');
  await foundEmoji(bob.page, 'tada').click();
  await ann.messages.getByRole('button', { name: 'Bob Ray reacted with tada' }).click();
  await expectShown(bob.messages.getByRole('button', { name: 'You, Ann Lee reacted with tada' }));
  await ann.messages.getByRole('button', { name: 'Bob Ray, You reacted with tada' }).click();
  await expectShown(bob.messages.getByRole('button', { name: 'You reacted with tada' }));
});

test('the emoji used most are one press away, by a key too, and a search has the likely one first', async () => {
  const { ann, bob } = await meetIn('quick reactions', ['Ready']);
  await bob.messages.hover();
  await expectShown(bob.messages.getByRole('button', { name: 'React with +1' }));
  expect(await bob.messages.getByRole('button', { name: /^React with / }).count()).toBe(6);
  await bob.messages.getByRole('button', { name: 'React with eyes' }).click();
  await expectShown(ann.messages.getByRole('button', { name: 'Bob Ray reacted with eyes' }));
  // Ann reacted with nothing.
  await ann.page.getByRole('main').focus();
  await ann.page.keyboard.press('k');
  await ann.page.keyboard.press('+');
  await expectShown(bob.messages.getByRole('button', { name: 'Ann Lee reacted with +1' }));
  const search = bob.page.getByRole('searchbox', { name: 'Search emoji' });
  for (const [query, first, reaction] of [
    ['thumb', '+1', 'Ann Lee, You reacted with +1'],
    ['heart', 'heart', 'You reacted with heart'],
  ] as const) {
    await bob.messages.hover();
    await bob.messages.getByRole('button', { name: 'Add reaction' }).last().click();
    await search.fill(query);
    await expectShown(foundEmoji(bob.page, first));
    await search.press('Enter');
    await expectShown(bob.messages.getByRole('button', { name: reaction }));
  }
});

test('starred messages are found in their place', async () => {
  const { bob } = await meetIn('stars', ['Worth keeping']);
  await bob.messages.hover();
  await bob.messages.getByRole('button', { name: 'Star' }).click();
  await bob.messages.getByRole('button', { name: 'Remove star' }).waitFor();
  await bob.go('#narrow/is/starred');
  await expectShown(bob.page.getByRole('heading', { name: 'Starred' }));
  await expectShown(bob.message('Worth keeping'));
  await bob.messages.hover();
  await bob.messages.getByRole('button', { name: 'Remove star' }).click();
  await expectGone(bob.messages);
});

test('a quotation goes to the topic of its message, without the text of another', async () => {
  const { general, bob: account } = system();
  const { bob } = await meetIn('quoted', ['Said `here`']);
  await sendTo(account, general, 'other', 'Said there');
  await bob.composeField.fill('Not sent yet');
  await bob.go(`#narrow/stream/${general.id}-general`);
  await bob.page.getByRole('button', { name: 'New topic' }).click();
  await bob.composeField.fill('Of a third topic');
  const quoted = bob.message('Said there');
  await quoted.hover();
  await quoted.getByRole('button', { name: 'Quote and reply' }).click();
  await waitUntil('it is quoted', async () =>
    (await bob.composeField.inputValue()).includes('Said there'),
  );
  expect(await bob.composeField.inputValue()).toMatch(
    /^@_\*\*Bob Ray\|\d+\*\* \[said\]\(http.*\/near\/\d+\):\n```quote\nSaid there\n```\n$/,
  );
  await bob.page.getByRole('button', { name: 'Send', exact: true }).click();
  await expectShown(bob.messages.locator('blockquote', { hasText: 'Said there' }));
  await bob.go(addressOf('quoted'));
  await waitUntil('the draft is there', async () => {
    return (await bob.composeField.inputValue()) === 'Not sent yet';
  });
});

test('the copied link of a message leads to it', async () => {
  const { ann, bob } = await meetIn('links', ['One of many', 'The one']);
  await ann.context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await choose(ann, ann.message('The one'), 'Copy link');
  await expectShown(ann.page.getByText('The link is copied.'));
  const link = await ann.page.evaluate(() => navigator.clipboard.readText());
  await bob.go('#recent');
  await bob.page.goto(link);
  await bob.page.waitForFunction(() => document.activeElement?.textContent.includes('The one'));
});

test('a muted topic and a muted stream are not counted', async () => {
  const { ann: account, general, organization, bob: writer } = system();
  const loud = await organization.makeStream('loud', [account, writer]);
  const { ann } = await meetIn('noise', ['Bang']);
  await choose(ann, ann.messages, 'Mute topic');
  await ann.messages.hover();
  await ann.messages.getByRole('button', { name: 'More actions' }).click();
  await ann.page.getByRole('menuitem', { name: 'Unmute topic' }).waitFor();
  await ann.go(`#streams/${loud.id}`);
  await ann.page.getByRole('checkbox', { name: 'Muted' }).check();
  await expectShown(ann.page.getByText('Saved'));
  await ann.go('#recent');
  await account.typed.request('POST /mark_all_as_read');
  await sendTo(writer, general, 'noise', 'Bang again');
  await sendTo(writer, loud, 'noise', 'Bang here too');
  await sendTo(writer, general, 'quiet', 'A whisper');
  await expectShown(ann.page.getByRole('main').getByRole('link', { name: 'quiet' }));
  await waitUntil('one is counted', async () => (await ann.page.title()).startsWith('(1) '));
});

test('two people vote in a poll and add to it', async () => {
  const { ann, bob } = await meetIn('lunch', ['/poll Lunch?\nSoup\nBread']);
  const vote = ({ messages }: Visitor, option: string, count: number): Locator =>
    messages.getByRole('button', { name: `Vote for ${option}: ${count} so far` });
  await vote(ann, 'Soup', 0).click();
  await vote(bob, 'Soup', 1).click();
  await expectShown(vote(ann, 'Soup', 2));
  await expectShown(ann.messages.getByText('Ann Lee, Bob Ray'));
  await vote(bob, 'Soup', 2).click();
  await expectShown(vote(ann, 'Soup', 1));
  const field = bob.messages.getByRole('textbox', { name: 'Add an option' });
  await field.fill('Cake');
  await field.press('Enter');
  await vote(ann, 'Cake', 0).click();
  await expectShown(vote(bob, 'Cake', 1));
  expect(await field.inputValue()).toBe('');
});

test('two people keep a list of tasks', async () => {
  const { ann, bob } = await meetIn('tasks', ['/todo']);
  const field = ann.messages.getByRole('textbox', { name: 'Add a task' });
  await field.fill('Mend the sail');
  await field.press('Enter');
  await bob.messages.getByLabel('Mend the sail').click();
  await expectShown(ann.page.getByRole('checkbox', { name: 'Mend the sail', checked: true }));
  await ann.messages.getByLabel('Mend the sail').click();
  await expectShown(bob.page.getByRole('checkbox', { name: 'Mend the sail', checked: false }));
});
