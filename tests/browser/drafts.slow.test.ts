/** Drafts of an account are on all of its devices: on the server after a moment, and nowhere lost where two devices write. */
import { waitUntil } from '@parley/test-kit';
import type { TestAccount } from '@parley/test-kit';
import { expect, test } from 'vitest';

import { sendTo, startBrowserTests } from './browser-system.ts';
import { expectGone, expectShown, expectWritten } from './visitor.ts';
import type { Visitor } from './visitor.ts';

const { system, visit } = startBrowserTests();

const desktop = { viewport: { width: 1440, height: 900 } };
const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };

function fragmentOf(topic: string): string {
  return `#narrow/stream/${system().general.id}-general/topic/${topic}`;
}

/** A person with a topic to write in. */
async function makeWriter(name: string, topic: string): Promise<TestAccount> {
  const { organization, bob, general } = system();
  const writer = await organization.makeAccount(name);
  await writer.typed.request('POST /users/me/subscriptions', {
    subscriptions: [{ name: 'general' }],
  });
  await sendTo(bob, general, topic, 'A question');
  return writer;
}

async function openOn(
  device: Parameters<typeof visit>[0],
  account: TestAccount,
  fragment: string,
): Promise<Visitor> {
  const visitor = await visit(device);
  await visitor.enter(account, fragment);
  return visitor;
}

async function expectOnServer(account: TestAccount, contents: readonly string[]): Promise<void> {
  let kept: readonly string[] = [];
  await waitUntil(
    'the server has the drafts',
    async () => {
      const { drafts } = await account.typed.request('GET /drafts');
      kept = drafts.map(({ content }) => content);
      return JSON.stringify(kept) === JSON.stringify(contents);
    },
    { describe: () => JSON.stringify(kept) },
  );
}

test('a phone goes on where the desktop stopped, and the desktop where the phone did', async () => {
  const writer = await makeWriter('Dee Devices', 'devices');
  const atDesk = await openOn(desktop, writer, fragmentOf('devices'));
  await expectShown(atDesk.message('A question'));
  const onPhone = await openOn(phone, writer, '#drafts');
  await expectShown(onPhone.page.getByText('There are no drafts.'));
  await atDesk.composeField.fill('Half an');
  const draft = onPhone.page.getByRole('article', { name: '#general > devices' });
  await expectShown(draft.getByText('Half an'));
  await expectShown(onPhone.page.getByText('for all your devices'));
  await draft.getByRole('button', { name: 'Continue writing' }).tap();
  await expectWritten(onPhone, 'Half an');
  await onPhone.composeField.fill('Half an answer');
  await expectWritten(atDesk, 'Half an answer');
  await onPhone.page.getByRole('button', { name: 'Send', exact: true }).tap();
  await expectShown(atDesk.message('Half an answer'));
  await expectWritten(atDesk, '');
  await expectOnServer(writer, []);
});

test('what two devices write in one conversation stays, also where one was offline', async () => {
  const writer = await makeWriter('Olly Offline', 'apart');
  const first = await openOn({ ...desktop, serviceWorkers: 'block' }, writer, fragmentOf('apart'));
  first.expectOutage();
  await expectShown(first.message('A question'));
  await first.composeField.fill('Together');
  await expectOnServer(writer, ['Together']);
  const second = await openOn(desktop, writer, fragmentOf('apart'));
  await expectWritten(second, 'Together');
  await first.context.setOffline(true);
  await first.composeField.fill('Together, and from the train');
  await second.composeField.fill('Together, and from the desk');
  await expectOnServer(writer, ['Together, and from the desk']);
  await first.context.setOffline(false);
  const both = 'Together, and from the desk\n\nTogether, and from the train';
  await expectWritten(first, both);
  await expectWritten(second, both);
  await expectOnServer(writer, [both]);
});

test('signing out leaves drafts on the server, and none in the browser', async () => {
  const writer = await makeWriter('Sid Signer', 'leaving');
  const visitor = await openOn(desktop, writer, fragmentOf('leaving'));
  const { page } = visitor;
  await expectShown(visitor.message('A question'));
  await visitor.composeField.fill('Not yet');
  await page.getByRole('button', { name: 'Your account' }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await expectShown(page.getByLabel('Email address'));
  expect(await page.evaluate(() => Object.keys(localStorage))).toEqual([]);
  await expectOnServer(writer, ['Not yet']);
  await visitor.enter(writer, fragmentOf('leaving'));
  await visitor.page.reload();
  await expectWritten(visitor, 'Not yet');
});

test('whoever does not want it keeps drafts in the browser', async () => {
  const writer = await makeWriter('Una Unsynced', 'alone');
  await writer.typed.request('PATCH /settings/display', { enable_drafts_synchronization: false });
  const visitor = await openOn(desktop, writer, fragmentOf('alone'));
  const { page } = visitor;
  await expectShown(visitor.message('A question'));
  await visitor.composeField.fill('Only here');
  await visitor.go('#drafts');
  await expectShown(page.getByText('in this browser only'));
  await expectShown(page.getByRole('article', { name: '#general > alone' }));
  expect((await writer.typed.request('GET /drafts')).drafts).toEqual([]);
  await writer.typed.request('PATCH /settings/display', { enable_drafts_synchronization: true });
  await expectGone(page.getByText('in this browser only'));
  await expectOnServer(writer, ['Only here']);
});
