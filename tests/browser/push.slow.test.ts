/** What the service worker does with pushes, which DevTools deliver: this browser reaches no push service. */
import { createECDH, randomBytes } from 'node:crypto';

import { waitUntil } from '@parley/test-kit';

import type { PushPayload } from '@parley/api/notification-rules';
import type { Page, Worker } from 'playwright-core';
import { expect, test } from 'vitest';

import { sendTo, startBrowserTests } from './browser-system.ts';
import { expectGone, expectShown } from './visitor.ts';
import type { Visitor } from './visitor.ts';

const { system, visit } = startBrowserTests();

/** What service workers have, as far as it is used here; the types of workers and of pages cannot be used together. */
type WorkerScope = {
  readonly ExtendableEvent: { readonly prototype: { waitUntil(work: Promise<unknown>): void } };
  readonly registration: ServiceWorkerRegistration;
  readonly clients: {
    matchAll(options: {
      readonly type: 'window';
      readonly includeUncontrolled: true;
    }): Promise<readonly { readonly focused: boolean }[]>;
  };
  readonly NotificationEvent: new (
    type: 'notificationclick',
    init: { notification: Notification },
  ) => Event;
  readonly WindowClient: { readonly prototype: object };
  dispatchEvent(event: Event): boolean;
  /** What events made it do, since it is noted. */
  works: Promise<unknown>[];
};

function runningWorker({ context }: Visitor): Worker {
  const worker = context.serviceWorkers().at(-1);
  if (worker === undefined) throw new Error('no service worker runs');
  return worker;
}

/**
 * Resolves when the service worker has dealt with the push.
 *
 * @param gone ids of messages that were read since
 */
type Deliver = (notice: PushPayload['notice'], gone?: readonly number[]) => Promise<void>;

