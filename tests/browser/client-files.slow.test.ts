/** The files of the client in a browser: its policy, what the service worker keeps, the start without a network, and new versions. */
import { createServer, request as httpRequest } from 'node:http';
import { cp, mkdtemp, readFile, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';

import { waitUntil } from '@parley/test-kit';

import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';

import { sendTo, startBrowserTests } from './browser-system.ts';
import { builtFolder } from './chromium.ts';
import { expectShown, Visitor } from './visitor.ts';

const { system, visit } = startBrowserTests();

/** Waits until a worker that has everything answers for the page. */
async function expectWorker(page: Page) {
  return page.waitForFunction(() => {
    const { controller } = navigator.serviceWorker;
    return controller?.state === 'activated' && controller;
  });
}

test('the service worker keeps the page and its assets, and nothing of anybody', async () => {
  const { ann, bob, general } = system();
  await sendTo(bob, general, 'soup', 'The soup is ready');
  const visitor = await visit();
  await visitor.enter(ann);
  await expectWorker(visitor.page);
  await visitor.page.reload();
  await expectShown(visitor.page.getByRole('main'));
  const kept = await visitor.page.evaluate(async () => {
    const paths: string[] = [];
    for (const name of await caches.keys())
      for (const { url } of await (await caches.open(name)).keys())
        paths.push(new URL(url).pathname);
    return paths;
  });
  expect(kept).toContain('/');
  expect(kept.filter((path) => path !== '/' && !path.startsWith('/assets/'))).toEqual([]);
});

test('without a network the page opens and says so', async () => {
  const { ann } = system();
  const visitor = await visit();
  await visitor.enter(ann);
  await expectWorker(visitor.page);
  visitor.expectOutage();
  await visitor.context.setOffline(true);
  await visitor.page.reload();
  await expectShown(visitor.page.getByRole('main').getByText('The server cannot be reached.'));
  await visitor.context.setOffline(false);
  await expectShown(visitor.page.getByRole('main').getByRole('heading').first());
});

test('formulas, code and large emoji are shown as far as the policy admits them', async () => {
  const { ann, bob, general } = system();
  for (const content of [
    'It holds that $$\\frac{a}{b} = \\sqrt{c}$$ here',
    '```math\n\\int_0^1 x^2 dx\n```',
    '```python\ndef tide(hours):\n    return "high" if hours < 6 else "low"\n```',
    ':tada:',
  ])
    await sendTo(bob, general, 'drawn', content);
  const visitor = await visit();
  await visitor.enter(ann, `#narrow/stream/${general.id}-general/topic/drawn`);
  const { page } = visitor;
  for (const tag of ['mfrac', 'msqrt', 'msubsup'])
    await expectShown(page.locator(`[role=log] math ${tag}`));
  await expectShown(page.locator('[role=log]').getByText('🎉'));
  expect(await page.locator('[role=log] .katex-html').count()).toBe(0);
  const word = page.locator('[role=log] .codehilite span', { hasText: /^def$/ });
  const colourOf = (): Promise<readonly string[]> =>
    word.evaluate((element) =>
      [element, element.closest('pre') ?? element].map((each) => getComputedStyle(each).color),
    );
  await waitUntil('the code has colours', async () => new Set(await colourOf()).size === 2);
});

test('the page can be installed: its manifest and icons are there', async () => {
  const visitor = await visit();
  await visitor.go('');
  const { manifest, icons } = await visitor.page.evaluate(async () => {
    const link = document.querySelector<HTMLLinkElement>('link[rel="manifest"]');
    const read = (await (await fetch(link?.href ?? '')).json()) as {
      readonly start_url: string;
      readonly icons: readonly { readonly src: string; readonly type: string }[];
    };
    const types = await Promise.all(
      read.icons.map(async ({ src }) => (await fetch(src)).headers.get('content-type')),
    );
    return { manifest: read, icons: types };
  });
  expect(manifest.start_url).toBe('/');
  expect(icons).toEqual(manifest.icons.map(({ type }) => type));
});

test('the policy refuses scripts, styles, markup, pictures and connections that are not of this server, and uploads', async () => {
  const visitor = await visit();
  await visitor.go('');
  await visitor.page.evaluate(() => {
    const refused: string[] = [];
    document.addEventListener('securitypolicyviolation', ({ effectiveDirective }) =>
      refused.push(effectiveDirective),
    );
    Object.assign(window, { refused });
    const picture = new Image();
    picture.src = 'data:image/gif;base64,R0lGODlhAQABAAAAACw=';
    document.body.append(picture);
    document.body.setAttribute('style', 'color: red');
    for (const rel of ['stylesheet', 'modulepreload']) {
      const link = document.createElement('link');
      Object.assign(link, { rel, href: '/user_uploads/1/x' });
      document.head.append(link);
    }
    const script = document.createElement('script');
    for (const attempt of [
      () => (script.textContent = 'window.ran = true'),
      () => (document.body.innerHTML = '<p>text</p>'),
    ])
      try {
        attempt();
      } catch {
        refused.push('thrown');
      }
    void fetch('https://example.com/').catch(() => undefined);
  });
  const readRefused = (): Promise<readonly string[]> =>
    visitor.page.evaluate(() => (window as unknown as { refused: string[] }).refused);
  const all = [
    'connect-src',
    'img-src',
    'require-trusted-types-for',
    'script-src-elem',
    'style-src-attr',
    'style-src-elem',
    'thrown',
  ];
  await waitUntil('everything is refused', async () => {
    const refused = await readRefused();
    return all.every((directive) => refused.includes(directive));
  });
  expect(await visitor.page.evaluate(() => 'ran' in window)).toBe(false);
  visitor.forgetFaults();
});

/** Hashes in the names of assets. */
const hashInName = /-([\w-]{8})\.(js|css)$/;

/** A client that differs from the built one in the names of all its assets, as a new version does. */
async function makeNextVersion(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-next-version-'));
  await cp(builtFolder, folder, { recursive: true });
  const paths = (await readdir(folder, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  const renamed = paths
    .map((path) => basename(path))
    .filter((name) => hashInName.test(name))
    .map((name) => [name, name.replace(hashInName, '-$1next.$2')] as const);
  for (const path of paths)
    if (/\.(?:br|gz)$/.test(path)) await rm(path);
    else if (/\.(?:js|css|html)$/.test(path)) {
      let text = await readFile(path, 'utf8');
      for (const [name, next] of renamed) text = text.replaceAll(name, next);
      // The version by which the worker names what it keeps.
      if (basename(path) === 'sw.js') text = text.replace(/\b[0-9a-f]{12}\b/, 'nextnextnext');
      await writeFile(path, text);
      await rename(path, path.replace(hashInName, '-$1next.$2'));
    }
  return folder;
}

/** Replaces the gateway by one that serves another build of the client at the same address. */
async function deploy(folder: string): Promise<void> {
  const { cluster } = system();
  const { port } = new URL(cluster.url);
  await cluster.kill('gateway', 0, 'SIGTERM');
  await cluster.startAnother('gateway', { PARLEY_PORT: port, PARLEY_WEB_DIR: folder });
}

/** The name of the page's script. */
async function scriptOf(page: Page): Promise<string> {
  return page.evaluate(
    () =>
      document.querySelector<HTMLScriptElement>('script[type=module]')?.src.split('/').at(-1) ?? '',
  );
}

async function expectNextVersion({ page }: Visitor): Promise<void> {
  await expectShown(page.getByRole('main').getByRole('heading').first());
  expect(await scriptOf(page)).toMatch(/next\.js$/);
}

/** A balancer that sends each request where `choose` says by its path. */
async function balance(
  choose: (path: string) => string,
): Promise<{ readonly url: string } & AsyncDisposable> {
  const server = createServer((request, response) => {
    const path = request.url ?? '/';
    const { method, headers } = request;
    const forwarded = httpRequest(new URL(path, choose(path)), { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    forwarded.on('error', () => response.destroy());
    request.pipe(forwarded);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await promisify(server.close.bind(server))();
    },
  };
}

test('a page whose parts are asked of a gateway of another version begins again until it has them', async () => {
  const { browser, cluster } = system();
  const folder = await makeNextVersion();
  const { gatewayUrls } = cluster;
  await cluster.startAnother('gateway', { PARLEY_WEB_DIR: folder });
  const next = cluster.gatewayUrls.find((url) => !gatewayUrls.includes(url)) ?? '';
  let pages = 0;
  let pagesWithoutParts = 2;
  await using balancer = await balance((path) => {
    if (path === '/') pages += 1;
    const isPart = path.startsWith('/assets/') && pages <= pagesWithoutParts;
    return isPart ? cluster.url : next;
  });
  const [lucky, unlucky] = [
    await Visitor.open(browser, balancer.url, { serviceWorkers: 'block' }),
    await Visitor.open(browser, balancer.url, { serviceWorkers: 'block' }),
  ];
  try {
    await lucky.page.goto(balancer.url);
    await expectNextVersion(lucky);
    expect(pages).toBe(3);
    // Whoever never gets them is told, and not kept loading.
    pagesWithoutParts = Number.POSITIVE_INFINITY;
    const { page } = unlucky;
    await page.clock.install();
    await page.goto(balancer.url);
    const told = page.getByText('Parts of this page did not come.');
    await waitUntil('the person is told', async () => {
      await page.clock.fastForward('01:00');
      return told.isVisible();
    });
    expect(pages).toBe(3 + 7);
  } finally {
    await lucky.close();
    await unlucky.close();
    await cluster.kill('gateway', 1, 'SIGTERM');
    await rm(folder, { recursive: true });
  }
});

test('a page whose later parts are gone begins again, a few times within a minute', async () => {
  const visitor = await visit({ serviceWorkers: 'block' });
  visitor.expectOutage();
  const { page, url } = visitor;
  const loadsMax = 6;
  let loads = 0;
  let asked = 0;
  page.on('load', () => (loads += 1));
  await page.route('**/assets/*', (route) => {
    if (route.request().method() !== 'HEAD') return route.continue();
    asked += 1;
    return route.fulfill({ status: 404 });
  });
  await page.clock.install();
  await page.addInitScript(() => {
    addEventListener('load', () => Reflect.set(globalThis, 'loadedAtMs', Date.now()));
  });
  await page.goto(url);
  const counted = () => page.evaluate(() => sessionStorage.getItem('parley/loads'));
  const missParts = () =>
    page.evaluate(() => {
      for (let part = 0; part < 3; part += 1) dispatchEvent(new Event('vite:preloadError'));
    });
  for (let load = 1; load <= loadsMax; load += 1) {
    await missParts();
    await waitUntil('it will begin again', async () => (await counted()) === String(load));
    await page.clock.fastForward('00:17');
    await waitUntil('it has begun again', () => loads === 1 + load);
  }
  // From here on the time of the page stands, however long all of this takes.
  await page.clock.pauseAt((await page.evaluate(() => Date.now())) + 1_000);
  asked = 0;
  await missParts();
  await waitUntil('the server has said that they are gone', () => asked === 3);
  const wholeForMs = await page.evaluate(
    () => Date.now() - Number(Reflect.get(globalThis, 'loadedAtMs')),
  );
  await page.clock.fastForward(59_000 - wholeForMs);
  expect([loads, await counted()]).toEqual([1 + loadsMax, String(loadsMax)]);

  await page.clock.fastForward(2_000);
  expect(await counted()).toBeNull();
  await missParts();
  await waitUntil('it will begin again', async () => (await counted()) === '1');
});

test('a new version takes over: open pages go on, and the next start has it', async () => {
  const { ann } = system();
  const [kept, unkept] = [await visit(), await visit({ serviceWorkers: 'block' })];
  for (const visitor of [kept, unkept]) {
    visitor.expectOutage();
    await visitor.enter(ann);
  }
  const { page, url } = kept;
  const oldWorker = await expectWorker(page);
  const old = await scriptOf(page);
  const folder = await makeNextVersion();
  try {
    await deploy(folder);
    expect((await kept.context.request.get(`${url}/assets/${old}`)).status()).toBe(404);
    // The worker has every part of the old version, before the new one has come and after that.
    await kept.go('#drafts');
    await expectShown(page.getByRole('heading', { name: 'Drafts' }));
    await page.evaluate(async () => (await navigator.serviceWorker.ready).update());
    await page.waitForFunction((worker) => worker && worker.state === 'redundant', oldWorker);
    await expectWorker(page);
    await kept.go('#streams');
    await expectShown(page.getByRole('main').getByRole('heading').first());
    expect(await scriptOf(page)).toBe(old);
    await page.reload();
    await expectNextVersion(kept);
    await kept.context.setOffline(true);
    await page.reload();
    await expectShown(page.getByRole('main'));
    expect(await scriptOf(page)).toMatch(/next\.js$/);
    // Without a worker the page notices that its parts are gone, and begins anew with the new version.
    await unkept.go('#streams');
    await expectNextVersion(unkept);
  } finally {
    await rm(folder, { recursive: true });
  }
});
