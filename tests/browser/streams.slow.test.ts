/** What people do with streams in the page, seen in another browser or by the API. */
import { waitUntil } from '@parley/test-kit';
import type { TestAccount } from '@parley/test-kit';
import { expect, test } from 'vitest';

import { startBrowserTests } from './browser-system.ts';
import { expectGone, expectShown } from './visitor.ts';
import type { Visitor } from './visitor.ts';

const { system, open } = startBrowserTests();

/** The entry of a stream among the places of a browser. */
function placeOf({ page }: Visitor, name: string) {
  const places = page.getByRole('navigation', { name: 'Places' });
  return places.getByRole('link', { name: new RegExp(`^${name}( |$)`) });
}

async function readStream(account: TestAccount, wanted: string) {
  const { streams } = await account.typed.request('GET /streams', { include_all_active: false });
  return streams.find(({ name }) => name === wanted);
}

async function readSubscription(account: TestAccount, wanted: string) {
  const { subscriptions } = await account.typed.request('GET /users/me/subscriptions');
  return subscriptions.find(({ name }) => name === wanted);
}

test.each([
  ['public', 'Everybody', { invite_only: false, history_public_to_subscribers: true }],
  [
    'shared',
    'Invited people, who see earlier messages',
    { invite_only: true, history_public_to_subscribers: true },
  ],
  [
    'secret',
    'Invited people, who see messages since they joined',
    { invite_only: true, history_public_to_subscribers: false },
  ],
])('a stream is created: %s', async (name, privacy, properties) => {
  const { bob, cat } = system();
  const [creator, invited] = [await open(bob, '#streams'), await open(cat, '#recent')];
  const { page } = creator;
  await page.locator('summary', { hasText: 'Create a stream' }).click();
  const form = page.locator('form', { hasText: 'Who may join' });
  await form.getByLabel('Name', { exact: true }).fill(name);
  await form.getByLabel('Description').fill('For a test');
  await form.getByLabel('Who may join').selectOption(privacy);
  await form.getByLabel('Cat Moe').check();
  await form.getByRole('button', { name: 'Create a stream' }).click();
  await expectShown(placeOf(invited, name));
  await expectShown(placeOf(creator, name));
  expect(await readStream(cat, name)).toMatchObject({ description: 'For a test', ...properties });
  await expectShown(page.getByRole('main').getByRole('heading', { level: 1, name }));
  await creator.go('#streams');
  await page.locator('summary', { hasText: 'Create a stream' }).click();
  await form.getByLabel('Name', { exact: true }).fill(name.toUpperCase());
  await form.getByRole('button', { name: 'Create a stream' }).click();
  await expectShown(form.getByText('There is a stream of this name.'));
});

test('a person sets colour, pin, mute and notifications of a stream', async () => {
  const { bob, general } = system();
  const [one, other] = [
    await open(bob, `#streams/${general.id}`),
    await open(bob, `#streams/${general.id}`),
  ];
  await one.page.getByLabel('Colour').fill('#123456');
  await one.page.getByLabel('Colour').blur();
  await one.page.getByLabel('Pinned to the top').check();
  await one.page.getByLabel('Muted').check();
  await one.page.getByLabel('Desktop notification of new messages').check();
  for (const name of ['Pinned to the top', 'Muted', 'Desktop notification of new messages'])
    await expectShown(other.page.getByRole('checkbox', { name, checked: true }));
  const wanted = {
    color: '#123456',
    pin_to_top: true,
    is_muted: true,
    desktop_notifications: true,
  };
  await waitUntil('everything is saved', async () => {
    const subscription = await readSubscription(bob, general.name);
    return Object.entries(wanted).every(
      ([name, value]) => Reflect.get(subscription ?? {}, name) === value,
    );
  });
});

