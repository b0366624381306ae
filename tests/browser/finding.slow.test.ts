/** How people find their way in the web client: the navigation, the views, addresses and the search. */
import { waitUntil } from '@parley/test-kit';
import type { Locator } from 'playwright-core';
import { expect, test } from 'vitest';

import { sendTo, startBrowserTests } from './browser-system.ts';
import { expectGone, expectShown } from './visitor.ts';
import type { Visitor } from './visitor.ts';

const { system, visit } = startBrowserTests();

/** A part of the navigation. */
function partOf({ page }: Visitor, name: string): Locator {
  return page.getByRole('navigation').getByRole('region', { name });
}

function viewLink({ page }: Visitor, name: string): Locator {
  return page.getByRole('navigation').getByRole('link', { name, exact: false }).first();
}

/** Waits until the links of a list are these, in this order. */
async function expectLinks(list: Locator, names: readonly string[]): Promise<void> {
  let shown: readonly string[] = [];
  await waitUntil(
    `the links are ${names.join(', ')}`,
    async () => {
      const texts = await list.getByRole('link').allInnerTexts();
      shown = texts.map((text) => text.split('\n')[0] ?? '').filter((text) => text !== '');
      return JSON.stringify(shown) === JSON.stringify(names);
    },
    { describe: () => JSON.stringify(shown) },
  );
}

test('streams are listed with what is unread, pinned ones first, quiet ones below, with their topics', async () => {
  const { organization, bob } = system();
  const reader = await organization.makeAccount('Rea Nav');
  const [zoo, apples, muted, idle] = [
    await organization.makeStream('zoo', [reader, bob]),
    await organization.makeStream('apples', [reader, bob]),
    await organization.makeStream('muted', [reader, bob]),
    await organization.makeStream('idle', [reader, bob]),
  ];
  await organization.maker.pool.query({
    text: `UPDATE streams SET created_at = parley_now() - interval '90 days' WHERE id = $1`,
    values: [idle.id],
  });
  await reader.typed.request('POST /users/me/subscriptions/properties', {
    subscription_data: [
      { stream_id: zoo.id, property: 'pin_to_top', value: true },
      { stream_id: muted.id, property: 'is_muted', value: true },
    ],
  });
  await sendTo(bob, zoo, 'lions', 'They sleep');
  await sendTo(bob, zoo, 'bears', 'They eat');
  await sendTo(bob, apples, 'red', 'They are ripe');
  const visitor = await visit();
  await visitor.enter(reader, '#recent');
  const streams = partOf(visitor, 'Streams');
  await expectLinks(streams.getByRole('list').first(), ['zoo', 'apples']);
  await expectShown(
    streams.getByRole('link', { name: /zoo/ }).getByRole('img', { name: '2 unread' }),
  );
  await streams.getByText('Muted and inactive (2)').click();
  await expectLinks(streams.getByRole('group').getByRole('list'), ['idle', 'muted']);

  await streams.getByRole('link', { name: /zoo/ }).click();
  const topics = visitor.page.getByRole('list', { name: 'Topics of zoo' });
  await expectLinks(topics, ['bears', 'lions']);
  await topics.getByRole('link', { name: 'lions' }).click();
  await expectShown(visitor.message('They sleep'));
  await expectGone(visitor.message('They eat'));

  const pin = visitor.page.getByRole('main').getByRole('button', { name: 'Pin the stream' });
  await streams.getByRole('link', { name: /apples/ }).click();
  await expectShown(visitor.message('They are ripe'));
  await pin.and(visitor.page.locator('[aria-pressed=false]')).click();
  await expectLinks(streams.getByRole('list').first(), ['apples', 'red', 'zoo']);
});

test('private conversations show who is here', async () => {
  const { organization, bob, cat } = system();
  const reader = await organization.makeAccount('Rea Private');
  await bob.typed.request('POST /messages', {
    type: 'private',
    to: JSON.stringify([reader.id]),
    content: 'Psst',
  });
  await bob.typed.request('POST /messages', {
    type: 'private',
    to: JSON.stringify([reader.id, cat.id]),
    content: 'All of you',
  });
  await bob.typed.request('POST /users/me/presence', { status: 'active', new_user_input: true });
  const visitor = await visit();
  await visitor.enter(reader, '#recent');
  const conversations = partOf(visitor, 'Private messages');
  await expectShown(conversations.getByRole('link', { name: /Bob Ray, Cat Moe/ }));
  const withBob = conversations
    .getByRole('link', { name: /Bob Ray/ })
    .filter({ hasNotText: 'Cat' });
  await expectShown(withBob.getByRole('img', { name: '1 unread' }));
  await expectShown(withBob.getByRole('img', { name: 'Here now' }));
  await withBob.click();
  await expectShown(visitor.message('Psst'));
  await expectGone(visitor.message('All of you'));
});

