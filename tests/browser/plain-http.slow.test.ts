/** Browsers keep much of what they can do from pages that came by plain HTTP from another machine. Old ones cannot do it anywhere. */
import { waitUntil } from '@parley/test-kit';
import { expect, test } from 'vitest';

import { sendTo, startBrowserTests } from './browser-system.ts';
import { launchBrowser } from './chromium.ts';
import { expectShown, Visitor } from './visitor.ts';

const plainUrl = 'http://parley.test';

const { system, visit } = startBrowserTests({ environment: { PARLEY_PUBLIC_URL: plainUrl } });

test('at a plain address of another machine nobody can sign in, and the page says so', async () => {
  const { cluster, ann } = system();
  const { port } = new URL(cluster.url);
  const browser = await launchBrowser([`--host-resolver-rules=MAP parley.test 127.0.0.1:${port}`]);
  try {
    const visitor = await Visitor.open(browser, plainUrl);
    const { page } = visitor;
    await visitor.go('');
    await expectShown(page.getByText('Test Organization'));
    await expectShown(page.getByRole('alert').filter({ hasText: 'https' }));
    expect(await page.getByRole('button').count()).toBe(0);
    // Its origin is in what a browser posts, and in nothing that it reads.
    const statuses = await page.evaluate(async (username) => {
      // A busy server may have no answer for a moment.
      const ask = async (path: string, options?: RequestInit): Promise<number> => {
        const { status } = await fetch(path, options);
        return status === 503 ? ask(path, options) : status;
      };
      const body = new URLSearchParams({ username });
      return [
        await ask('/api/v1/sessions', { method: 'POST', body }),
        await ask('/api/v1/users/me'),
      ];
    }, ann.email);
    expect(statuses).toEqual([200, 403]);
  } finally {
    await browser.close();
  }
});

test('without locks, workers and the clipboard each tab has events of its own', async () => {
  const { ann, bob, general } = system();
  const visitor = await visit();
  await visitor.context.addInitScript(() => {
    for (const name of ['clipboard', 'locks', 'serviceWorker'])
      Reflect.deleteProperty(Navigator.prototype, name);
    Reflect.deleteProperty(Crypto.prototype, 'randomUUID');
  });
  // Each tab asks for itself here, and asks again where a busy server has no answer.
  visitor.expectOutage();
  const fragment = `#narrow/stream/${general.id}-general/topic/plain`;
  await visitor.enter(ann, fragment);
  await visitor.openTab(fragment);
  const shown = (text: string) =>
    visitor.context
      .pages()
      .map((page) => page.getByRole('log').getByRole('article').filter({ hasText: text }));
  await visitor.send('plain: written here');
  for (const article of shown('plain: written here'))
    await waitUntil('it is shown once', async () => (await article.count()) === 1);
  await sendTo(bob, general, 'plain', 'plain: written elsewhere');
  for (const article of shown('plain: written elsewhere')) await expectShown(article);
});
