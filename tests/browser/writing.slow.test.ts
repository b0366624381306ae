/** Writing: where to, with completion, preview, files and drafts, now or later, and what stands against it. */
import { botTypes } from '@parley/api';
import type { Locator } from 'playwright-core';
import { expect, test } from 'vitest';

import { sendTo, startBrowserTests } from './browser-system.ts';
import { waitUntil } from './patience.ts';
import { expectGone, expectShown } from './visitor.ts';
import type { Visitor } from './visitor.ts';

const { system, visit } = startBrowserTests();

function addressOf(topic: string): string {
  return `#narrow/stream/${system().general.id}-general/topic/${topic}`;
}

async function enterAs(person: 'ann' | 'bob', fragment: string): Promise<Visitor> {
  const visitor = await visit();
  await visitor.enter(system()[person], fragment);
  return visitor;
}

const sendButton = ({ page }: Visitor): Locator =>
  page.getByRole('button', { name: 'Send', exact: true });

const focusedField = ({ page }: Visitor): Locator => page.locator('.compose textarea:focus');

async function expectWritten({ composeField }: Visitor, text: string): Promise<void> {
  let written = '';
  await waitUntil(
    'the text is in the field',
    async () => {
      written = await composeField.inputValue();
      return written === text;
    },
    { describe: () => written },
  );
}

test('a message goes to a topic that is chosen while others write', async () => {
  const { bob: other, general, crew } = system();
  const ann = await enterAs('ann', '#recent');
  await ann.page.getByRole('button', { name: 'New stream message' }).click();
  await ann.page.getByRole('combobox', { name: 'Stream' }).selectOption(String(general.id));
  const topic = ann.page.getByRole('combobox', { name: 'Topic' });
  await topic.pressSequentially('anch');
  await sendTo(other, general, 'meanwhile', 'Somebody else writes');
  await ann.page.locator('datalist option[value="meanwhile"]').waitFor({ state: 'attached' });
  await topic.pressSequentially('ors');
  await topic.press('Enter');
  await expectShown(focusedField(ann));
  await ann.page.keyboard.type('Where are they?');
  await sendButton(ann).click();
  await expectShown(ann.page.getByRole('heading', { name: 'anchors' }));
  await expectShown(ann.message('Where are they?'));
  // From then on it is written to the conversation that is shown.
  await ann.go(`#narrow/stream/${crew.id}-crew/topic/watch`);
  await ann.send('I take the first one');
  await expectShown(ann.message('I take the first one'));
});

test('a message goes to people who are found by name, and they see it being typed', async () => {
  const { ann: account } = system();
  const bob = await enterAs('bob', `#narrow/pm-with/${account.id}-Ann-Lee`);
  const ann = await enterAs('ann', '#recent');
  await ann.page.getByRole('button', { name: 'New private message' }).click();
  const people = ann.page.getByRole('combobox', { name: 'To people' });
  await people.fill('bob');
  await expectShown(ann.page.getByRole('option', { name: 'Bob Ray' }));
  await people.press('Enter');
  await people.press('Enter');
  await expectShown(focusedField(ann));
  await ann.page.keyboard.type('Psst');
  await expectShown(bob.page.getByText('Ann Lee is typing'));
  await ann.page.keyboard.press('Control+Enter');
  await expectShown(bob.message('Psst'));
  await expectGone(bob.page.getByText('Ann Lee is typing'));
});

test('names are completed: people, groups, streams, topics, emoji', async () => {
  const { ann: account, bob, general, organization } = system();
  const members = [account.id, bob.id];
  await organization.makeAccount('Tide Bot', { botType: botTypes.generic, owner: account });
  await account.typed.request('POST /user_groups/create', {
    name: 'rowers',
    description: 'Who row',
    members,
  });
  await sendTo(bob, general, 'tides', 'High at noon');
  const ann = await enterAs('ann', addressOf('completion'));
  const suggestions = ann.page.getByRole('listbox', { name: 'Suggestions' });
  for (const [typed, option, completed] of [
    ['@bo', 'Bob Ray', '@**Bob Ray** '],
    ['@ti', 'Tide Bot', '@**Tide Bot** '],
    ['@row', 'rowers', '@*rowers* '],
    ['#gen', 'general', '#**general** '],
    ['#**general>ti', 'tides', '#**general>tides** '],
    [':tada', 'tada', ':tada: '],
  ] as const) {
    await ann.composeField.fill('');
    await ann.composeField.pressSequentially(typed);
    await expectShown(suggestions.getByRole('option', { name: option }).first());
    await ann.composeField.press('Tab');
    await expectWritten(ann, completed);
  }
});

