/** What people do with links from mails: a lost password, another address, and joining (decision 0050). */
import { rm } from 'node:fs/promises';

import { afterAll, expect, test } from 'vitest';

import { makeMailFolder, tokenIn, waitForMail } from '../support/kept-mails.ts';
import { annPassword, startBrowserTests } from './browser-system.ts';
import { expectGone, expectShown } from './visitor.ts';
import type { Visitor } from './visitor.ts';

const folder = makeMailFolder();
const { system, visit, open } = startBrowserTests({ environment: { PARLEY_MAIL_DIR: folder } });
afterAll(async () => rm(folder, { recursive: true, force: true }));

const newPassword = 'the heron sleeps on one leg';

/** Opens a link as a click in a mail does. */
async function openLink(visitor: Visitor, purpose: string, token: string): Promise<void> {
  await visitor.page.goto('about:blank');
  await visitor.go(`#${purpose}/${token}`);
}

async function signIn({ page }: Visitor, email: string, password: string): Promise<void> {
  await page.getByLabel('Email address').fill(email);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
}

/** The page before had a field of the same name, which would take the address and go. */
async function askForLink({ page }: Visitor, email: string): Promise<void> {
  const send = page.getByRole('button', { name: 'Send the link' });
  await expectShown(send);
  await page.getByLabel('Email address').fill(email);
  await send.click();
}

// First, with the key that ends with the lost password.
test('where no invitation is needed, a stranger asks for an account', async () => {
  const visitor = await visit();
  const { page } = visitor;
  const email = 'otto.yew@example.com';
  await system().ann.typed.request('PATCH /realm', { invite_required: false });
  await visitor.go('');
  await page.getByRole('button', { name: 'Create an account' }).click();
  await askForLink(visitor, email);
  await expectShown(page.getByText(`An email to ${email} is on its way`));
  await openLink(visitor, 'join', tokenIn(await waitForMail(folder, email)));
  await createAccount(visitor, 'Otto Yew');
  await expectShown(page.getByRole('navigation'));
});

test('a lost password is replaced by a link, which leaves the address at once and works once', async () => {
  const visitor = await visit();
  const { page } = visitor;
  const { email } = system().ann;
  await visitor.go('');
  await page.getByRole('button', { name: 'Forgot your password?' }).click();
  await askForLink(visitor, email);
  await expectShown(page.getByText(`If there is an account with the address ${email}`));
  const token = tokenIn(await waitForMail(folder, email));

  await openLink(visitor, 'reset', token);
  const field = page.getByLabel('New password');
  await expectShown(field);
  expect(await page.evaluate(() => location.href)).not.toContain(token);
  expect(await page.evaluate(() => JSON.stringify(localStorage))).not.toContain(token);
  await field.fill('1234');
  await page.getByRole('button', { name: 'Choose this password' }).click();
  await expectShown(page.getByText('New password is too weak!'));
  await field.fill(newPassword);
  await page.getByRole('button', { name: 'Choose this password' }).click();
  await expectShown(page.getByText(`Sign in as ${email} with your new password.`));
  await page.getByRole('button', { name: 'Go on' }).click();
  await signIn(visitor, email, annPassword);
  await expectShown(page.getByRole('alert'));
  await signIn(visitor, email, newPassword);
  await expectShown(page.getByRole('navigation'));

  await openLink(visitor, 'reset', token);
  await page.getByLabel('New password').fill(annPassword);
  await page.getByRole('button', { name: 'Choose this password' }).click();
  await expectShown(page.getByText('This link is not valid any more.'));
  await page.getByRole('button', { name: 'Not now' }).click();
  await expectShown(page.getByRole('navigation'));
});

test('another address is asked for in the settings and used once it was confirmed', async () => {
  const visitor = await visit();
  const { page } = visitor;
  const { bob } = system();
  const address = `new.${bob.email}`;
  await visitor.enter(bob, '#settings/account');
  const form = page.getByRole('form', { name: 'Change the email address' });
  await form.getByLabel('Address').fill(address);
  await form.getByRole('button', { name: 'Change' }).click();
  const token = tokenIn(await waitForMail(folder, address));

  await openLink(visitor, 'confirm', token);
  await page.getByRole('button', { name: 'Confirm the address' }).click();
  await expectShown(page.getByText(`${address} is the address of your account now.`));
  await page.getByRole('button', { name: 'Go on' }).click();
  await expectShown(page.getByRole('navigation'));
});

async function createAccount({ page }: Visitor, name: string): Promise<void> {
  await page.getByLabel('Your name').fill(name);
  await page.getByLabel('New password').fill(newPassword);
  await page.getByRole('button', { name: 'Create the account' }).click();
}

test('an invited person makes an account by the link, is signed in, and in the stream of the invitation', async () => {
  const [inviting, visitor] = [await visit(), await visit()];
  const { page } = visitor;
  const { ann, general } = system();
  const email = 'ida.oak@example.com';
  await inviting.enter(ann, '#settings/invitations');
  const form = inviting.page.getByRole('form', { name: 'Invite people' });
  await form.getByLabel('Addresses').fill(email);
  await form.getByText(`#${general.name}`).click();
  await form.getByRole('button', { name: 'Invite' }).click();
  const invitations = inviting.page.getByRole('list', { name: 'Invitations' });
  const invited = invitations.getByText(email);
  await expectShown(invited);
  await openLink(visitor, 'join', tokenIn(await waitForMail(folder, email)));
  await expectShown(page.getByText('Ann Lee invites you to'));
  await createAccount(visitor, 'Ida Oak');
  await expectShown(page.getByRole('navigation').getByText(general.name));
  await expectGone(invited);
});

