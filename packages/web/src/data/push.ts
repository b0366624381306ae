/** Being told by this browser while no page is looked at (decision 0053). */
import { signal } from '@preact/signals';

import type { App } from './app.ts';

/** What a notification of the service worker stands for. */
export type Shown = { readonly url: string; readonly messageIds: readonly number[] };

/** The page has no service worker while the client is developed, and browsers have no pushes in private windows. */
export const canBePushed = 'PushManager' in globalThis && 'serviceWorker' in navigator;

/** Whether the server tells this browser. */
export const isPushed = signal(false);

async function subscriptionOfBrowser(): Promise<PushSubscription | null> {
  const registration = await navigator.serviceWorker.getRegistration();
  return (await registration?.pushManager.getSubscription()) ?? null;
}

/** Asks the browser, and where that has a subscription the server, which may have ended it. */
export async function learnWhetherPushed(app: App): Promise<void> {
  if (!canBePushed || (await subscriptionOfBrowser()) === null) {
    isPushed.value = false;
    return;
  }
  const { subscriptions } = await app.request('GET /push_subscriptions');
  isPushed.value = subscriptions.some(({ is_current }) => is_current);
}

/**
 * Subscribes this browser. Only for a person's click: the browser asks for permission.
 *
 * @throws DOMException if the person or the browser refuses
 */
export async function startPushes(app: App): Promise<void> {
  const { public_key: applicationServerKey } = await app.request('GET /push_subscriptions');
  const { pushManager } = await navigator.serviceWorker.ready;
  // One of another key, of an account on another server at this address, admits no new one.
  await (await pushManager.getSubscription())?.unsubscribe();
  const made = await pushManager.subscribe({ userVisibleOnly: true, applicationServerKey });
  const { endpoint = '', keys } = made.toJSON();
  await app.request('POST /push_subscriptions', {
    endpoint,
    p256dh: keys?.['p256dh'] ?? '',
    auth: keys?.['auth'] ?? '',
  });
  isPushed.value = true;
}

export async function stopPushes(app: App): Promise<void> {
  const subscription = await subscriptionOfBrowser();
  if (subscription !== null) {
    await app.request('DELETE /push_subscriptions', { endpoint: subscription.endpoint });
    await subscription.unsubscribe();
  }
  isPushed.value = false;
}

/** Closes notifications of the service worker of whose messages none is to be shown any longer. */
export async function closePushed(isToShow: (messageId: number) => boolean): Promise<void> {
  if (!canBePushed) return;
  const registration = await navigator.serviceWorker.getRegistration();
  for (const shown of (await registration?.getNotifications()) ?? [])
    if (!(shown.data as Shown).messageIds.some(isToShow)) shown.close();
}
