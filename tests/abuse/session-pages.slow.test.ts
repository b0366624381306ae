/**
 * The session of a person in a real browser, while another server on the same host serves pages against it: browsers share cookies between the
 * ports of a host, and take those for one site, so only the gateway keeps such pages out.
 */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { waitUntil } from '@parley/test-kit';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';

import { startSmallOrganization } from '../api/small-organization.ts';
import type { SmallOrganization } from '../api/small-organization.ts';
import { launchBrowser } from '../browser/chromium.ts';

let organization: SmallOrganization;
let folder: string;
let evil: Server;
let evilUrl: string;
let browser: Browser;
let context: BrowserContext;
let own: Page;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-web-'));
  await mkdir(join(folder, 'assets'));
  await writeFile(join(folder, 'index.html'), '<!doctype html><title>Own</title>');
  organization = await startSmallOrganization({
    time: 'flows',
    events: 1,
    environment: { PARLEY_WEB_DIR: folder },
  });
  evil = createServer((_request, response) => {
    response.setHeader('Content-Type', 'text/html');
    response.end('<!doctype html><title>Evil</title>');
  }).listen(0, '127.0.0.1');
  evilUrl = await new Promise((resolve) => {
    evil.once('listening', () =>
      resolve(`http://127.0.0.1:${(evil.address() as AddressInfo).port}/`),
    );
  });
  browser = await launchBrowser();
});

afterAll(async () => {
  await browser?.close();
  evil?.close();
  await organization?.stop();
  await rm(folder, { recursive: true, force: true });
});

beforeEach(async () => {
  await context?.close();
  context = await browser.newContext();
  own = await context.newPage();
  await own.goto(organization.cluster.url);
  const body = 'username=bob%40example.com&password=bob-secret';
  await waitUntil(
    'the sign-in is accepted',
    async () => (await callFrom(own, 'POST', 'sessions', body)) === 200,
  );
});

/** The status of a call that a page makes with its cookies; `unreadable` if the browser does not show it to the page. */
function callFrom(
  page: Page,
  method: string,
  path: string,
  body?: string,
): Promise<number | 'unreadable'> {
  return page.evaluate(
    async ([url, init]) => {
      try {
        return (await fetch(url, init)).status;
      } catch {
        return 'unreadable' as const;
      }
    },
    [
      `${organization.cluster.url}/api/v1/${path}`,
      {
        method,
        credentials: 'include' as const,
        ...(body !== undefined && {
          body,
          headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
        }),
      },
    ] as const,
  );
}

async function answeredRequests(): Promise<number> {
  const [gateway] = organization.cluster.findProcesses('gateway');
  return (await gateway?.readMetric('parley_gateway_requests_total')) ?? 0;
}

async function stateOfBob(): Promise<unknown> {
  const { rows } = await organization.pool.query({
    text: `SELECT full_name, (SELECT array_agg(id ORDER BY id) FROM sessions) AS sessions,
      (SELECT key_hash FROM api_keys WHERE user_id = u.id) AS key FROM users u WHERE id = $1`,
    values: [organization.id('bob')],
  });
  return rows[0];
}

test('its own page calls, follows events and shows pictures, and scripts cannot read the cookie', async () => {
  expect(await own.title()).toBe('Own');
  expect(await callFrom(own, 'GET', 'users/me')).toBe(200);
  expect(await callFrom(own, 'POST', 'users/me/enter-sends', 'enter_sends=true')).toBe(200);
  expect(await own.evaluate('document.cookie')).toBe('');
  const isOpen = await own.evaluate(async () => {
    const answer = await fetch('/api/v1/register', { method: 'POST' });
    const queue = (await answer.json()) as { queue_id: string; last_event_id: number };
    const query = `queue_id=${queue.queue_id}&last_event_id=${queue.last_event_id}`;
    const source = new EventSource(`/api/v1/events/stream?${query}`);
    return new Promise((resolve) => {
      source.addEventListener('open', () => resolve(true));
      source.addEventListener('error', () => resolve(false));
    });
  });
  expect(isOpen).toBe(true);
});

