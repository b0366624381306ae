/** Tabs of one browser: they share one stream of events, since a browser has few connections to a server. */
import { waitUntil } from '@parley/test-kit';
import { expect, test } from 'vitest';

import { sendTo, startBrowserTests } from './browser-system.ts';
import { expectShown } from './visitor.ts';

const { system, visit } = startBrowserTests();
const tabCount = 8;

test('eight tabs show a message by one stream of events, and go on when its tab is closed', async () => {
  const { ann, bob, general } = system();
  const visitor = await visit();
  const follows: string[] = [];
  visitor.context.on('request', (request) => {
    if (request.url().includes('/api/v1/events') && request.method() === 'GET')
      follows.push(new URL(request.url()).searchParams.get('queue_id') ?? '');
  });
  const fragment = `#narrow/stream/${general.id}-general/topic/tabs`;
  await visitor.enter(ann, fragment);
  for (let tab = 1; tab < tabCount; tab += 1) await visitor.openTab(fragment);
  await sendTo(bob, general, 'tabs', 'tabs: one');
  for (const page of visitor.context.pages())
    await expectShown(page.getByRole('article').filter({ hasText: 'tabs: one' }));
  expect(new Set(follows).size).toBe(1);
  await visitor.context.pages()[0]?.close();
  await sendTo(bob, general, 'tabs', 'tabs: two');
  for (const page of visitor.context.pages()) {
    const shown = page.getByRole('article').filter({ hasText: 'tabs: two' });
    await expectShown(shown);
    await waitUntil('it is shown once', async () => (await shown.count()) === 1);
  }
});