test('a link for anybody asks for an address, to which the link to the account is mailed; who is signed in stays so', async () => {
  const [inviting, visitor] = [await visit(), await visit()];
  const { page } = visitor;
  const email = 'una.elm@example.com';
  await inviting.enter(system().ann, '#settings/invitations');
  await inviting.page.locator('summary', { hasText: 'Make a link for anybody' }).click();
  const form = inviting.page.getByRole('form', { name: 'Make a link for anybody' });
  await inviting.context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await form.getByLabel('It can be used for').selectOption('A month');
  await form.getByLabel('How many people may join by it').fill('20');
  await form.getByRole('button', { name: 'Make the link' }).click();
  const made = inviting.page.getByRole('status', { name: 'The new link' });
  await inviting.page.getByRole('paragraph').filter({ has: made }).getByRole('button').click();
  await expectShown(inviting.page.getByText('Copied.'));
  expect(await inviting.page.evaluate(() => navigator.clipboard.readText())).toBe(
    await made.innerText(),
  );
  const invitations = inviting.page.getByRole('list', { name: 'Invitations' });
  const link = invitations.locator('strong', { hasText: '/#join/' });
  await expectShown(invitations.getByText('used by 0 of 20'));
  const token = (await link.innerText()).split('/').at(-1) ?? '';
  await openLink(visitor, 'join', token);
  await askForLink(visitor, email);
  await expectShown(page.getByText(`An email to ${email} is on its way`));
  await visitor.enter(system().ann);
  await openLink(visitor, 'join', tokenIn(await waitForMail(folder, email)));
  await createAccount(visitor, 'Una Elm');
  await expectShown(page.getByText(`Your account is ready. Sign in as ${email}.`));

  await invitations.getByRole('button', { name: 'Remove' }).click();
  await inviting.page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
  await expectGone(link);
  await openLink(visitor, 'join', token);
  await expectShown(page.getByText('This link is not valid any more.'));
});

test('a member invites by names, reads which addresses are wrong, and a used link leads to signing in', async () => {
  const [inviting, visitor] = [await visit(), await visit()];
  const { page } = visitor;
  const { cat, organization } = system();
  // The key of Ann ended with her lost password.
  const admin = await organization.makeAccount('Flo Yew', { role: 'administrator' });
  const email = 'nils.ask@example.com';
  const { id: stream_id } = await organization.makeStream('zebra', [admin, cat]);
  await admin.typed.request('POST /default_streams', { stream_id });
  await inviting.enter(cat, '#settings/invitations');
  const form = inviting.page.getByRole('form', { name: 'Invite people' });
  await form.getByLabel('Email addresses').fill(`Nils Ask <${email}>, wrong@`);
  await expectShown(form.getByRole('checkbox', { checked: true }).first());
  await expectShown(form.getByRole('listitem').first().filter({ hasText: '#zebra' }));
  await form.getByRole('button', { name: 'Invite' }).click();
  await expectShown(form.getByText('wrong@: Invalid address.'));
  await form.getByLabel('Email addresses').fill(`Nils Ask <${email}>`);
  await form.getByRole('button', { name: 'Invite' }).click();
  await expectShown(form.getByText('The invitation is on its way.'));

  const token = tokenIn(await waitForMail(folder, email));
  await openLink(visitor, 'join', token);
  const name = page.getByLabel('Your name');
  await expectShown(name);
  expect(await name.inputValue()).toBe('Nils Ask');
  await expectShown(page.getByText('At least 6 characters'));
  await createAccount(visitor, 'Nils Ask');
  await expectShown(page.getByRole('navigation').getByText('zebra'));
  const again = await visit();
  await openLink(again, 'join', token);
  await expectShown(again.page.getByText('You have joined by this link already. Sign in.'));
  await again.page.getByRole('button', { name: 'I have an account: sign in' }).click();
  await signIn(again, email, newPassword);
  await expectShown(again.page.getByRole('navigation'));

  await admin.typed.request('PATCH /realm', { invite_by_admins_only: true });
  await expectGone(form);
});

test('whoever lost the answer that made the account is signed in all the same', async () => {
  const visitor = await visit({ serviceWorkers: 'block' });
  const { page } = visitor;
  const { general, organization } = system();
  const admin = await organization.makeAccount('Hanna Fir', { role: 'administrator' });
  visitor.expectOutage();
  const email = 'ute.ash@example.com';
  await admin.typed.request('POST /invites', { invitee_emails: email, stream_ids: [general.id] });
  await page.route('**/api/v1/join', async (route) => {
    await route.fetch();
    await route.fulfill({ status: 503, body: 'busy' });
  });
  await openLink(visitor, 'join', tokenIn(await waitForMail(folder, email)));
  await createAccount(visitor, 'Ute Ash');
  await expectShown(page.getByRole('navigation').getByText(general.name));
});

test('an administrator has a link to another password mailed', async () => {
  const { ann, guest } = system();
  const { page } = await open(ann, '#settings/people');
  const row = page.getByRole('main').getByRole('listitem').filter({ hasText: 'Gus Guest' });
  await row.locator('summary').click();
  await row.getByRole('button', { name: 'Reset the password: Gus Guest' }).click();
  await expectShown(row.getByText(`An email to ${guest.email} has a link`));
  const visitor = await visit();
  await openLink(visitor, 'reset', tokenIn(await waitForMail(folder, guest.email)));
  await expectShown(visitor.page.getByLabel('New password'));
});
