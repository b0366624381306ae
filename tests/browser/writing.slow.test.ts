/** Writing: where to, with completion, preview, files and drafts, now or later, and what stands against it. */
import { waitUntil } from '@parley/test-kit';
import { botTypes } from '@parley/api';
import type { Locator } from 'playwright-core';
import { expect, test } from 'vitest';

import { sendTo, startBrowserTests } from './browser-system.ts';
import { expectGone, expectShown, expectWritten, foundEmoji } from './visitor.ts';
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

test('a message goes to a topic that is chosen while others write', async () => {
  const { bob: other, general, crew } = system();
  const ann = await enterAs('ann', '#recent');
  await ann.page.getByRole('button', { name: 'New stream message' }).click();
  await ann.page.getByRole('combobox', { name: 'Stream' }).fill('gener');
  await ann.page.getByRole('option', { name: 'general' }).first().click();
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

test('writing is closed by a button and by Escape, and what was written stays', async () => {
  const ann = await enterAs('ann', addressOf('closing'));
  const { page } = ann;
  await ann.composeField.fill('Unfinished');
  await page.getByRole('button', { name: 'Close', exact: true }).click();
  await expectGone(ann.composeField);
  await page.getByRole('button', { name: 'Write here' }).click();
  await expectShown(focusedField(ann));
  await expectWritten(ann, 'Unfinished');
  await page.keyboard.press('Escape');
  await expectGone(ann.composeField);
  await expectShown(page.locator('main:focus'));
  // Keys read again.
  await page.keyboard.press('c');
  await expectShown(focusedField(ann));
  await expectWritten(ann, 'Unfinished');
});

test.each([
  [1_440, true],
  [1_024, true],
  [390, false],
] as const)(
  'a conversation that is pressed on is written to at once: %i px, %s',
  async (width, isWide) => {
    const { ann: account, bob, general } = system();
    const topic = `pressed at ${width}`;
    await sendTo(bob, general, topic, 'Come in');
    const ann = await visit({ viewport: { width, height: 800 } });
    await ann.enter(account, '#recent');
    await ann.page.getByRole('main').getByRole('link', { name: topic }).click();
    await expectShown(ann.message('Come in'));
    await ann.composeField.waitFor();
    if (isWide) await expectShown(focusedField(ann));
    else expect(await focusedField(ann).count()).toBe(0);
    expect(
      await ann.page.getByRole('combobox', { name: 'Topic' }).getAttribute('placeholder'),
    ).toBe('Topic');
  },
);

test('one of 200 streams is chosen by typing', async () => {
  const { ann: account } = system();
  const subscriptions = Array.from({ length: 200 }, (_, index) => ({ name: `dock ${index}` }));
  await account.typed.request('POST /users/me/subscriptions', { subscriptions });
  const ann = await enterAs('ann', '#recent');
  await ann.page.getByRole('button', { name: 'New stream message' }).click();
  const stream = ann.page.getByRole('combobox', { name: 'Stream' });
  await stream.press('Control+A');
  await stream.pressSequentially('dock 17');
  const options = ann.page.getByRole('option');
  await expectShown(options.filter({ hasText: 'dock 170' }));
  await stream.press('ArrowDown');
  await stream.press('Enter');
  await expectShown(ann.page.locator('input[aria-label="Topic"]:focus'));
  await ann.page.keyboard.type('cranes');
  await ann.page.keyboard.press('Enter');
  await expectShown(focusedField(ann));
  await ann.page.keyboard.type('Hoist');
  await ann.page.keyboard.press('Enter');
  await expectShown(ann.page.getByRole('heading', { name: 'cranes' }));
  await expectShown(ann.page.getByRole('heading', { level: 1 }).filter({ hasText: 'dock 170' }));
  await account.typed.request('DELETE /users/me/subscriptions', {
    subscriptions: subscriptions.map(({ name }) => name),
  });
});

test('Enter sends and Shift+Enter goes on with a list, until the setting says otherwise', async () => {
  const { bob: account } = system();
  const bob = await enterAs('bob', addressOf('enter'));
  await bob.composeField.pressSequentially('1. one');
  await bob.composeField.press('Shift+Enter');
  await bob.composeField.pressSequentially('two');
  await bob.composeField.press('Shift+Enter');
  await bob.composeField.press('Tab');
  await bob.composeField.pressSequentially('in it');
  await expectWritten(bob, '1. one\n2. two\n  3. in it');
  await bob.composeField.press('Shift+Tab');
  await expectWritten(bob, '1. one\n2. two\n3. in it');
  await bob.composeField.press('Shift+Enter');
  await bob.composeField.press('Shift+Enter');
  await expectWritten(bob, '1. one\n2. two\n3. in it\n');
  await bob.composeField.press('Enter');
  await expectShown(bob.messages.locator('li', { hasText: 'two' }));
  await account.typed.request('POST /users/me/enter-sends', { enter_sends: false });
  await bob.page.reload();
  await bob.composeField.pressSequentially('* one');
  await bob.composeField.press('Enter');
  await expectWritten(bob, '* one\n* ');
  await account.typed.request('POST /users/me/enter-sends', { enter_sends: true });
});

test('on the keyboard of a screen Enter begins a line', async () => {
  const phone = await visit({
    viewport: { width: 390, height: 800 },
    hasTouch: true,
    isMobile: true,
  });
  await phone.enter(system().bob, addressOf('by thumb'));
  await phone.composeField.pressSequentially('* one');
  await phone.composeField.press('Enter');
  await expectWritten(phone, '* one\n* ');
  await phone.composeField.pressSequentially('two');
  await sendButton(phone).tap();
  await expectShown(phone.messages.locator('li', { hasText: 'two' }));
});

test('buttons and keys format, an address makes a link of what is selected, rich text comes as Markdown', async () => {
  const ann = await enterAs('ann', addressOf('formats'));
  const { page, composeField } = ann;
  const paste = (given: Readonly<Record<string, string>>): Promise<void> =>
    composeField.evaluate((field, given) => {
      const data = new DataTransfer();
      for (const [type, text] of Object.entries(given)) data.setData(type, text);
      const event = { clipboardData: data, bubbles: true, cancelable: true };
      field.dispatchEvent(new ClipboardEvent('paste', event));
    }, given);
  for (const [name, formatted] of [
    ['Bold', '**tide**'],
    ['Italic', '*tide*'],
    ['Strikethrough', '~~tide~~'],
    ['Code', '`tide`'],
    ['Link', '[tide](url)'],
    ['List', '* tide'],
    ['Quote', '> tide'],
    ['Spoiler', '```spoiler Header\ntide\n```'],
  ] as const) {
    await composeField.fill('tide');
    await composeField.press('Control+A');
    await page.getByRole('button', { name, exact: true }).click();
    await expectWritten(ann, formatted);
    await expectShown(focusedField(ann));
  }
  await composeField.fill('tide');
  await composeField.press('Control+A');
  await composeField.press('Control+B');
  await expectWritten(ann, '**tide**');
  await composeField.fill('tide');
  await composeField.press('Control+A');
  await paste({ 'text/plain': 'https://tides.example/today' });
  await expectWritten(ann, '[tide](https://tides.example/today)');
  await composeField.fill('');
  await paste({
    'text/plain': 'unused',
    'text/html': `<meta charset="utf-8"><style>p { color: red }</style><b style="font-weight:normal"><h2>Tides</h2>
      <p>High at <strong>noon</strong> in <a href="https://tides.example/">the <em>harbour</em></a>.</p>
      <ol><li>row<ul><li>hard</li></ul></li><li>rest</li></ol>
      <blockquote><p>All<br>gone</p></blockquote><pre>a
  b</pre><table><tr><th>Day</th><th>Time</th></tr><tr><td>Mon</td><td>12</td></tr></table>
      <script>alert(1)</script><img src="https://elsewhere.example/x.png"></b>`,
  });
  await expectWritten(
    ann,
    [
      '## Tides',
      'High at **noon** in [the *harbour*](https://tides.example/).',
      '1. row\n  * hard\n2. rest',
      '> All\n> gone',
      '```\na\n  b\n```',
      '| Day | Time |\n| --- | --- |\n| Mon | 12 |',
    ].join('\n\n'),
  );
});

test('a picture that is dropped anywhere on the conversation is shown small before it is sent', async () => {
  const ann = await enterAs('ann', addressOf('pictures'));
  const { page } = ann;
  await ann.composeField.fill('See ');
  await page.evaluate(async () => {
    const canvas = document.createElement('canvas');
    canvas.width = 20;
    canvas.height = 10;
    canvas.getContext('2d')?.fillRect(0, 0, 20, 10);
    const picture = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve));
    const data = new DataTransfer();
    if (picture !== null) data.items.add(new File([picture], 'sail.png', { type: 'image/png' }));
    document
      .querySelector('main h1')
      ?.dispatchEvent(
        new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }),
      );
  });
  const picture = page.getByRole('list', { name: 'Pictures of the message' }).getByRole('img');
  await expectShown(picture);
  await waitUntil('the picture is loaded', () =>
    picture.evaluate((image: HTMLImageElement) => image.naturalWidth > 0),
  );
  await page.getByRole('button', { name: 'Remove sail.png' }).click();
  await expectGone(picture);
  await expectWritten(ann, 'See ');
});