async function worker(visitor: Visitor): Promise<Deliver> {
  const { page } = visitor;
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
  await runningWorker(visitor).evaluate(() => {
    const scope = globalThis as unknown as WorkerScope;
    const { prototype } = scope.ExtendableEvent;
    const { waitUntil } = prototype;
    scope.works = [];
    prototype.waitUntil = function note(work) {
      scope.works.push(work);
      waitUntil.call(this, work);
    };
  });
  return async (notice, gone = []) => {
    const payload: PushPayload = { v: 1, notice, gone };
    const running = runningWorker(visitor);
    const before = await running.evaluate(
      () => (globalThis as unknown as WorkerScope).works.length,
    );
    await devTools.send('ServiceWorker.deliverPushMessage', {
      origin,
      registrationId,
      data: JSON.stringify(payload),
    });
    await waitUntil('the push is dealt with', () =>
      running.evaluate(async (before) => {
        const { works } = globalThis as unknown as WorkerScope;
        await Promise.all(works);
        return works.length > before;
      }, before),
    );
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

/** The service worker hears later than the page whether that has the focus. */
async function waitForFocus(visitor: Visitor, wanted: boolean): Promise<void> {
  await waitUntil(wanted ? 'the page is looked at' : 'the page is not looked at', () =>
    runningWorker(visitor).evaluate(async (wanted) => {
      const { clients } = globalThis as unknown as WorkerScope;
      const windows = await clients.matchAll({ type: 'window', includeUncontrolled: true });
      return windows.length > 0 && windows.every(({ focused }) => focused === wanted);
    }, wanted),
  );
}

/** Playwright lets every page believe that it has the focus. */
async function lookAway(visitor: Visitor): Promise<void> {
  const { page, context } = visitor;
  const devTools = await context.newCDPSession(page);
  await devTools.send('Emulation.setFocusEmulationEnabled', { enabled: false });
  const front = await context.newPage();
  await front.bringToFront();
  await waitForFocus(visitor, false);
}

/**
 * Pushes these, until exactly what is wanted is shown, in alphabetical order. The browser now and then forgets a notification that it has just shown,
 * when it is asked at that moment what is shown; and it closes each after some seconds. Then all are pushed again: those of a conversation replace
 * each other.
 */
async function expectShownAfter(
  page: Page,
  push: () => Promise<void>,
  ...wanted: string[]
): Promise<void> {
  let shown: readonly string[] = [];
  await waitUntil(
    `shown are ${wanted.join(', ')}`,
    async () => {
      await push();
      await waitUntil(
        'they are shown',
        async () => {
          shown = await shownIn(page);
          return JSON.stringify(shown) === JSON.stringify(wanted);
        },
        { deadlineMs: 3000 },
      );
      return true;
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
  const pushTwo = async () => {
    await deliver(inSoup);
    await deliver(privately);
  };
  await expectShownAfter(page, pushTwo, 'Bob Ray (general › soup): ', 'Bob Ray: Psst');
  const pushThree = async () => {
    await pushTwo();
    await deliver({ ...privately, text: 'Come here', count: 2, message_ids: [1, 2] });
  };
  const counted = '(2) Bob Ray: Come here';
  await expectShownAfter(page, pushThree, counted, 'Bob Ray (general › soup): ');
  const inTea: Notice = {
    ...inSoup,
    conversation_id: 9,
    place: { type: 'stream', stream: 'general', topic: 'tea' },
    message_ids: [4],
  };
  const pushFour = async () => {
    await pushThree();
    await deliver(inTea, [1, 2]);
  };
  const left = ['Bob Ray (general › soup): ', 'Bob Ray (general › tea): '];
  await expectShownAfter(page, pushFour, ...left);
});

test.each([
  ['a page that is looked at', false],
  ['a page that was loaded past the service worker and is looked at', true],
])('%s tells by itself', async (_, ignoreCache) => {
  const visitor = await visit();
  const { page } = visitor;
  await visitor.context.grantPermissions(['notifications']);
  await visitor.enter(system().ann);
  const deliver = await worker(visitor);
  const devTools = await visitor.context.newCDPSession(page);
  await devTools.send('Page.reload', { ignoreCache });
  await waitUntil('the page is loaded again', () =>
    page.evaluate((past) => (navigator.serviceWorker.controller === null) === past, ignoreCache),
  );
  await waitForFocus(visitor, true);
  await deliver(privately);
  await lookAway(visitor);
  const shown = await waitUntil('one is shown', async () => {
    await deliver(inSoup);
    const titles = await shownIn(page);
    return titles.length > 0 && titles;
  });
  expect(shown).toEqual(['Bob Ray (general › soup): ']);
});

/**
 * Clicks the notification that is shown, inside the service worker. Focusing and opening windows is for clicks of people alone, so both are noted
 * instead.
 *
 * @returns the addresses that it opens in windows of its own, and how many notifications are left
 * @throws Error while none is shown
 */
function click(
  visitor: Visitor,
): Promise<{ readonly opened: readonly string[]; readonly left: number }> {
  return runningWorker(visitor).evaluate(async () => {
    const scope = globalThis as unknown as WorkerScope;
    const [notification] = await scope.registration.getNotifications();
    if (notification === undefined) throw new Error('no notification is shown');
    const opened: string[] = [];
    Object.assign(scope.WindowClient.prototype, { focus: () => Promise.resolve() });
    Object.assign(scope.clients, {
      openWindow: (url: string) => Promise.resolve(void opened.push(url)),
    });
    const works: Promise<unknown>[] = [];
    const clicked = new scope.NotificationEvent('notificationclick', { notification });
    Object.assign(clicked, { waitUntil: (work: Promise<unknown>) => works.push(work) });
    scope.dispatchEvent(clicked);
    await Promise.all(works);
    return { opened, left: (await scope.registration.getNotifications()).length };
  });
}

/** Pushes and clicks in one turn, and again where the browser closed the notification by itself in between. */
function pushAndClick(
  visitor: Visitor,
  deliver: Deliver,
  notice: Notice,
): ReturnType<typeof click> {
  return waitUntil('the click is dealt with', async () => {
    await deliver(notice);
    return click(visitor);
  });
}

test('a click leads to the conversation: in the open page, and in a new window without one', async () => {
  const { ann, bob, general } = system();
  const visitor = await visit();
  await visitor.context.grantPermissions(['notifications']);
  await visitor.enter(ann, '#recent');
  const deliver = await worker(visitor);
  await lookAway(visitor);
  const soup = await sendTo(bob, general, 'soup', 'The soup that was pushed');
  const url = `/#narrow/stream/${general.id}-general/topic/soup/near/${soup}`;
  expect(await pushAndClick(visitor, deliver, { ...inSoup, url })).toEqual({
    opened: [],
    left: 0,
  });
  await expectShown(visitor.message('The soup that was pushed'));

  // The reference of the interface is a window, and looked at, but tells nobody.
  await visitor.page.goto(`${visitor.url}/api/docs`);
  expect(
    await pushAndClick(visitor, deliver, { ...privately, url: '/#narrow/is/private' }),
  ).toEqual({
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
  const pushAndRead = async () => {
    const { id = 0 } = await bob.typed.request('POST /messages', {
      type: 'private',
      to: JSON.stringify([ann.id]),
      content: 'Psst',
    });
    const pushBoth = async () => {
      await deliver({ ...inSoup, message_ids: [soup] });
      await deliver({ ...privately, message_ids: [id] });
    };
    await expectShownAfter(page, pushBoth, 'Bob Ray (general › soup): ', 'Bob Ray: Psst');
    await ann.typed.request('POST /messages/flags', { messages: [id], op: 'add', flag: 'read' });
  };
  await expectShownAfter(page, pushAndRead, 'Bob Ray (general › soup): ');
  expect(await page.evaluate(() => (window as unknown as { noted: string[] }).noted)).toEqual([]);

  await page.bringToFront();
  await page.getByRole('button', { name: 'Turn off in this browser' }).click();
  await expectGone(told);
  const { subscriptions } = await ann.typed.request('GET /push_subscriptions');
  expect(subscriptions).toEqual([]);
});
