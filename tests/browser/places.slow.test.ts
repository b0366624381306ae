/** Every message is a place: what leads to it, what takes its readers along, and how they come back. */
import { waitUntil } from '@parley/test-kit';
import type { TestAccount } from '@parley/test-kit';
import { expect, onTestFinished, test } from 'vitest';

import { sendTo, startBrowserTests } from './browser-system.ts';
import { expectGone, expectShown } from './visitor.ts';
import type { Visitor } from './visitor.ts';

const { system, visit } = startBrowserTests();

const wide = { viewport: { width: 1440, height: 900 } };
const narrow = { viewport: { width: 390, height: 844 } };

function fragmentOf(topic: string, near?: number): string {
  const stream = `#narrow/stream/${system().general.id}-general/topic/${topic}`;
  return near === undefined ? stream : `${stream}/near/${near}`;
}

async function expectFocus({ page }: Visitor, id: number): Promise<void> {
  await waitUntil(`message ${id} has the focus`, () =>
    page.evaluate(
      (wanted) => document.activeElement?.getAttribute('data-message-id') === wanted,
      String(id),
    ),
  );
}

async function move(messageId: number, topic: string, propagate_mode = 'change_all') {
  await system().ann.typed.request('PATCH /messages/{message_id}', {
    message_id: messageId,
    topic,
    propagate_mode,
  });
}

test.each([
  ['on a wide screen', wide],
  ['on a phone', narrow],
])('a topic that is renamed takes its reader along, %s', async (name, window) => {
  const { bob, general } = system();
  const mark = name.replaceAll(' ', '-');
  const [old, renamed] = [`old-${mark}`, `new-${mark}`];
  const id = await sendTo(bob, general, old, 'We meet at noon');
  const visitor = await visit(window);
  const { page, composeField } = visitor;
  await visitor.enter(bob, fragmentOf(old));
  await expectShown(visitor.message('We meet at noon'));
  await composeField.fill('I bring bread');
  await move(id, renamed);
  await visitor.expectAddress(fragmentOf(renamed));
  await expectShown(visitor.message('We meet at noon'));
  const line = page.getByRole('status').filter({ hasText: `#general > ${renamed}` });
  await expectShown(line);
  expect(await composeField.inputValue()).toBe('I bring bread');
  const { right, overflow } = await line.evaluate((element) => ({
    right: element.getBoundingClientRect().right - innerWidth,
    overflow: element.scrollWidth - element.clientWidth,
  }));
  expect(right).toBeLessThanOrEqual(0);
  expect(overflow).toBeLessThanOrEqual(0);

  await visitor.send('I bring bread');
  await expectShown(visitor.message('I bring bread'));
  await page.getByRole('button', { name: `Back to “${old}”` }).click();
  await visitor.expectAddress(fragmentOf(old));
  await expectGone(line);
  // The address of the old topic is no place that back leads to, unless the reader went there.
  await page.goBack();
  await visitor.expectAddress(fragmentOf(renamed));
  await expectShown(visitor.message('I bring bread'));
});

test('a topic that moves while no events come takes its reader along', async () => {
  const { bob, general } = system();
  const id = await sendTo(bob, general, 'asleep', 'Good night');
  const visitor = await visit({ ...wide, serviceWorkers: 'block' });
  const { context, page } = visitor;
  visitor.expectOutage();
  const queueIds = new Set<string>();
  context.on('request', (request) => {
    const queueId = new URL(request.url()).searchParams.get('queue_id');
    if (queueId !== null) queueIds.add(queueId);
  });
  await visitor.enter(bob, fragmentOf('asleep'));
  await expectShown(visitor.message('Good night'));
  await waitUntil('the page follows events', () => queueIds.size > 0);
  await context.setOffline(true);
  for (const queue_id of queueIds) await bob.typed.request('DELETE /events', { queue_id });
  await move(id, 'awake');
  await context.setOffline(false);
  await visitor.expectAddress(fragmentOf('awake'));
  await expectShown(visitor.message('Good night'));
  await expectShown(page.getByRole('button', { name: 'Back to “asleep”' }));
});

