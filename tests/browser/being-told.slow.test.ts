/** Being told while a page is open: title, icon, notifications of the desktop, sound. */
import { waitUntil } from '@parley/test-kit';
import { expect, test } from 'vitest';

import { sendTo, startBrowserTests } from './browser-system.ts';
import { expectGone, expectShown } from './visitor.ts';
import type { Visitor } from './visitor.ts';

const { system, visit } = startBrowserTests();

/** What a page writes down, in place of a browser that has no screen. */
type Noting = {
  readonly noted: readonly string[];
  readonly tones: readonly number[];
  readonly last: EventTarget;
};

/** Writes down the notifications and tones of all pages. */
async function noteNotifications(
  visitor: Visitor,
  permission: NotificationPermission = 'granted',
): Promise<() => Promise<readonly string[]>> {
  await visitor.context.addInitScript((permission) => {
    const noted: string[] = [];
    const tones: number[] = [];
    class Noted extends EventTarget {
      static permission = permission;
      static requestPermission(): Promise<NotificationPermission> {
        Noted.permission = 'granted';
        return Promise.resolve(Noted.permission);
      }
      constructor(title: string, { body }: { readonly body: string }) {
        super();
        noted.push(`${title}: ${body}`);
        Object.assign(window, { last: this });
      }
      close(): void {
        noted.push('closed');
      }
    }
    class Heard extends OscillatorNode {
      override start(when?: number): void {
        tones.push(this.frequency.value);
        super.start(when);
      }
    }
    Object.assign(window, { Notification: Noted, OscillatorNode: Heard, noted, tones });
  }, permission);
  return async () =>
    (
      await Promise.all(
        visitor.context
          .pages()
          .map((page) => page.evaluate(() => (window as unknown as Noting).noted)),
      )
    ).flat();
}

/** Waits until every tab listens, and knows which of them tells: each that is opened takes that over. */
async function expectListening({ context }: Visitor): Promise<void> {
  for (const page of context.pages())
    await waitUntil('one of the tabs tells', () =>
      page.evaluate(async () => {
        const { held = [] } = await navigator.locks.query();
        return (
          document.title.endsWith('Test Organization') &&
          held.some(({ name }) => name?.startsWith('parley/notifying/'))
        );
      }),
    );
}

/** Bob writes to Ann alone. */
async function writeToAnn(content: string): Promise<void> {
  const { ann, bob } = system();
  await bob.typed.request('POST /messages', {
    type: 'private',
    to: JSON.stringify([ann.id]),
    content,
  });
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
  for (let tab = 0; tab < 2; tab += 1) await visitor.openTab('#recent');
  await expectListening(visitor);
  await sendTo(bob, general, 'noise', 'nobody in particular');
  await sendTo(bob, general, 'noise', '@**Ann Lee** the *soup* is ready');
  await writeToAnn('Psst');
  await waitUntil('the private message is shown', async () =>
    (await noted()).includes('Bob Ray: Psst'),
  );
  expect(await noted()).toEqual([
    'Bob Ray (#general > noise): @Ann Lee the soup is ready',
    'Bob Ray: Psst',
  ]);
});

test('a notification leads to its message, and nobody is told of the conversation that they look at', async () => {
  const { ann, bob, general } = system();
  const visitor = await visit();
  const noted = await noteNotifications(visitor);
  await visitor.enter(ann, '#recent');
  await expectListening(visitor);
  // Browsers keep a page silent that nobody has touched.
  await visitor.page.getByRole('heading', { name: 'Recent conversations' }).click();
  await writeToAnn('Come here');
  await waitUntil('it is told', async () => (await noted()).length > 0);
  const hear = async (): Promise<readonly number[]> =>
    visitor.page.evaluate(() => (window as unknown as Noting).tones);
  await waitUntil('it is heard', async () => (await hear()).length === 2);
  await visitor.page.evaluate(() =>
    (window as unknown as Noting).last.dispatchEvent(new Event('click')),
  );
  await expectShown(visitor.message('Come here'));
  await writeToAnn('Here you are');
  await expectShown(visitor.message('Here you are'));
  await ann.typed.request('PATCH /settings/notifications', {
    enable_sounds: false,
    pm_content_in_desktop_notifications: false,
  });
  await visitor.go('#recent');
  await writeToAnn('A secret');
  await waitUntil('it is told', async () => (await noted()).includes('Bob Ray: A new message'));
  await sendTo(bob, general, 'noise', '@**Ann Lee** the end');
  await waitUntil('it is told', async () => (await noted()).length === 4);
  expect(await noted()).toEqual([
    'Bob Ray: Come here',
    'closed',
    'Bob Ray: A new message',
    'Bob Ray (#general > noise): @Ann Lee the end',
  ]);
  expect((await hear()).length).toBe(2);
  await ann.typed.request('PATCH /settings/notifications', {
    enable_sounds: true,
    pm_content_in_desktop_notifications: true,
  });
});

test('a message that comes before the part that tells is loaded is told, unless it was read', async () => {
  const { ann, bob } = system();
  const visitor = await visit();
  const noted = await noteNotifications(visitor);
  await ann.typed.request('POST /mark_all_as_read');
  const { promise: isReleased, resolve: release } = Promise.withResolvers<void>();
  const asked = Promise.withResolvers<void>();
  await visitor.context.route(/\/assets\/page-notifications-/, async (route) => {
    asked.resolve();
    await isReleased;
    await route.continue();
  });
  await visitor.enter(ann, '#recent');
  await asked.promise;
  const { id = 0 } = await bob.typed.request('POST /messages', {
    type: 'private',
    to: JSON.stringify([ann.id]),
    content: 'Read elsewhere',
  });
  await writeToAnn('Before it is loaded');
  const list = visitor.page.getByRole('main');
  await expectShown(list.getByRole('img', { name: '2 unread' }));
  await ann.typed.request('POST /messages/flags', { messages: [id], op: 'add', flag: 'read' });
  await expectShown(list.getByRole('img', { name: '1 unread' }));
  release();
  await waitUntil('it is told', async () =>
    (await noted()).includes('Bob Ray: Before it is loaded'),
  );
  await writeToAnn('The next one');
  await waitUntil('the next is told', async () => (await noted()).length > 1);
  expect(await noted()).toEqual(['Bob Ray: Before it is loaded', 'Bob Ray: The next one']);
});

test('the page asks whether it may tell, and a person may put it off', async () => {
  const visitor = await visit();
  const noted = await noteNotifications(visitor, 'default');
  await visitor.enter(system().ann, '#recent');
  const question = visitor.page.getByRole('complementary', { name: 'can tell you' });
  await question.getByRole('button', { name: 'Not now' }).click();
  await expectGone(question);
  await visitor.page.reload();
  await question.getByRole('button', { name: 'Turn on' }).click();
  await expectGone(question);
  await expectListening(visitor);
  await writeToAnn('Now it is told');
  await waitUntil('it is told', async () => (await noted()).length > 0);
});
