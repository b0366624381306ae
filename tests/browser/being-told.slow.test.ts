/** Being told while a page is open: title, icon, notifications of the desktop. */
import { waitUntil } from '@parley/test-kit';
import { expect, test } from 'vitest';

import { sendTo, startBrowserTests } from './browser-system.ts';
import type { Visitor } from './visitor.ts';

const { system, visit } = startBrowserTests();

/** Browsers without a screen show no notifications, so the page's are written down. */
async function noteNotifications(visitor: Visitor): Promise<() => Promise<readonly string[]>> {
  await visitor.context.addInitScript(() => {
    const noted: string[] = [];
    class Noted extends EventTarget {
      static readonly permission = 'granted';
      constructor(title: string, { body }: { readonly body: string }) {
        super();
        noted.push(`${title}: ${body}`);
      }
    }
    Object.assign(window, { Notification: Noted, noted });
  });
  return async () =>
    (
      await Promise.all(
        visitor.context
          .pages()
          .map((page) => page.evaluate(() => (window as unknown as { noted: string[] }).noted)),
      )
    ).flat();
}

const titleOf = (visitor: Visitor): Promise<string> => visitor.page.title();

test('unread messages are counted in the title, and the icon says whether they concern the person', async () => {
  const { ann, bob, general } = system();
  const visitor = await visit();
  await visitor.enter(ann, '#recent');
  await waitUntil('nothing is unread', async () =>
    /^[^(].*Test Organization$/.test(await titleOf(visitor)),
  );
  const icon = visitor.page.locator('link[rel="icon"]');
  expect(await icon.getAttribute('href')).toBe('/icon.svg');
  await sendTo(bob, general, 'counting', 'one');
  await waitUntil('one is counted', async () => (await titleOf(visitor)).startsWith('(1) '));
  expect(await icon.getAttribute('href')).toBe('/icon-unread.svg');
  await sendTo(bob, general, 'counting', '@**Ann Lee** two');
  await waitUntil('both are counted', async () => (await titleOf(visitor)).startsWith('(2) '));
  expect(await icon.getAttribute('href')).toBe('/icon-mentioned.svg');
  await ann.typed.request('POST /mark_all_as_read');
  await waitUntil(
    'what was read is not counted',
    async () => !(await titleOf(visitor)).startsWith('('),
  );
});

test('of several tabs one shows a notification: of mentions and private messages, not of the rest', async () => {
  const { ann, bob, general } = system();
  const visitor = await visit();
  const noted = await noteNotifications(visitor);
  await visitor.enter(ann, '#recent');
  for (let tab = 0; tab < 2; tab += 1)
    await (await visitor.context.newPage()).goto(`${visitor.url}/#recent`);
  for (const page of visitor.context.pages())
    await page.waitForFunction(() => document.title.endsWith('Test Organization'));
  await sendTo(bob, general, 'noise', 'nobody in particular');
  await sendTo(bob, general, 'noise', '@**Ann Lee** the *soup* is ready');
  await bob.typed.request('POST /messages', {
    type: 'private',
    to: JSON.stringify([ann.id]),
    content: 'Psst',
  });
  await waitUntil('the private message is shown', async () =>
    (await noted()).includes('Bob Ray: Psst'),
  );
  expect(await noted()).toEqual([
    'Bob Ray (#general > noise): @Ann Lee the soup is ready',
    'Bob Ray: Psst',
  ]);
});