test('a draft goes along with its topic, and leads to it, whatever notices stay behind', async () => {
  const { ann, bob, general } = system();
  await ann.typed.request('PATCH /realm', { send_move_notices: true });
  onTestFinished(async () => {
    await ann.typed.request('PATCH /realm', { send_move_notices: false });
  });
  const id = await sendTo(bob, general, 'draft-before', 'A question');
  await sendTo(bob, general, 'draft-elsewhere', 'Something else');
  const visitor = await visit(wide);
  const { page, composeField } = visitor;
  await visitor.enter(bob, fragmentOf('draft-before'));
  await composeField.fill('Half an answer');
  await page.goto(`${visitor.url}/${fragmentOf('draft-elsewhere')}`);
  await expectShown(visitor.message('Something else'));
  await move(id, 'draft-after');
  await visitor.go('#drafts');
  await page.getByRole('link', { name: '#general > draft-after' }).click();
  await visitor.expectAddress(fragmentOf('draft-after'));
  await expectShown(visitor.message('A question'));
  await expectShown(visitor.message('1 message was moved here from #general > draft-before'));
  expect(await composeField.inputValue()).toBe('Half an answer');
  await visitor.go(fragmentOf('draft-before'));
  await expectShown(visitor.message('1 message was moved from here'));
});

test('one message that leaves takes nobody along, and links to it follow it', async () => {
  const { bob, general } = system();
  const id = await sendTo(bob, general, 'stays', 'A stray remark');
  await sendTo(bob, general, 'stays', `[look](${fragmentOf('stays', id)})`);
  const visitor = await visit(wide);
  const { page } = visitor;
  await visitor.enter(bob, fragmentOf('stays'));
  await expectShown(visitor.message('A stray remark'));
  await move(id, 'elsewhere', 'change_one');
  await expectGone(visitor.message('A stray remark'));
  await visitor.expectAddress(fragmentOf('stays'));
  await visitor.message('look').getByRole('link', { name: 'look' }).click();
  await visitor.expectAddress(fragmentOf('elsewhere', id));
  await expectFocus(visitor, id);
  await page.goBack();
  await visitor.expectAddress(fragmentOf('stays'));
  // A link to a message that is gone says so.
  await system().ann.typed.request('DELETE /messages/{message_id}', { message_id: id });
  await visitor.go(fragmentOf('elsewhere', id));
  await expectShown(page.getByText('The message is deleted, or you may no longer see it.'));
});

test('hits, mentions, stars and rows of all messages lead to their messages, and back to the row', async () => {
  const { ann, bob, general } = system();
  const ids: number[] = [];
  for (let number = 0; number < 60; number += 1)
    ids.push(await sendTo(bob, general, `row-${number % 2}`, `quokka number ${number} of many`));
  const id = ids[20] ?? 0;
  const mentioning = await sendTo(bob, general, 'row-0', 'Look here, @**Ann Lee**');
  await ann.typed.request('POST /messages/flags', { messages: [id], op: 'add', flag: 'starred' });
  await ann.typed.request('POST /messages/flags', { messages: ids, op: 'add', flag: 'read' });
  const visitor = await visit(wide);
  const { page } = visitor;
  const row = page.locator(`[data-message-id="${id}"]`);
  for (const fragment of ['#narrow/search/quokka', '#all']) {
    await visitor.enter(ann, fragment);
    await row.scrollIntoViewIfNeeded();
    const top = await row.evaluate((element) => element.getBoundingClientRect().top);
    await row.focus();
    await page.keyboard.press('Enter');
    await visitor.expectAddress(fragmentOf('row-0', id));
    await expectFocus(visitor, id);
    await page.goBack();
    await visitor.expectAddress(fragment);
    await expectFocus(visitor, id);
    let now = 0;
    await waitUntil(
      'the row is where it was',
      async () => {
        now = await row.evaluate((element) => element.getBoundingClientRect().top);
        return Math.abs(now - top) < 4;
      },
      { describe: () => `${now}, not ${top}` },
    );
    await page.goForward();
    await visitor.expectAddress(fragmentOf('row-0', id));
  }
  await visitor.go('#narrow/is/starred');
  await row.locator('time a').click();
  await visitor.expectAddress(fragmentOf('row-0', id));
  await visitor.go('#narrow/is/mentioned');
  await page
    .getByRole('log')
    .getByRole('heading', { name: /row-0/ })
    .getByRole('link', { name: 'row-0' })
    .click();
  await visitor.expectAddress(fragmentOf('row-0', mentioning));
});

