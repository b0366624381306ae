/** What the service worker does with pushes, which DevTools deliver: this browser reaches no push service. */
import { createECDH, randomBytes } from 'node:crypto';

import type { PushPayload } from '@parley/notification-rules';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';

import { sendTo, startBrowserTests } from './browser-system.ts';
import { waitUntil } from './patience.ts';
import { expectGone, expectShown } from './visitor.ts';
import type { Visitor } from './visitor.ts';

const { system, visit } = startBrowserTests();

/** @param gone ids of messages that were read since */
type Deliver = (notice: PushPayload['notice'], gone?: readonly number[]) => Promise<void>;

async function worker({ page }: Visitor): Promise<Deliver> {
  const devTools = await page.context().newCDPSession(page);
  let known: string | undefined;
  devTools.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
    known ??= registrations[0]?.registrationId;
  });
  await devTools.send('ServiceWorker.enable');
  await waitUntil('the service worker has taken over', () =>
    page.evaluate(async () => {
      const registration = await navigator.serviceWorker.getRegistration();
      return registration?.active?.state === 'activated';
    }),
  );
  const { origin } = new URL(page.url());
  const registrationId = await waitUntil('DevTools name it', () => known);
  return async (notice, gone = []) => {
    const payload: PushPayload = { v: 1, notice, gone };
    await devTools.send('ServiceWorker.deliverPushMessage', {
      origin,
      registrationId,
      data: JSON.stringify(payload),
    });
  };
}

async function shownIn(page: Page): Promise<string[]> {
  return page.evaluate(async () => {
    const { getNotifications } = ServiceWorkerRegistration.prototype;
    const registration = await navigator.serviceWorker.ready;
    const shown = await getNotifications.call(registration);
    return shown.map(({ title, body }) => `${title}: ${body}`).toSorted();
  });
}

type Notice = PushPayload['notice'];

const inSoup: Notice = {
  conversation_id: 8,
  place: { type: 'stream', stream: 'general', topic: 'soup' },
  sender: 'Bob Ray',
  text: null,
  url: '/#all',
  count: 1,
  message_ids: [3],
};

const privately: Notice = {
  ...inSoup,
  conversation_id: 7,
  place: { type: 'private' },
  text: 'Psst',
  message_ids: [1],
};

/** Playwright lets every page believe that it has the focus. */
async function lookAway({ page, context }: Visitor): Promise<void> {
  const devTools = await context.newCDPSession(page);
  await devTools.send('Emulation.setFocusEmulationEnabled', { enabled: false });
  const front = await context.newPage();
  await front.bringToFront();
  await waitUntil('the page is not looked at', async () =>
    page.evaluate(() => !document.hasFocus()),
  );
}

/**
 * Waits until exactly these are shown, in alphabetical order. The browser closes them by itself after some seconds, the oldest first: one that is to
 * be closed must not be the oldest.
 */
async function expectNotifications(page: Page, ...wanted: string[]): Promise<void> {
  let shown: readonly string[] = [];
  await waitUntil(
    `shown are ${wanted.join(', ')}`,
    async () => {
      shown = await shownIn(page);
      return JSON.stringify(shown) === JSON.stringify(wanted);
    },
    { describe: () => JSON.stringify(shown) },
  );
}

test('pushes show one notification for each conversation, and close what was read elsewhere', async () => {
  const visitor = await visit();
  await visitor.context.grantPermissions(['notifications']);
  await visitor.enter(system().ann);
  const { page } = visitor;
  const deliver = await worker(visitor);
  await lookAway(visitor);
  await deliver(inSoup);
  await deliver(privately);
  await expectNotifications(page, 'Bob Ray (general › soup): ', 'Bob Ray: Psst');
  await deliver({ ...privately, text: 'Come here', count: 2, message_ids: [1, 2] });
  await expectNotifications(page, '(2) Bob Ray: Come here', 'Bob Ray (general › soup): ');
  const inTea: Notice = {
    ...inSoup,
    conversation_id: 9,
    place: { type: 'stream', stream: 'general', topic: 'tea' },
    message_ids: [4],
  };
  await deliver(inTea, [1, 2]);
  await expectNotifications(page, 'Bob Ray (general › soup): ', 'Bob Ray (general › tea): ');
});

test('a page that is looked at tells by itself', async () => {
  const visitor = await visit();
  await visitor.context.grantPermissions(['notifications']);
  await visitor.enter(system().ann);
  const deliver = await worker(visitor);
  await deliver(privately);
  await lookAway(visitor);
  await deliver(inSoup);
  const shown = await waitUntil('one is shown', async () => {
    const titles = await shownIn(visitor.page);
    return titles.length > 0 && titles;
  });
  expect(shown).toEqual(['Bob Ray (general › soup): ']);
});

/**
 * Pushes to the service worker and clicks what it shows, in one turn, because the browser closes notifications by itself. Focusing and opening
 * windows is for clicks of people alone, so both are noted instead.
 *
 * @returns the addresses that it opens in windows of its own, and how many notifications are left
 */