test('a key completes what was typed, however soon it follows', async () => {
  const ann = await enterAs('ann', addressOf('haste'));
  const suggestions = ann.page.getByRole('listbox', { name: 'Suggestions' });
  await ann.composeField.pressSequentially('@b');
  await expectShown(suggestions.getByRole('option', { name: 'Bob Ray' }));
  // Both before a frame could be drawn between them.
  await ann.composeField.evaluate((field: HTMLTextAreaElement) => {
    field.setSelectionRange(1, 2);
    document.execCommand('insertText', false, 'c');
    field.dispatchEvent(new KeyboardEvent('keydown', { key: 'Tab', bubbles: true }));
  });
  await expectWritten(ann, '@**Cat Moe** ');
});

test('an emoji of the picker comes where the cursor is, and a preview shows what others will see', async () => {
  const ann = await enterAs('ann', addressOf('preview'));
  await ann.composeField.fill('**Well**  done');
  for (let step = 0; step < ' done'.length; step += 1) await ann.composeField.press('ArrowLeft');
  await ann.page.getByRole('button', { name: 'Choose an emoji' }).click();
  const search = ann.page.getByRole('searchbox', { name: 'Search emoji' });
  await search.fill('tada');
  await expectShown(ann.page.getByRole('button', { name: 'tada', exact: true }));
  await search.press('Enter');
  await expectWritten(ann, '**Well** :tada:  done');
  await ann.page.getByRole('button', { name: 'Preview' }).click();
  const preview = ann.page.getByRole('region', { name: 'Preview' });
  await expectShown(preview.locator('strong', { hasText: 'Well' }));
  await sendButton(ann).click();
  await expectShown(ann.message('done'));
  await expectWritten(ann, '');
});

test('files are chosen, pasted and dropped; one on its way shows how far it is and is cancelled', async () => {
  const ann = await enterAs('ann', addressOf('files'));
  const { page } = ann;
  const choosing = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: 'Attach files' }).click();
  const file = { mimeType: 'text/plain', buffer: Buffer.from('The log') };
  await (await choosing).setFiles([{ name: 'chosen.txt', ...file }]);
  await waitUntil('it is linked', async () =>
    /^\[chosen\.txt\]\(\/user_uploads\/\S+\) $/.test(await ann.composeField.inputValue()),
  );
  for (const type of ['paste', 'drop'] as const) {
    await page.evaluate((type) => {
      const data = new DataTransfer();
      data.items.add(new File(['The log'], `by ${type}.txt`));
      const given = { bubbles: true, cancelable: true };
      const event =
        type === 'paste'
          ? new ClipboardEvent(type, { clipboardData: data, ...given })
          : new DragEvent(type, { dataTransfer: data, ...given });
      document.querySelector('.compose textarea')?.dispatchEvent(event);
    }, type);
    await waitUntil('it is linked', async () =>
      (await ann.composeField.inputValue()).includes(`[by ${type}.txt](/user_uploads/`),
    );
  }
  const text = await ann.composeField.inputValue();
  const held = Promise.withResolvers<void>();
  await page.route('**/user_uploads', async (route) => {
    await held.promise;
    await route.abort();
  });
  const choosingAgain = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: 'Attach files' }).click();
  await (await choosingAgain).setFiles([{ name: 'held.txt', ...file }]);
  await expectShown(page.getByRole('progressbar', { name: 'Uploading held.txt' }));
  await sendButton(ann).click();
  await expectShown(page.getByText('Wait for the files, or cancel them.'));
  await page.getByRole('button', { name: 'Cancel the upload of held.txt' }).click();
  held.resolve();
  await expectGone(page.getByRole('progressbar'));
  await expectWritten(ann, text);
  await sendButton(ann).click();
  await expectShown(ann.messages.getByRole('link', { name: 'by drop.txt' }));
});

test('a file that arrives when another conversation is open goes to the draft of its own', async () => {
  const ann = await enterAs('ann', addressOf('slow file'));
  const held = Promise.withResolvers<void>();
  await ann.page.route('**/user_uploads', async (route) => {
    await held.promise;
    await route.continue();
  });
  await ann.composeField.fill('Look:');
  await ann.page.locator('input[type=file]').setInputFiles({
    name: 'slow.txt',
    mimeType: 'text/plain',
    buffer: Buffer.from('The log'),
  });
  await expectShown(ann.page.getByRole('progressbar'));
  await ann.go(addressOf('elsewhere'));
  await expectWritten(ann, '');
  await ann.composeField.fill('Another text');
  held.resolve();
  await expectGone(ann.page.getByRole('progressbar'));
  await expectWritten(ann, 'Another text');
  await ann.go(addressOf('slow file'));
  await waitUntil('the draft has the file', async () =>
    /^Look:\s+\[slow\.txt\]/.test(await ann.composeField.inputValue()),
  );
});