function unreadOf(reader: TestAccount) {
  return reader.typed.request('GET /messages', {
    anchor: 'newest',
    num_before: 200,
    num_after: 0,
    narrow: [{ operator: 'is', operand: 'unread' }],
  });
}

test('a search begins at its newest hit, marks nothing read, and says what it looked for', async () => {
  const { organization, ann, general } = system();
  const reader = await organization.makeAccount('Sue Seeker');
  await reader.typed.request('POST /users/me/subscriptions', {
    subscriptions: [{ name: 'general' }],
  });
  for (let number = 0; number < 70; number += 1)
    await sendTo(ann, general, 'axolotls', `The axolotl ${number} of the pond`);
  await sendTo(ann, general, 'pond-care', 'Mind the axolotls');
  const visitor = await visit(wide);
  const { page } = visitor;
  await visitor.enter(reader, '#recent');
  const field = page.getByRole('search').getByRole('combobox');
  await field.click();
  const ways = page.getByRole('listbox', { name: 'Ways to go on' });
  await expectShown(ways.getByRole('option', { name: /^sender:/ }));
  await expectShown(ways.getByRole('option', { name: /^before:/ }));
  await field.fill('channel:general from:"ann lee" the axolotl size:big');
  await field.press('Enter');
  await expectShown(
    page.getByText(/cannot be searched by/).or(page.getByText('No messages found.')),
  );
  await field.fill('channel:general from:"ann lee" after:2001-01-01 the axolotl');
  await field.press('Enter');
  await expectShown(visitor.message('axolotl 69'));
  await waitUntil('the newest hit is in view', () =>
    visitor.message('axolotl 69').evaluate((element) => {
      const { top, bottom, width } = element.getBoundingClientRect();
      return top >= 0 && bottom <= innerHeight && width > 600;
    }),
  );
  await expectShown(page.getByText(/Searched for: stream:general .* the axolotl/));
  await expectShown(page.getByText(/Left out because nearly every message has them: the\./));
  await page.mouse.wheel(0, -300);
  // What is seen is marked in the order in which it is seen: once this is, the hits would be.
  await visitor.go(fragmentOf('pond-care'));
  await expectShown(visitor.message('Mind the axolotls'));
  await waitUntil('what was read in its topic is marked', async () => {
    const { messages } = await unreadOf(reader);
    return messages.every(({ content }) => !content.includes('Mind'));
  });
  expect((await unreadOf(reader)).messages).toHaveLength(70);
  await field.fill('the of');
  await field.press('Enter');
  await expectShown(page.getByText(/Too common to be searched for: the, of/));
  await field.fill('axolotl zeppelin');
  await field.press('Enter');
  await expectShown(page.getByText(/has all of this: axolotl zeppelin/));
});

test.each([
  ['on a wide screen', wide],
  ['on a phone', narrow],
])('a wrong operand is said beside the field, %s', async (_, window) => {
  const { ann } = system();
  const visitor = await visit(window);
  const { page } = visitor;
  await visitor.enter(ann, '#recent');
  const field = page.getByRole('search').getByRole('combobox');
  await field.fill('stream:nowhere');
  await field.press('Enter');
  const fault = page.getByRole('alert').filter({ hasText: '“nowhere”' });
  await expectShown(fault);
  await visitor.expectAddress('#recent');
  const { left, right } = await fault.evaluate((element) => {
    const place = element.getBoundingClientRect();
    return { left: place.left, right: place.right - innerWidth };
  });
  expect(left).toBeGreaterThanOrEqual(0);
  expect(right).toBeLessThanOrEqual(0);
  await field.fill('stream:nowhere2');
  await waitUntil('the fault is gone', async () => (await fault.count()) === 0);
});

test('a hit that is edited shows its new text, or goes', async () => {
  const { ann, bob, general } = system();
  const kept = await sendTo(bob, general, 'edits', 'A walrus on the ice');
  const lost = await sendTo(bob, general, 'edits', 'Another walrus');
  const visitor = await visit(wide);
  await visitor.enter(ann, '#narrow/search/walrus');
  await expectShown(visitor.message('Another walrus'));
  const edit = (message_id: number, content: string) =>
    bob.typed.request('PATCH /messages/{message_id}', { message_id, content });
  await edit(kept, 'A walrus in the water');
  await edit(lost, 'Another seal');
  await expectShown(visitor.message('A walrus in the water').locator('.highlight'));
  await expectGone(visitor.message('Another'));
});