function pushAndClick(
  { context }: Visitor,
  notice: Notice,
): Promise<{ readonly opened: readonly string[]; readonly left: number }> {
  const payload: PushPayload = { v: 1, notice, gone: [] };
  const act = async (data: string) => {
    type Scope = {
      readonly registration: ServiceWorkerRegistration;
      readonly clients: object;
      readonly PushEvent: new (type: 'push', init: { data: string }) => Event;
      readonly NotificationEvent: new (
        type: 'notificationclick',
        init: { notification: Notification | undefined },
      ) => Event;
      readonly WindowClient: { readonly prototype: object };
      dispatchEvent(event: Event): boolean;
    };
    const scope = globalThis as unknown as Scope;
    const opened: string[] = [];
    Object.assign(scope.WindowClient.prototype, { focus: () => Promise.resolve() });
    Object.assign(scope.clients, {
      openWindow: (url: string) => Promise.resolve(void opened.push(url)),
    });
    const dispatch = async (event: Event): Promise<void> => {
      const works: Promise<unknown>[] = [];
      Object.assign(event, { waitUntil: (work: Promise<unknown>) => works.push(work) });
      scope.dispatchEvent(event);
      await Promise.all(works);
    };
    await dispatch(new scope.PushEvent('push', { data }));
    const [notification] = await scope.registration.getNotifications();
    await dispatch(new scope.NotificationEvent('notificationclick', { notification }));
    return { opened, left: (await scope.registration.getNotifications()).length };
  };
  return waitUntil('the click is dealt with', () =>
    context.serviceWorkers()[0]?.evaluate(act, JSON.stringify(payload)),
  );
}

test('a click leads to the conversation: in the open page, and in a new window without one', async () => {
  const { ann, bob, general } = system();
  const visitor = await visit();
  await visitor.context.grantPermissions(['notifications']);
  await visitor.enter(ann, '#recent');
  await worker(visitor);
  await lookAway(visitor);
  const soup = await sendTo(bob, general, 'soup', 'The soup that was pushed');
  const url = `/#narrow/stream/${general.id}-general/topic/soup/near/${soup}`;
  expect(await pushAndClick(visitor, { ...inSoup, url })).toEqual({ opened: [], left: 0 });
  await expectShown(visitor.message('The soup that was pushed'));

  await visitor.page.goto('about:blank');
  expect(await pushAndClick(visitor, { ...privately, url: '/#narrow/is/private' })).toEqual({
    opened: ['/#narrow/is/private'],
    left: 0,
  });
});

/** Subscribes the browser, which cannot do it here: what it answers to the page is made up, what the server knows is not. */
async function subscribe({ context, url }: Visitor): Promise<void> {
  const endpoint = 'https://push.example/ann';
  await context.addInitScript((endpoint) => {
    const subscription = { endpoint, unsubscribe: () => Promise.resolve(true) };
    PushManager.prototype.getSubscription = () => Promise.resolve(subscription as PushSubscription);
    const noted: string[] = [];
    class Noted extends EventTarget {
      static permission = 'granted';
      constructor(title: string) {
        super();
        noted.push(title);
      }
    }
    Object.assign(window, { Notification: Noted, noted });
  }, endpoint);
  const keys = createECDH('prime256v1').generateKeys('base64url');
  const answer = await context.request.post(`${url}/api/v1/push_subscriptions`, {
    form: { endpoint, p256dh: keys, auth: randomBytes(16).toString('base64url') },
    headers: { 'Sec-Fetch-Site': 'same-origin' },
  });
  expect(answer.status()).toBe(200);
}

test('where the server tells a browser, a page leaves that to it while nobody looks, and closes what was read elsewhere', async () => {
  const { ann, bob, general } = system();
  const visitor = await visit();
  const { page } = visitor;
  await visitor.context.grantPermissions(['notifications']);
  await visitor.enter(ann);
  await subscribe(visitor);
  await page.reload();
  await visitor.go('#settings/notifications');
  const told = page.getByText('This browser tells you of messages while Parley is closed.');
  await expectShown(told);
  const deliver = await worker(visitor);
  await lookAway(visitor);
  const soup = await sendTo(bob, general, 'soup', '@**Ann Lee** it is ready');
  const { id = 0 } = await bob.typed.request('POST /messages', {
    type: 'private',
    to: JSON.stringify([ann.id]),
    content: 'Psst',
  });
  await deliver({ ...inSoup, message_ids: [soup] });
  await deliver({ ...privately, message_ids: [id] });
  await expectNotifications(page, 'Bob Ray (general › soup): ', 'Bob Ray: Psst');
  await ann.typed.request('POST /messages/flags', { messages: [id], op: 'add', flag: 'read' });
  await expectNotifications(page, 'Bob Ray (general › soup): ');
  expect(await page.evaluate(() => (window as unknown as { noted: string[] }).noted)).toEqual([]);

  await page.bringToFront();
  await page.getByRole('button', { name: 'Turn off in this browser' }).click();
  await expectGone(told);
  const { subscriptions } = await ann.typed.request('GET /push_subscriptions');
  expect(subscriptions).toEqual([]);
});