test('the views show what they are called, and back, forward and reload go between them', async () => {
  const { ann, bob, general } = system();
  await sendTo(bob, general, 'views', 'For @**Ann Lee**');
  const starredId = await sendTo(bob, general, 'views', 'Worth a star');
  await ann.typed.request('POST /messages/flags', {
    messages: [starredId],
    op: 'add',
    flag: 'starred',
  });
  const visitor = await visit();
  const { page } = visitor;
  await visitor.enter(ann, '#recent');
  await expectShown(page.getByRole('main').getByRole('link', { name: 'views' }).first());
  await viewLink(visitor, 'All messages').click();
  await expectShown(visitor.message('Worth a star'));
  await expectShown(visitor.message('For @Ann Lee'));
  await viewLink(visitor, 'Mentions').click();
  await expectGone(visitor.message('Worth a star'));
  await expectShown(visitor.message('For @Ann Lee'));
  await viewLink(visitor, 'Starred').click();
  await expectGone(visitor.message('For @Ann Lee'));
  await expectShown(visitor.message('Worth a star'));
  await visitor.expectAddress('#narrow/is/starred');
  await viewLink(visitor, 'Drafts').click();
  await expectShown(page.getByRole('heading', { name: 'Drafts' }));

  await page.goBack();
  await expectShown(visitor.message('Worth a star'));
  await page.goBack();
  await expectShown(visitor.message('For @Ann Lee'));
  await page.goForward();
  await visitor.expectAddress('#narrow/is/starred');
  await expectShown(visitor.message('Worth a star'));
  await page.reload();
  await expectShown(visitor.message('Worth a star'));
  await visitor.expectAddress('#narrow/is/starred');
});

test('addresses as links in messages have them lead to streams, topics, people and messages', async () => {
  const { ann, bob, general } = system();
  const id = await sendTo(bob, general, 'R&D (new)', 'The aim');
  await sendTo(bob, general, 'other', `See #**general>R&D (new)**`);
  await bob.typed.request('POST /messages', {
    type: 'private',
    to: JSON.stringify([ann.id]),
    content: 'A secret',
  });
  const topic = `#narrow/stream/${general.id}-general/topic/R.26D.20.28new.29`;
  const visitor = await visit();
  await visitor.enter(ann, `#narrow/stream/${general.id}-general/topic/other`);
  await visitor
    .message('See #general')
    .getByRole('link', { name: /#general/ })
    .click();
  await expectShown(visitor.message('The aim'));
  await visitor.expectAddress(topic);
  await visitor.go(`#narrow/stream/${general.id}/subject/R.26D.20.28new.29/near/${id}`);
  await expectShown(visitor.message('The aim'));
  await waitUntil('the message has the focus', () =>
    visitor.message('The aim').evaluate((element) => element === document.activeElement),
  );
  await visitor.go('#narrow/stream/999999999-nowhere');
  await expectShown(visitor.page.getByText('It is gone, or only other people see it.'));
  await visitor.go(`#narrow/pm-with/${bob.id}-whoever`);
  await expectShown(visitor.message('A secret'));
  await visitor.go('#narrow/search/secret');
  await expectShown(visitor.message('A secret').locator('.highlight'));
  // The heading says it, and the field.
  await expectGone(visitor.page.getByText('Searched for:'));
});

test('a search takes operators, suggests them while it is typed, and marks what it found', async () => {
  const { ann, bob, cat, general } = system();
  await sendTo(bob, general, 'lighthouse', 'The lighthouse is dark');
  await sendTo(cat, general, 'fog', 'I see no lighthouse');
  const visitor = await visit();
  const { page } = visitor;
  await visitor.enter(ann, '#recent');
  const field = page.getByRole('search').getByRole('combobox');
  const suggestions = page.getByRole('listbox', { name: 'Ways to go on' });
  await field.pressSequentially('lighthouse sender:bo');
  await suggestions.getByRole('option', { name: /sender:bob\.ray@example\.com/ }).click();
  await waitUntil('the suggestion was taken', async () =>
    (await field.inputValue()).startsWith('lighthouse sender:bob.ray@example.com'),
  );
  await field.press('Enter');
  const found = visitor.message('The lighthouse is dark');
  await expectShown(found.locator('.highlight', { hasText: 'lighthouse' }));
  await expectGone(visitor.message('I see no lighthouse'));
  // The topic has the word, too.
  await expectShown(
    page
      .getByRole('log')
      .getByRole('heading', { name: /lighthouse/ })
      .locator('.highlight'),
  );
  expect(await field.inputValue()).toBe('sender:bob.ray@example.com lighthouse');
  await page.reload();
  await expectShown(found.locator('.highlight'));
  expect(await field.inputValue()).toBe('sender:bob.ray@example.com lighthouse');
  await viewLink(visitor, 'Starred').click();
  await waitUntil('the search is over', async () => (await field.inputValue()) === '');
});
