/** What administrators change of the organization in the page, seen in the browser of somebody else or by the API. */
import { waitUntil } from '@parley/test-kit';
import { expect, test } from 'vitest';

import { annPassword, sendTo, startBrowserTests } from './browser-system.ts';
import { expectGone, expectShown } from './visitor.ts';
import type { Visitor } from './visitor.ts';

const { system, open } = startBrowserTests();

/** Ann at a section of the settings, and Bob at a place. */
async function openBoth(section: string, place: string) {
  const { ann, bob } = system();
  return { ann: await open(ann, `#settings/${section}`), bob: await open(bob, place) };
}

/** The row of a list, which has actions of its own. */
function rowOf({ page }: Visitor, title: string) {
  return page.getByRole('main').getByRole('listitem').filter({ hasText: title });
}

async function answer({ page }: Visitor, action: string): Promise<void> {
  await page.getByRole('dialog').getByRole('button', { name: action, exact: true }).click();
}

test('a person is added, gets another role, is deactivated after a question, and comes back', async () => {
  const { ann, bob } = await openBoth('people', '#recent');
  const everybody = bob.page.getByRole('complementary', { name: 'People' });
  const list = ann.page.getByRole('list', { name: 'People' });
  await expectShown(rowOf(ann, 'Bob Ray').getByText(/Member · .* · Here now/));
  const adding = ann.page.locator('summary', { hasText: 'Add a person' });
  const [above, below] = [await adding.boundingBox(), await list.boundingBox()];
  expect(above?.y ?? Infinity).toBeLessThan(below?.y ?? 0);
  await adding.click();
  await ann.page.getByLabel('Name', { exact: true }).fill('Eve New');
  await ann.page.getByLabel('Address').fill('eve@example.com');
  await ann.page.getByLabel('Password').fill('guess');
  await ann.page.getByRole('button', { name: 'Add', exact: true }).click();
  await expectShown(ann.page.locator('form [data-kind="failed"]'));
  await expectShown(ann.page.getByText('At least 6 characters'));
  await ann.page.getByLabel('Password').fill(annPassword);
  await ann.page.getByRole('button', { name: 'Add', exact: true }).click();
  await expectShown(everybody.getByText('Eve New'));
  const row = rowOf(ann, 'Eve New');
  await row.locator('summary').click();
  await row.getByLabel('Role').selectOption('Guest');
  await expectShown(row.getByText('Guest ·'));
  const deactivate = row.getByRole('button', { name: 'Deactivate: Eve New' });
  const colorOf = (element: Element): string => getComputedStyle(element).color;
  expect(await deactivate.evaluate(colorOf)).toBe(await row.locator('strong').evaluate(colorOf));
  await deactivate.click();
  await answer(ann, 'Cancel');
  await row.getByRole('button', { name: 'Deactivate: Eve New' }).click();
  await answer(ann, 'Deactivate');
  await expectGone(everybody.getByText('Eve New'));
  await row.getByRole('button', { name: 'Reactivate: Eve New' }).click();
  await expectShown(everybody.getByText('Eve New'));
});

test('name and permissions of the organization hold for others at once', async () => {
  const { ann, bob } = await openBoth('organization', '#streams');
  await ann.page.getByLabel('Name', { exact: true }).fill('The Quay');
  await ann.page.getByLabel('Name', { exact: true }).press('Enter');
  await expectShown(bob.page.getByRole('link', { name: 'The Quay' }));
  await ann.page.getByLabel('Icon').setInputFiles({
    name: 'icon.png',
    mimeType: 'image/png',
    buffer: await ann.page.screenshot(),
  });
  await ann.page.getByRole('button', { name: 'Remove: Icon' }).click();
  await expectGone(ann.page.getByRole('button', { name: 'Remove: Icon' }));
  await expectShown(bob.page.locator('summary', { hasText: 'Create a stream' }));
  await ann.go('#settings/permissions');
  await ann.page.getByLabel('Who may create streams').selectOption('Administrators');
  await expectGone(bob.page.locator('summary', { hasText: 'Create a stream' }));
  await ann.page.getByLabel('Who may create streams').selectOption('Members');
  await expectShown(bob.page.locator('summary', { hasText: 'Create a stream' }));
});