test('the arrow up edits the last own message', async () => {
  const { bob, general } = system();
  const ann = await enterAs('ann', addressOf('mend'));
  await ann.send('The furst');
  await expectShown(
    ann.messages.filter({ hasText: 'The furst' }).and(ann.page.locator('[data-message-id]')),
  );
  await expectGone(ann.page.locator('[data-pending]'));
  await sendTo(bob, general, 'mend', 'A word between');
  await expectShown(ann.message('A word between'));
  await ann.composeField.press('ArrowUp');
  const editing = ann.page.getByRole('form', { name: 'Edit message' }).getByRole('textbox');
  await expectShown(editing);
  await editing.fill('The first');
  await editing.press('Enter');
  await expectGone(editing);
  await expectShown(ann.message('The first'));
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
  await expectShown(foundEmoji(ann.page, 'tada'));
  await search.press('Enter');
  await expectWritten(ann, '**Well** :tada:  done');
  await ann.page.getByRole('button', { name: 'Preview', exact: true }).click();
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
  const { general, organization } = system();
  const writer = await organization.makeAccount('Tea Thinker');
  await writer.client.subscribe(general.name);
  const other = await organization.makeAccount('Dot Draftless');
  const visitor = await visit();
  await visitor.enter(writer, addressOf('thoughts'));
  await visitor.composeField.fill('Half a thought');
  await visitor.page.reload();
  await expectWritten(visitor, 'Half a thought');
  await visitor.enter(other, '#drafts');
  await visitor.page.reload();
  await expectShown(visitor.page.getByText('There are no drafts.'));
  await visitor.enter(writer, '#drafts');
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

test('what was refused is shown whole, and is changed and sent to another topic', async () => {
  const { ann, general } = system();
  const only = { stream_id: general.id };
  const bob = await enterAs('bob', addressOf('shut'));
  await bob.composeField.waitFor();
  await expectShown(bob.page.getByText('No messages here yet'));
  bob.expectOutage();
  await bob.context.setOffline(true);
  const lines = Array.from({ length: 6 }, (_, index) => `line ${index}`).join('\n');
  await bob.send(lines);
  await expectShown(bob.message('line 5').getByText('It is sent when you are back.'));
  expect(await bob.page.getByRole('alert').filter({ hasText: /\S/ }).count()).toBe(0);
  await ann.typed.request('PATCH /streams/{stream_id}', { ...only, is_announcement_only: true });
  await bob.context.setOffline(false);
  const refusal = bob.page.getByRole('alert').filter({ hasText: 'Not sent to #general > shut' });
  await expectShown(refusal.getByText('line 5'));
  await ann.typed.request('PATCH /streams/{stream_id}', { ...only, is_announcement_only: false });
  await bob.composeField.fill('And this');
  await refusal.getByRole('button', { name: 'Edit' }).click();
  await expectGone(refusal);
  await expectWritten(bob, `And this\n\n${lines}`);
  const topic = bob.page.getByRole('combobox', { name: 'Topic' });
  await topic.fill('open');
  await topic.press('Enter');
  await expectShown(focusedField(bob));
  await bob.page.keyboard.press('Enter');
  await expectShown(bob.page.getByRole('heading', { name: 'open' }));
  await expectShown(bob.message('line 5').and(bob.page.locator('[data-message-id]')));
});

test('signing out asks before what was written goes with it', async () => {
  await system().cat.typed.request('PATCH /settings/display', {
    enable_drafts_synchronization: false,
  });
  const cat = await visit();
  await cat.enter(system().cat, addressOf('leaving'));
  const { page } = cat;
  await cat.composeField.fill('Not yet');
  await page.getByRole('button', { name: 'Your account' }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  const question = page.getByRole('dialog', { name: 'Sign out and lose what you wrote?' });
  await expectShown(question.getByText('This browser has 1 draft.'));
  await question.getByRole('button', { name: 'Cancel' }).click();
  await expectGone(question);
  await expectWritten(cat, 'Not yet');
  await page.getByRole('button', { name: 'Your account' }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await question.getByRole('button', { name: 'Sign out' }).click();
  await expectShown(page.getByLabel('Email address'));
});

test('a message is sent later, and one that waits is cancelled and becomes a draft', async () => {
  const ann = await enterAs('ann', addressOf('later'));
  const { page } = ann;
  await ann.composeField.fill('Good **morning**');
  await page.getByRole('button', { name: 'Schedule', exact: true }).click();
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
  await page.getByRole('button', { name: 'Schedule', exact: true }).click();
  await dialog.getByLabel('Another time').fill('2099-01-01T09:00');
  await dialog.getByRole('button', { name: 'Schedule', exact: true }).click();
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
