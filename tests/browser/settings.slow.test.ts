/** What people change of their own account in the page, seen in another browser or by the API. */
import { openTestPool, waitUntil } from '@parley/test-kit';
import { expect, test } from 'vitest';

import { annPassword, startBrowserTests } from './browser-system.ts';
import { expectGone, expectShown, foundEmoji } from './visitor.ts';
import type { Visitor } from './visitor.ts';

const { system, visit, open } = startBrowserTests();

async function expectSignedOut({ page }: Visitor): Promise<void> {
  await expectShown(page.getByRole('button', { name: 'Sign in', exact: true }));
}

async function expectRefused({ page }: Visitor, text: string): Promise<void> {
  await expectShown(page.locator('[data-kind="failed"]').filter({ hasText: text }));
}

/** The card of a person, in another browser. */
async function openCard(visitor: Visitor, name: string) {
  await visitor.page.getByRole('button', { name: `About ${name}` }).click();
  return visitor.page.getByRole('dialog');
}

test('name, status and picture of a person reach others', async () => {
  const { ann, organization } = system();
  const dan = await open(await organization.makeAccount('Dan Oak'), '#settings/profile');
  const other = await open(ann, '#recent');
  await dan.page.getByRole('button', { name: 'Your account' }).click();
  await dan.page.getByRole('menuitem', { name: 'Your status' }).click();
  await dan.page.getByLabel('What you do').fill('At the quay');
  await dan.page.getByLabel(/^Away/).check();
  await dan.page.getByRole('button', { name: 'Set the status' }).click();
  await expectGone(dan.page.getByRole('dialog', { name: 'Your status' }));
  await dan.page.getByLabel('Name', { exact: true }).fill('Dan Elm');
  await dan.page.getByLabel('Name', { exact: true }).press('Enter');
  await dan.page.getByLabel('Picture').setInputFiles({
    name: 'face.png',
    mimeType: 'image/png',
    buffer: await dan.page.screenshot(),
  });
  const card = await openCard(other, 'Dan Elm');
  await expectShown(card.getByText('At the quay'));
  await expectShown(card.getByText('Away', { exact: true }));
  await expectShown(card.locator('img'));
  await dan.page.getByRole('button', { name: 'Remove: Picture' }).click();
  await expectGone(card.locator('img'));
});

test('settings of display and notifications hold in every browser at once', async () => {
  const dan = await system().organization.makeAccount('Eve Fir');
  const [one, other] = [await open(dan, '#settings/display'), await open(dan, '#settings/display')];
  await one.page.getByLabel('Dark colours').check();
  await expectShown(other.page.locator('html[data-theme="dark"]'));
  await expectShown(other.page.getByRole('checkbox', { name: 'Dark colours', checked: true }));
  for (const visitor of [one, other]) await visitor.go('#settings/notifications');
  await one.page.getByLabel('Sounds', { exact: true }).uncheck();
  await one.page.getByLabel('Number in the title and on the icon').selectOption('None');
  await expectShown(
    other.page.getByRole('checkbox', { name: 'Sounds', exact: true, checked: false }),
  );
  const chosen = other.page.locator('option:checked', { hasText: /^None$/ });
  await expectShown(other.page.locator('select', { has: chosen }));
});

