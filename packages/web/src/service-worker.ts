/**
 * Keeps the client itself in the browser, so that it opens at once and without a network: the page and its assets, whose names contain hashes
 * of their contents. Nothing else is looked at, so nothing that a person wrote or may read is ever kept here. It also shows what is pushed while no
 * page is looked at; of that it keeps what the notification itself says.
 *
 * The page comes from the server while that answers; its answer is what a new version is noticed by. A new version keeps all its assets before
 * it takes over. The assets of the version before it stay, for tabs that are still open with it;
 * tabs with a still older one begin anew when they need a part that is gone (`public/assets/begin-again.js`).
 */
import type { PushPayload } from '@parley/api/notification-rules';

import type { Shown } from './data/push.ts';

type LifetimeEvent = { waitUntil(work: Promise<unknown>): void };
type FetchEvent = { readonly request: Request; respondWith(answer: Promise<Response>): void };

type PushEvent = LifetimeEvent & { readonly data: { json(): unknown } | null };
type ClickEvent = LifetimeEvent & { readonly notification: Notification };
type WindowQuery = { readonly type: 'window'; readonly includeUncontrolled?: boolean };
type WindowClient = {
  readonly url: string;
  readonly focused: boolean;
  focus(): Promise<unknown>;
  navigate(url: string): Promise<unknown>;
};

// The types of workers and of pages cannot be used together. This is what is used of the former.
declare const self: {
  addEventListener(type: 'install' | 'activate', listener: (event: LifetimeEvent) => void): void;
  addEventListener(type: 'fetch', listener: (event: FetchEvent) => void): void;
  addEventListener(type: 'push', listener: (event: PushEvent) => void): void;
  addEventListener(type: 'notificationclick', listener: (event: ClickEvent) => void): void;
  skipWaiting(): Promise<void>;
  readonly registration: ServiceWorkerRegistration;
  readonly clients: {
    claim(): Promise<void>;
    matchAll(options: WindowQuery): Promise<readonly WindowClient[]>;
    openWindow(url: string): Promise<unknown>;
  };
};

// Both are filled in by the build.
const files = '__PARLEY_FILES__'.split(' ');
const version = '__PARLEY_VERSION__';

const cachePrefix = 'parley-client-';
const page = '/';
/** Names with a hash differ between versions. */
const hashedName = /\/assets\/[^"]+-[\w-]{8}\.\w+/g;
/** After this time without an answer the page that is kept is shown. */
const pageTimeoutMs = 4000;

async function keepVersion(): Promise<void> {
  const cache = await caches.open(cachePrefix + version);
  await cache.addAll([page, ...files]);
  const shell = await (await cache.match(page))?.text();
  const named = shell?.match(hashedName) ?? [];
  if (!named.every((file) => files.includes(file))) {
    await caches.delete(cachePrefix + version);
    throw new Error('The page came from a server with another version; it is tried again later.');
  }
  await self.skipWaiting();
}

/** Deletes what earlier versions kept, except the last one's. Names are listed in the order in which they were made. */
async function forgetOldVersions(): Promise<void> {
  const names = (await caches.keys()).filter(
    (name) => name.startsWith(cachePrefix) && name !== cachePrefix + version,
  );
  await Promise.all(names.slice(0, -1).map((name) => caches.delete(name)));
  await self.clients.claim();
}

async function answerPage(request: Request): Promise<Response> {
  const kept = await (await caches.open(cachePrefix + version)).match(page);
  if (kept === undefined) return fetch(request);
  try {
    const answer = await fetch(request, { signal: AbortSignal.timeout(pageTimeoutMs) });
    return answer.status >= 500 ? kept : answer;
  } catch {
    return kept;
  }
}

async function answerAsset(request: Request): Promise<Response> {
  return (await caches.match(request)) ?? fetch(request);
}

/** The client's windows, the one that was looked at last first; the reference of the interface is a window, too. */
async function openPages(query: Omit<WindowQuery, 'type'> = {}): Promise<readonly WindowClient[]> {
  const windows = await self.clients.matchAll({ ...query, type: 'window' });
  return windows.filter(({ url }) => new URL(url).pathname === page);
}

/** Shows one notification for each conversation, and closes those whose messages were read elsewhere, or are in another one now. */
async function showPush({ notice, gone }: PushPayload): Promise<void> {
  const tag = `parley/conversation/${notice.conversation_id}`;
  const past = new Set([...gone, ...notice.message_ids]);
  for (const shown of await self.registration.getNotifications()) {
    const { messageIds } = shown.data as Shown;
    if (shown.tag !== tag && messageIds.every((id) => past.has(id))) shown.close();
  }
  // A page that is looked at tells by itself, also one that was loaded past this worker.
  const pages = await openPages({ includeUncontrolled: true });
  if (pages.some(({ focused }) => focused)) return;
  const where =
    notice.place.type === 'stream' ? ` (${notice.place.stream} › ${notice.place.topic})` : '';
  const count = notice.count > 1 ? `(${notice.count}) ` : '';
  const data: Shown = { url: notice.url, messageIds: notice.message_ids };
  await self.registration.showNotification(`${count}${notice.sender}${where}`, {
    body: notice.text ?? '',
    icon: '/icon-192.png',
    tag,
    data,
  });
}

async function openNotified(notification: Notification): Promise<void> {
  notification.close();
  const { url } = notification.data as Shown;
  // Only pages that this worker controls can be led to another address by it.
  const [open] = await openPages();
  if (open === undefined) {
    await self.clients.openWindow(url);
    return;
  }
  await Promise.all([open.navigate(url), open.focus()]);
}

self.addEventListener('push', (event) => {
  const payload = event.data?.json() as PushPayload | undefined;
  // One of a newer server is shown by the worker that comes with it.
  if (payload?.v === 1) event.waitUntil(showPush(payload));
});
self.addEventListener('notificationclick', (event) =>
  event.waitUntil(openNotified(event.notification)),
);
self.addEventListener('install', (event) => event.waitUntil(keepVersion()));
self.addEventListener('activate', (event) => event.waitUntil(forgetOldVersions()));
self.addEventListener('fetch', (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (request.method !== 'GET' || origin !== location.origin) return;
  if (request.mode === 'navigate' && pathname === page) event.respondWith(answerPage(request));
  else if (pathname.startsWith('/assets/')) event.respondWith(answerAsset(request));
});
