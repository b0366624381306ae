/** The files of the client in a browser: its policy, what the service worker keeps, the start without a network. */
import { waitUntil } from '@parley/test-kit';
import { expect, test } from 'vitest';

import { sendTo, startBrowserTests } from './browser-system.ts';
import { expectShown } from './visitor.ts';

const { system, visit } = startBrowserTests();

test('the service worker keeps the page and its assets, and nothing of anybody', async () => {
  const { ann, bob, general } = system();
  await sendTo(bob, general, 'soup', 'The soup is ready');
  const visitor = await visit();
  await visitor.enter(ann);
  await visitor.page.evaluate(() => navigator.serviceWorker.ready);
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
  await visitor.page.evaluate(() => navigator.serviceWorker.ready);
  visitor.expectOutage();
  await visitor.context.setOffline(true);
  await visitor.page.reload();
  await expectShown(visitor.page.getByRole('main'));
  await visitor.context.setOffline(false);
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

test('the policy refuses scripts, styles, markup, pictures and connections that are not of this server', async () => {
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
  const all = ['connect-src', 'img-src', 'require-trusted-types-for', 'style-src-attr', 'thrown'];
  await waitUntil('everything is refused', async () => {
    const refused = await readRefused();
    return all.every((directive) => refused.includes(directive));
  });
  expect(await visitor.page.evaluate(() => 'ran' in window)).toBe(false);
  visitor.forgetFaults();
});