test('custom emoji are added and removed', async () => {
  const { ann, bob } = await openBoth('emoji', '#settings/emoji');
  await ann.page.getByLabel('Name', { exact: true }).fill('Not a name!');
  await ann.page.getByLabel('Picture').setInputFiles({
    name: 'puffin.png',
    mimeType: 'image/png',
    buffer: await ann.page.screenshot(),
  });
  await ann.page.getByRole('button', { name: 'Add', exact: true }).click();
  await expectShown(ann.page.locator('form [data-kind="failed"]'));
  await ann.page.getByLabel('Name', { exact: true }).fill('puffin');
  await ann.page.getByRole('button', { name: 'Add', exact: true }).click();
  await expectShown(rowOf(bob, 'puffin').locator('img'));
  expect(await rowOf(bob, 'puffin').getByRole('button').count()).toBe(0);
  await rowOf(ann, 'puffin').getByRole('button', { name: 'Remove: puffin' }).click();
  await answer(ann, 'Remove');
  await expectGone(rowOf(bob, 'puffin'));
});

test('a linkifier makes links of messages, until it is removed', async () => {
  const { general, bob: account } = system();
  const place = `#narrow/stream/${general.id}-general/topic/tickets`;
  await sendTo(account, general, 'tickets', 'Hello');
  const { ann, bob } = await openBoth('linkifiers', place);
  await ann.page.getByLabel('Pattern').fill('ticket (');
  await ann.page.getByLabel('Address').fill('https://tickets.example.com/%(id)s');
  await ann.page.getByRole('button', { name: 'Add', exact: true }).click();
  await expectShown(ann.page.locator('form [data-kind="failed"]'));
  await ann.page.getByLabel('Pattern').fill('#(?P<id>[0-9]+)');
  await ann.page.getByRole('button', { name: 'Add', exact: true }).click();
  await expectShown(rowOf(ann, 'https://tickets.example.com'));
  await bob.send('See #42');
  await expectShown(bob.page.getByRole('link', { name: '#42' }));
  await rowOf(ann, 'https://tickets.example.com').getByRole('button').click();
  await expectGone(rowOf(ann, 'https://tickets.example.com'));
});

test('a group is created, gets members, and is deleted after a question', async () => {
  const { ann, bob } = await openBoth('groups', '#settings/groups');
  const form = ann.page.getByRole('form', { name: 'Create a group' });
  await form.getByLabel('Name', { exact: true }).fill('rowers');
  await form.getByLabel('Description').fill('Who rows');
  await form.getByLabel('Bob Ray').check();
  await form.getByRole('button', { name: 'Add', exact: true }).click();
  await expectShown(rowOf(bob, 'rowers').getByText('1 member · Who rows'));
  const row = rowOf(ann, 'rowers');
  await form.getByRole('button', { name: 'Show it' }).click();
  await expectShown(row.and(ann.page.locator(':focus')));
  await row.locator('summary').click();
  await row.getByLabel('Cat Moe').check();
  await expectShown(rowOf(bob, 'rowers').getByText('2 members · Who rows'));
  await row.getByLabel('Bob Ray').uncheck();
  await expectShown(rowOf(bob, 'rowers').getByText('1 member · Who rows'));
  await row.getByRole('button', { name: 'Remove: rowers' }).click();
  await answer(ann, 'Remove');
  await expectGone(rowOf(bob, 'rowers'));
});