test('what is unread and who is mentioned are counted as the server counts', async () => {
  const { organization, bob } = system();
  const reader = await organization.makeAccount('Mute Reader');
  const [loud, muted] = [
    await organization.makeStream('loud', [reader, bob]),
    await organization.makeStream('hushed', [reader, bob]),
  ];
  await sendTo(bob, loud, 'talk', 'One');
  await sendTo(bob, loud, 'Größe', 'Two, @**all**');
  await sendTo(bob, muted, 'talk', 'Three, @**all**');
  await sendTo(bob, muted, 'talk', 'Four, @**Mute Reader**');
  await reader.typed.request('POST /users/me/subscriptions/properties', {
    subscription_data: [{ stream_id: muted.id, property: 'is_muted', value: true }],
  });
  const visitor = await visit(wide);
  await visitor.enter(reader, '#recent');
  const entry = (name: RegExp) => visitor.page.getByRole('navigation').getByRole('link', { name });
  const expectCounts = async (): Promise<void> => {
    const { unread_msgs } = await reader.typed.request('POST /register', {
      fetch_event_types: ['message', 'update_message_flags'],
    });
    for (const [name, count] of [
      [/All messages/, unread_msgs?.count],
      [/Mentions/, unread_msgs?.mentions.length],
    ] as const)
      await expectShown(entry(name).getByRole('img', { name: `${count} unread` }));
  };
  await expectCounts();
  await sendTo(bob, muted, 'talk', 'Five, @**all**');
  await sendTo(bob, loud, 'talk', 'Six, @**all**');
  await expectCounts();
  const mute = (op: 'add' | 'remove') =>
    reader.typed.request('PATCH /users/me/subscriptions/muted_topics', {
      stream_id: loud.id,
      topic: 'GRÖSSE',
      op,
    });
  await mute('add');
  await expectCounts();
  await mute('remove');
  await expectCounts();
  await reader.typed.request('POST /users/me/subscriptions/properties', {
    subscription_data: [{ stream_id: muted.id, property: 'is_muted', value: false }],
  });
  await expectCounts();
});

test('spellings that the server takes for one topic are one topic', async () => {
  const { bob, general } = system();
  await sendTo(bob, general, 'Café Straße', 'One cup');
  await sendTo(bob, general, 'CAFE\u0301 STRASSE', 'Two cups');
  const visitor = await visit(wide);
  const { page } = visitor;
  await visitor.enter(bob, fragmentOf('Caf.C3.A9.20Stra.C3.9Fe'));
  await expectShown(visitor.message('One cup'));
  await expectShown(visitor.message('Two cups'));
  await sendTo(bob, general, 'café strasse', 'Three cups');
  await expectShown(visitor.message('Three cups'));
  const topics = page.getByRole('list', { name: 'Topics of general' });
  await expectShown(topics.getByRole('link', { name: /caf/i, exact: false }));
  expect(await topics.getByRole('link', { name: /caf/i }).count()).toBe(1);
  await visitor.go('#recent');
  await expectShown(page.getByRole('main').getByRole('link', { name: 'café strasse' }));
  expect(await page.getByRole('main').getByRole('link', { name: /caf/i }).count()).toBe(1);
});

test('messages of an archived stream are read, under its name', async () => {
  const { organization, ann, bob } = system();
  const stream = await organization.makeStream('attic', [ann, bob]);
  await sendTo(bob, stream, 'boxes', 'A box of letters');
  const visitor = await visit(wide);
  const { page } = visitor;
  const topic = `#narrow/stream/${stream.id}-attic/topic/boxes`;
  await visitor.enter(bob, topic);
  await expectShown(visitor.message('A box of letters'));
  await ann.typed.request('DELETE /streams/{stream_id}', { stream_id: stream.id });
  await expectShown(page.getByText('This stream is archived'));
  await expectShown(page.getByRole('heading', { level: 1 }).getByRole('link', { name: 'attic' }));
  await page.reload();
  await expectShown(visitor.message('A box of letters'));
  await expectShown(page.getByRole('heading', { level: 1 }).getByRole('link', { name: 'attic' }));
  await visitor.go('#narrow/search/letters');
  await expectShown(page.getByRole('log').getByRole('heading', { name: /attic.*boxes/ }));
});