test('a 401 opens no dialog', async () => {
  expect(await callFrom(own, 'DELETE', 'sessions')).toBe(200);
  await context.clearCookies();
  // With a dialog the call would not end.
  expect(await callFrom(own, 'GET', 'users/me')).toBe(401);
});

test('a page of another port does nothing and reads nothing', async () => {
  const page = await context.newPage();
  await page.goto(evilUrl);
  const before = await stateOfBob();
  const answeredBefore = await answeredRequests();
  expect(await callFrom(page, 'GET', 'users/me')).toBe('unreadable');
  expect(await callFrom(page, 'POST', 'users/me/api_key/regenerate', '')).toBe('unreadable');
  const target = organization.cluster.url;
  await page.evaluate(async (url) => {
    const plain = { mode: 'no-cors', credentials: 'include' } as const;
    await fetch(`${url}/api/v1/users/me`, plain).catch(() => undefined);
    await fetch(`${url}/api/v1/settings`, {
      ...plain,
      method: 'POST',
      body: new URLSearchParams({ method: 'PATCH', full_name: 'Forged' }),
    }).catch(() => undefined);
    await fetch(`${url}/api/v1/sessions`, {
      ...plain,
      method: 'POST',
      body: new URLSearchParams({ username: 'cat@example.com' }),
    }).catch(() => undefined);
  }, target);
  const isShown = await page.evaluate(
    (url) =>
      new Promise((resolve) => {
        const picture = new Image();
        picture.addEventListener('load', () => resolve(true));
        picture.addEventListener('error', () => resolve(false));
        picture.src = `${url}/avatar/${encodeURIComponent('bob@example.com')}`;
      }),
    target,
  );
  expect(isShown).toBe(false);
  // The browser shows no answer, but the requests came.
  expect(await answeredRequests()).toBeGreaterThanOrEqual(answeredBefore + 6);
  expect(await stateOfBob()).toEqual(before);
});

test('a form and a link of another port get 403, and the page cannot be put into a frame', async () => {
  const page = await context.newPage();
  const before = await stateOfBob();
  await page.goto(evilUrl);
  const [posted] = await Promise.all([
    page.waitForNavigation(),
    page.evaluate((url) => {
      const form = document.createElement('form');
      form.method = 'POST';
      form.action = `${url}/api/v1/sessions`;
      form.innerHTML = '<input name="username" value="cat@example.com">';
      document.body.append(form);
      form.submit();
    }, organization.cluster.url),
  ]);
  expect(posted?.status()).toBe(403);
  await page.goto(evilUrl);
  const [followed] = await Promise.all([
    page.waitForNavigation(),
    page.evaluate((url) => {
      location.href = `${url}/api/v1/users/me`;
    }, organization.cluster.url),
  ]);
  expect(followed?.status()).toBe(403);
  await page.goto(evilUrl);
  await page.evaluate(
    (url) =>
      new Promise((resolve) => {
        const frame = document.createElement('iframe');
        frame.addEventListener('load', resolve);
        frame.src = url;
        document.body.append(frame);
      }),
    organization.cluster.url,
  );
  const framed = page.frames().find((frame) => frame !== page.mainFrame());
  expect(await framed?.title().catch(() => '')).not.toBe('Own');
  expect(await stateOfBob()).toEqual(before);
  expect(await callFrom(own, 'GET', 'users/me')).toBe(200);
});

test('a page of the server is under its policy', async () => {
  const broken = await own.evaluate(() => {
    const script = document.createElement('script');
    script.append('globalThis.isRun = true;');
    document.head.append(script);
    try {
      document.body.innerHTML = '<b>markup</b>';
      return 'markup was made of a text';
    } catch {
      return 'isRun' in globalThis ? 'an inline script ran' : '';
    }
  });
  expect(broken).toBe('');
});