test('default streams, groups of streams and domains are kept for new people', async () => {
  const { general, ann: account } = system();
  const ann = await open(account, '#settings/default-streams');
  const { page } = ann;
  await page.getByRole('combobox', { name: 'Stream' }).selectOption('#general');
  await page.getByRole('button', { name: 'Add', exact: true }).click();
  await page.getByRole('button', { name: 'Remove: #general' }).click();
  await expectGone(page.getByRole('button', { name: 'Remove: #general' }));
  await ann.go('#settings/stream-groups');
  await page.getByLabel('Name', { exact: true }).fill('Boats');
  await page.getByLabel('#general').check();
  await page.getByRole('button', { name: 'Add', exact: true }).click();
  await expectShown(page.getByRole('listitem').filter({ hasText: 'Boats' }).getByText('#general'));
  const { realm_default_stream_groups: groups } = await account.typed.request('POST /register');
  expect(groups).toMatchObject([{ name: 'Boats', streams: [{ stream_id: general.id }] }]);
  await page.getByRole('button', { name: 'Remove: Boats' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove', exact: true }).click();
  await expectGone(page.getByRole('button', { name: 'Remove: Boats' }));
  await ann.go('#settings/domains');
  await page.getByLabel('Domain', { exact: true }).fill('quay.example');
  await page.getByRole('button', { name: 'Add', exact: true }).click();
  const row = page.getByRole('listitem').filter({ hasText: 'quay.example' });
  await row.locator('summary').click();
  await row.getByLabel('Subdomains too').check();
  await expectShown(row.getByText('With subdomains'));
  await row.getByRole('button', { name: 'Remove: quay.example' }).click();
  await expectGone(row);
});

test('profile fields are added, changed and reordered, and filled in by people', async () => {
  const { ann, bob } = await openBoth('profile-fields', '#settings/profile');
  const add = async (kind: string, name: string, data: string): Promise<void> => {
    await ann.page.getByLabel('Kind').selectOption(kind);
    const nameField = ann.page.getByLabel('Name', { exact: true }).first();
    await nameField.fill(name);
    await ann.page.getByLabel('Options or address').first().fill(data);
    await ann.page.getByRole('button', { name: 'Add', exact: true }).click();
    await expectShown(rowOf(ann, name));
    // The answer may come later than the event.
    await waitUntil('the form is empty', async () => (await nameField.inputValue()) === '');
  };
  await add('List of options', 'Boat', 'Skiff\nYawl');
  await add('GitHub account', 'GitHub', '');
  await add('Account elsewhere', 'Log', 'https://log.example.com/%(username)s');
  await bob.page.getByLabel('Boat').selectOption('Yawl');
  await bob.page.getByLabel('GitHub').fill('bob');
  await bob.page.getByLabel('GitHub').press('Enter');
  await bob.page.getByLabel('Log', { exact: true }).fill('bobby');
  await bob.page.getByLabel('Log', { exact: true }).press('Enter');
  await ann.page.getByRole('button', { name: 'About Bob Ray' }).click();
  const card = ann.page.getByRole('dialog');
  await expectShown(card.getByText('Yawl'));
  for (const address of ['https://github.com/bob', 'https://log.example.com/bobby'])
    await expectShown(card.locator(`a[href="${address}"]`));
  await card.getByRole('button', { name: 'Close' }).click();
  await rowOf(ann, 'Boat').locator('summary').click();
  await rowOf(ann, 'Boat').getByLabel('Options or address').fill('Yawl\nPunt');
  await rowOf(ann, 'Boat').getByLabel('Options or address').blur();
  await expectShown(
    bob.page.locator('select', { has: bob.page.locator('option', { hasText: 'Punt' }) }),
  );
  await expectShown(
    bob.page.locator('select', { has: bob.page.locator('option:checked', { hasText: 'Yawl' }) }),
  );
  await ann.page.getByRole('button', { name: 'Move up: Log' }).click();
  await expectShown(bob.page.locator('form:has-text("Log") + form:has-text("GitHub")'));
  await ann.page.getByRole('button', { name: 'Remove: Boat' }).click();
  await answer(ann, 'Remove');
  await expectGone(bob.page.getByLabel('Boat'));
});

test('the public data is exported, downloaded and deleted', async () => {
  const { page } = await open(system().ann, '#settings/exports');
  await page.getByRole('button', { name: 'Make an export' }).click();
  const row = page.getByRole('list', { name: 'Public data' }).getByRole('listitem');
  await expectShown(row.getByText('Ready'));
  const downloading = page.waitForEvent('download');
  await row.getByRole('link').click();
  expect((await downloading).suggestedFilename()).toMatch(/^public-export-\d+\.tar\.gz$/);
  await row.getByRole('button', { name: 'Remove' }).click();
  await expectShown(row.getByText('Deleted'));
  await expectGone(row.getByRole('link'));
});