test('an administrator renames a stream, closes it, and deletes it after a question', async () => {
  const { ann, bob, organization } = system();
  const stream = await organization.makeStream('before', [ann, bob]);
  const [one, other] = [await open(ann, `#streams/${stream.id}`), await open(bob, '#recent')];
  await expectShown(placeOf(other, 'before'));
  await one.page.getByLabel('Name', { exact: true }).fill('after');
  await one.page.getByLabel('Name', { exact: true }).press('Enter');
  await expectShown(placeOf(other, 'after'));
  await one.page.getByLabel('Description').fill('Closed now');
  await one.page.getByLabel('Description').blur();
  await one.page
    .getByLabel('Who may join')
    .selectOption('Invited people, who see earlier messages');
  await one.page.getByLabel('Only administrators write').check();
  const wanted = { description: 'Closed now', invite_only: true, is_announcement_only: true };
  await waitUntil('everything is saved', async () => {
    const saved = await readStream(bob, 'after');
    return Object.entries(wanted).every(
      ([name, value]) => Reflect.get(saved ?? {}, name) === value,
    );
  });
  await one.page.getByRole('button', { name: 'Delete the stream' }).click();
  const question = one.page.getByRole('dialog');
  await question.getByRole('button', { name: 'Cancel' }).click();
  await expectGone(question);
  await expectShown(placeOf(other, 'after'));
  await one.page.getByRole('button', { name: 'Delete the stream' }).click();
  await question.getByRole('button', { name: 'Delete the stream' }).click();
  await expectGone(placeOf(other, 'after'));
});

test('people are added to a stream, and taken out of it', async () => {
  const { ann, cat, crew } = system();
  const [one, other] = [await open(ann, `#streams/${crew.id}`), await open(cat, '#recent')];
  await expectShown(one.page.getByRole('list', { name: 'People' }).getByText('Bob Ray'));
  await one.page.locator('summary', { hasText: 'Add people' }).click();
  const form = one.page.getByRole('form', { name: 'Add people' });
  await form.getByLabel('People').fill('cat');
  await form.getByLabel('Cat Moe').check();
  await form.getByRole('button', { name: 'Add' }).click();
  await expectShown(placeOf(other, 'crew'));
  await one.page.getByRole('button', { name: 'Remove: Cat Moe' }).click();
  await expectGone(placeOf(other, 'crew'));
  await expectGone(one.page.getByRole('button', { name: 'Remove: Cat Moe' }));
  await form.getByLabel('People').fill('');
  await form.getByRole('button', { name: /^Choose all/ }).click();
  await form.getByRole('button', { name: 'Add' }).click();
  await expectShown(placeOf(other, 'crew'));
  await expectShown(one.page.getByRole('button', { name: 'Remove: Gus Guest' }));
  await expectGone(form);
});

test('a person subscribes and unsubscribes, from a private stream after a question', async () => {
  const { ann, cat, organization } = system();
  await organization.makeStream('open', [ann]);
  await organization.makeStream('closed', [ann, cat], { inviteOnly: true });
  const visitor = await open(cat, '#streams');
  const { page } = visitor;
  await page.getByRole('button', { name: 'Subscribe: #open' }).click();
  await expectShown(placeOf(visitor, 'open'));
  await page.getByRole('button', { name: 'Unsubscribe: #open' }).click();
  await expectGone(placeOf(visitor, 'open'));
  await page.getByRole('button', { name: 'Unsubscribe: #closed' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Unsubscribe' }).click();
  await expectGone(placeOf(visitor, 'closed'));
  await page.getByRole('button', { name: 'Not subscribed' }).click();
  await expectShown(page.getByRole('button', { name: 'Subscribe: #open' }));
  await expectGone(page.getByRole('button', { name: 'Unsubscribe: #general' }));
  expect(await page.getByRole('button', { name: 'Subscribe: #closed' }).count()).toBe(0);
});

test('guests neither create nor join streams, and members change only what is theirs', async () => {
  const { bob, guest, general } = system();
  const visitor = await open(guest, '#streams');
  await expectShown(visitor.page.getByText('#general'));
  expect(await visitor.page.locator('summary').count()).toBe(0);
  expect(await visitor.page.getByRole('button', { name: /^Subscribe:/ }).count()).toBe(0);
  const member = await open(bob, `#streams/${general.id}`);
  await expectShown(member.page.getByRole('heading', { name: 'Settings for you' }));
  await expectShown(member.page.getByRole('list', { name: 'People' }).getByText('Cat Moe'));
  expect(await member.page.getByRole('heading', { name: 'Settings for everybody' }).count()).toBe(
    0,
  );
  expect(await member.page.getByRole('button', { name: /^Remove: / }).count()).toBe(0);
});