test('drafts are listed, go on where they were, and are kept for each account', async () => {
  const { ann, bob } = system();
  const visitor = await enterAs('ann', addressOf('thoughts'));
  await visitor.composeField.fill('Half a thought');
  await visitor.page.reload();
  await expectWritten(visitor, 'Half a thought');
  await visitor.enter(bob, '#drafts');
  await visitor.page.reload();
  await expectShown(visitor.page.getByText('There are no drafts.'));
  await visitor.enter(ann, '#drafts');
  await visitor.page.reload();
  const draft = visitor.page.getByRole('article', { name: '#general > thoughts' });
  await draft.getByRole('button', { name: 'Continue writing' }).click();
  await expectWritten(visitor, 'Half a thought');
  await visitor.composeField.press('Control+Enter');
  await expectShown(visitor.message('Half a thought'));
  await visitor.go('#drafts');
  await expectShown(visitor.page.getByText('There are no drafts.'));
});

test('a message is shown at once, and the one of the server takes its place', async () => {
  const ann = await enterAs('ann', addressOf('echo'));
  const held = Promise.withResolvers<void>();
  await ann.page.route('**/api/v1/messages', async (route) => {
    await held.promise;
    await route.continue();
  });
  await expectShown(ann.page.getByText('No messages here yet.'));
  await ann.send('On its *way*');
  await expectShown(ann.message('On its *way*').getByText('sending'));
  held.resolve();
  await expectShown(ann.messages.locator('em', { hasText: 'way' }));
  await expectGone(ann.page.getByText('sending'));
  expect(await ann.messages.count()).toBe(1);
});

test('what the server refuses says why, and is sent again once', async () => {
  const { ann, general } = system();
  const only = { stream_id: general.id };
  const bob = await enterAs('bob', addressOf('refused'));
  await bob.composeField.waitFor();
  bob.expectOutage();
  await bob.context.setOffline(true);
  await bob.send('Too late');
  await ann.typed.request('PATCH /streams/{stream_id}', { ...only, is_announcement_only: true });
  await bob.context.setOffline(false);
  const refusal = bob.page.getByRole('alert').filter({ hasText: 'Not sent to #general > refused' });
  await expectShown(refusal.filter({ hasText: 'Only organization administrators' }));
  await ann.typed.request('PATCH /streams/{stream_id}', { ...only, is_announcement_only: false });
  await refusal.getByRole('button', { name: 'Send again' }).click();
  await expectGone(refusal);
  await expectShown(bob.message('Too late').and(bob.page.locator('[data-message-id]')));
  const { messages } = await ann.typed.request('GET /messages', {
    anchor: 'newest',
    num_before: 10,
    num_after: 0,
    narrow: [{ operator: 'topic', operand: 'refused' }],
  });
  expect(messages.length).toBe(1);
});

test('a message is sent later, and one that waits is cancelled and becomes a draft', async () => {
  const ann = await enterAs('ann', addressOf('later'));
  const { page } = ann;
  await ann.composeField.fill('Good **morning**');
  await page.getByRole('button', { name: 'Schedule' }).click();
  const dialog = page.getByRole('dialog', { name: 'Schedule' });
  await dialog.getByRole('button', { name: 'In an hour' }).click();
  await expectGone(dialog);
  await expectWritten(ann, '');
  await ann.go('#scheduled');
  const waiting = page.getByRole('article', { name: '#general > later' });
  await expectShown(waiting.locator('strong', { hasText: 'morning' }));
  await waiting.getByRole('button', { name: 'Cancel sending' }).click();
  await expectShown(page.getByText('Nothing waits to be sent.'));
  await ann.go(addressOf('later'));
  await expectWritten(ann, 'Good **morning**');
  await page.getByRole('button', { name: 'Schedule' }).click();
  await dialog.getByLabel('Another time').fill('2099-01-01T09:00');
  await dialog.getByRole('button', { name: 'Schedule' }).click();
  await expectGone(dialog);
  const { scheduled_messages } = await system().ann.typed.request('GET /scheduled_messages');
  expect(scheduled_messages.map(({ content }) => content)).toEqual(['Good **morning**']);
});

test('what cannot be sent is said while it is written', async () => {
  const { ann, bob: account, organization } = system();
  const news = await organization.makeStream('news', [ann, account], { isAnnouncementOnly: true });
  const gone = await organization.makeAccount('Gone Girl');
  const bob = await enterAs('bob', `#narrow/stream/${news.id}-news/topic/today`);
  await bob.composeField.fill('May I?');
  await expectShown(bob.page.getByText('Only administrators can write in this stream.'));
  await bob.composeField.press('Control+Enter');
  await expectWritten(bob, 'May I?');
  await bob.go(`#narrow/pm-with/${gone.id}-Gone-Girl`);
  await bob.composeField.fill('Are you there?');
  await ann.typed.request('DELETE /users/{user_id}', { user_id: gone.id });
  await expectShown(bob.page.getByText('Gone Girl cannot get messages'));
  await bob.go(addressOf('long'));
  await bob.composeField.fill('x'.repeat(10_002));
  await expectShown(bob.page.getByText('The message is 2 characters too long.'));
});