test('what is changed again while it is being saved is saved after that', async () => {
  const dan = await system().organization.makeAccount('Una Fir');
  const place = '#settings/notifications';
  const [one, other] = [await open(dan, place), await open(dan, place)];
  const [caught, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  await one.page.route('**/api/v1/settings/notifications', async (route) => {
    caught.resolve();
    await released.promise;
    await route.continue();
  });
  const field = one.page.getByLabel('Number in the title and on the icon');
  await field.selectOption('Private messages and mentions');
  await caught.promise;
  await field.selectOption('None');
  released.resolve();
  const chosen = other.page.locator('option:checked', { hasText: /^None$/ });
  await expectShown(other.page.locator('select', { has: chosen }));
});

test('alert words are added and removed', async () => {
  const account = await system().organization.makeAccount('Fay Ash');
  const [one, other] = [
    await open(account, '#settings/alert-words'),
    await open(account, '#settings/alert-words'),
  ];
  await one.page.getByLabel('Word or phrase').fill('low tide');
  await one.page.getByLabel('Word or phrase').press('Enter');
  const entry = other.page.getByRole('listitem').filter({ hasText: 'low tide' });
  await expectShown(entry);
  await entry.getByRole('button', { name: 'Remove: low tide' }).click();
  await expectGone(one.page.getByRole('listitem').filter({ hasText: 'low tide' }));
});

test('a person sees the own browsers, and signs out one of them or all others', async () => {
  const account = await system().organization.makeAccount('Gil Yew');
  const first = await open(account, '#recent');
  const own = await open(account, '#settings/sessions');
  const end = own.page.getByRole('button', { name: /^Sign out: / });
  await expectShown(own.page.getByText('This browser'));
  await end.click();
  await expectSignedOut(first);
  await expectShown(first.page.getByText('Your session has ended.'));
  await expectGone(end);
  const others = [await open(account, '#recent'), await open(account, '#recent')];
  await own.page.reload();
  await own.page.getByRole('button', { name: 'Sign out all other browsers' }).click();
  for (const other of others) await expectSignedOut(other);
  await expectGone(end.first());
  await expectShown(own.page.getByText('This browser'));
});

test('a new password needs the present one and signs out every browser', async () => {
  const password = 'a boat in the fog';
  const account = await system().organization.makeAccount('Hal Elm', { password });
  const other = await open(account, '#recent');
  const own = await open(account, '#settings/account');
  const form = own.page.getByRole('form', { name: 'Change the password' });
  const change = form.getByRole('button', { name: 'Change', exact: true });
  await own.page.getByLabel('Your password until now').fill('not this one');
  await own.page.getByLabel('New password').fill(annPassword);
  await change.click();
  await expectRefused(own, 'Wrong password!');
  await own.page.getByLabel('Your password until now').fill(password);
  await change.click();
  for (const visitor of [own, other]) await expectSignedOut(visitor);
  await own.page.getByLabel('Email address').fill(account.email);
  await own.page.getByLabel('Password').fill(annPassword);
  await own.page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await expectShown(own.page.getByRole('navigation').first());
});

test('a new address is asked for by a mail', async () => {
  const visitor = await open(
    await system().organization.makeAccount('Kay Fir'),
    '#settings/account',
  );
  const form = visitor.page.getByRole('form', { name: 'Change the email address' });
  await form.getByLabel('Address').fill('kay.fir@example.com');
  await form.getByRole('button', { name: 'Change' }).click();
  await expectShown(form.getByText('An email to the new address asks for a confirmation.'));
});

test('the API key is shown for the password, and replaced after a question', async () => {
  const account = await system().organization.makeAccount('Ida Oak', { password: annPassword });
  const { page } = await open(account, '#settings/api-key');
  await page.getByLabel('Password').fill(annPassword);
  await page.getByRole('button', { name: 'Show the key' }).click();
  await expectShown(page.getByLabel('Your API key').filter({ hasText: account.apiKey }));
  await page.getByRole('button', { name: 'Replace the key' }).click();
  const question = page.getByRole('dialog');
  await question.getByRole('button', { name: 'Cancel' }).click();
  expect((await account.typed.attempt('GET /users/me')).result).toBe('success');
  await page.getByRole('button', { name: 'Replace the key' }).click();
  const pool = openTestPool(system().cluster.settings.databaseUrl);
  await pool.query(
    "UPDATE sessions SET created_at = created_at - interval '11 minutes' WHERE user_id = $1",
    [account.id],
  );
  await pool.end();
  await question.getByRole('button', { name: 'Replace the key' }).click();
  const proof = page.getByRole('dialog', { name: 'Is it you?' });
  await proof.getByLabel('Your password').fill('another password');
  await proof.getByRole('button', { name: 'Go on' }).click();
  await expectShown(proof.getByText('Wrong password!'));
  await proof.getByLabel('Your password').fill(annPassword);
  await proof.getByRole('button', { name: 'Go on' }).click();
  await expectShown(page.getByRole('button', { name: 'Sign in', exact: true }));
  expect((await account.typed.attempt('GET /users/me')).result).toBe('error');
});

test('a bot is created, gets a picture, and is deactivated after a question', async () => {
  const account = await system().organization.makeAccount('Jon Fir');
  const { page } = await open(account, '#settings/bots');
  await page.getByLabel('Name', { exact: true }).fill('Tide Bot');
  await page.getByLabel('Short name').fill('tide');
  await page.getByRole('button', { name: 'Add', exact: true }).click();
  await page.locator('summary', { hasText: 'Edit' }).click();
  await page.getByLabel('Picture').setInputFiles({
    name: 'bot.png',
    mimeType: 'image/png',
    buffer: await page.screenshot(),
  });
  await expectShown(page.locator('.disclosure-content img'));
  const { bots } = await account.typed.request('GET /bots');
  expect(bots.map(({ full_name }) => full_name)).toEqual(['Tide Bot']);
  await expectShown(page.getByText(bots[0]?.api_key ?? 'a key'));
  const download = page.waitForEvent('download');
  await page.getByRole('link', { name: 'Download configuration' }).click();
  expect((await download).suggestedFilename()).toBe('zuliprc');
  await page.getByRole('button', { name: 'Deactivate: Tide Bot' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Deactivate' }).click();
  await expectShown(page.getByRole('button', { name: 'Reactivate: Tide Bot' }));
  expect((await account.typed.request('GET /bots')).bots).toEqual([]);
});

test.each([
  ['guest', ['User groups', 'Custom emoji'], false],
  ['bob', ['User groups', 'Custom emoji', 'Invitations'], true],
] as const)('%s is not offered what administrators do', async (name, offered, mayHaveBots) => {
  const { page } = await open(system()[name], '#settings/people');
  await expectShown(page.getByRole('heading', { level: 1, name: 'Profile' }));
  const links = page.getByRole('navigation', { name: 'Settings' }).getByRole('link');
  const names = await links.allInnerTexts();
  expect(names.slice(names.indexOf('Account') + 1)).toEqual(
    mayHaveBots ? ['Bots', ...offered] : offered,
  );
});

test('somebody signs in as one of the people of a development server, and signing out erases every store', async () => {
  const visitor = await visit();
  const { page } = visitor;
  await visitor.go('');
  await page.getByRole('button', { name: system().cat.email, exact: true }).click();
  await visitor.go(`#narrow/stream/${system().general.id}-general/topic/draft`);
  await visitor.composeField.fill('Not finished');
  await visitor.go('#drafts');
  await expectShown(page.getByText('Not finished').first());
  await page.getByRole('button', { name: 'Your account' }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await expectSignedOut(visitor);
  const left = await page.evaluate(async () => [
    ...Object.keys(localStorage),
    ...Object.keys(sessionStorage),
    ...(await indexedDB.databases()).map(({ name }) => name),
  ]);
  expect(left).toEqual([]);
  // The browser is still known as one in which somebody signed in (decision 0070); whose it was, it does not say.
  const cookies = await visitor.context.cookies();
  expect(cookies.map(({ name }) => name.replace(/-\d+$/, ''))).toEqual(['parley-device']);
});

test.each([1_440, 1_024, 390])(
  'the account menu has status, colours, shortcuts and the way to invite: %i px',
  async (width) => {
    const account = await system().organization.makeAccount(`Mia Elm ${width}`);
    const visitor = await visit({ colorScheme: 'dark', viewport: { width, height: 844 } });
    const { page } = visitor;
    await visitor.enter(account, '#recent');
    const choose = async (item: string): Promise<void> => {
      await page.getByRole('button', { name: 'Your account' }).click();
      await page.getByRole('menuitem', { name: item, exact: true }).click();
    };
    await choose('Your status');
    const dialog = page.getByRole('dialog', { name: 'Your status' });
    await dialog.getByLabel('What you do').fill('In the dock');
    await dialog.getByRole('button', { name: 'Choose an emoji' }).click();
    const picker = page.getByRole('dialog', { name: 'Choose an emoji' });
    await picker.getByRole('searchbox').fill('tada');
    await foundEmoji(picker, 'tada').click();
    await dialog.getByLabel('Until when').selectOption({ index: 1 });
    await dialog.getByRole('button', { name: 'Set the status' }).click();
    await expectGone(dialog);
    const { user_status } = await account.typed.request('POST /register');
    expect(user_status?.[String(account.id)]?.status_text).toMatch(/^🎉.* In the dock · until /u);

    const groundOf = () =>
      page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
    const dark = await groundOf();
    await choose('Light colours');
    await waitUntil(
      'the colours are light',
      async () => (await groundOf()) === 'rgb(255, 255, 255)',
    );
    await page.reload();
    await waitUntil(
      'the colours are light',
      async () => (await groundOf()) === 'rgb(255, 255, 255)',
    );
    await choose('Colours of the device');
    await waitUntil('the colours are dark', async () => (await groundOf()) === dark);
    await choose('Keyboard shortcuts');
    await expectShown(page.getByRole('dialog', { name: 'Keyboard shortcuts' }));
    await page.keyboard.press('Escape');
    await choose('Invite people');
    await expectShown(page.getByRole('heading', { level: 1, name: 'Invitations' }));
  },
);

test('the logo of the organization stands in place of its name, one for light and one for dark colours', async () => {
  const { ann } = system();
  const visitor = await open(ann, '#settings/organization');
  const { page } = visitor;
  await page.getByLabel('Logo for light colours').setInputFiles({
    name: 'logo.png',
    mimeType: 'image/png',
    buffer: await page.screenshot(),
  });
  await expectShown(page.locator('.organization img'));
  const other = await visit({ colorScheme: 'dark' });
  await other.enter(ann, '#recent');
  await expectShown(other.page.locator('.organization', { hasText: /\w/ }));
  await page.getByRole('button', { name: 'Remove: Logo for light colours' }).click();
  await expectGone(page.locator('.organization img'));
});
