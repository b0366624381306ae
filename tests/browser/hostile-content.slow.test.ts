/** Nothing that an author writes runs in a reader's browser. */
import { waitUntil } from '@parley/test-kit';
import { expect, test } from 'vitest';

import { hostileVectors } from '@parley/markdown/testdata/hostile-vectors';
import { sendTo, startBrowserTests } from './browser-system.ts';
import { expectShown } from './visitor.ts';

const { system, visit } = startBrowserTests();

/** As many as one narrow shows at once. */
const messageSize = 9_000;

/** The vectors in few messages, each in every place where a text can be. */
function hostileMessages(): readonly string[] {
  const contents: string[] = [];
  let content = '';
  for (const vector of hostileVectors.filter((each) => !each.includes('\0'))) {
    const part = [
      vector,
      `[text](${vector})`,
      `**${vector}**`,
      `\`${vector}\``,
      `| ${vector} |`,
      '',
    ].join('\n\n');
    if (content.length + part.length > messageSize) {
      contents.push(content);
      content = '';
    }
    content += part;
  }
  return [...contents, content];
}

test('hostile messages, topics and names are shown as text', async () => {
  const { bob, general, organization } = system();
  const mallory = await organization.makeAccount('<img src=x onerror=alert(1)>', {
    email: 'mallory@example.com',
  });
  await organization.maker.subscribe(general.id, [mallory.id]);
  const contents = hostileMessages();
  for (const content of contents) await sendTo(mallory, general, 'hostile', content);
  await sendTo(mallory, general, '<svg onload=alert(1)>', 'last');
  const visitor = await visit();
  await visitor.page.addInitScript(() => {
    Object.assign(window, { alert: () => console.error('alert was called') });
  });
  await visitor.enter(bob, `#narrow/stream/${general.id}-general`);
  await waitUntil(
    'all messages are shown',
    async () => (await visitor.messages.count()) > contents.length,
  );
  const found = await visitor.page.evaluate(() =>
    [...document.querySelectorAll('main *')].flatMap((element) =>
      [...element.attributes]
        .filter(
          ({ name, value }) =>
            name.startsWith('on') || /^(?:javascript|data|vbscript):/i.test(value.trim()),
        )
        .map(({ name, value }) => `${element.tagName} ${name}=${value}`),
    ),
  );
  expect(found).toEqual([]);
  for (const name of ['script', 'iframe', 'object', 'embed', 'base', 'form[action]'])
    expect(await visitor.page.locator(`[role=log] ${name}`).count()).toBe(0);
  await visitor.go('#recent');
  await expectShown(visitor.page.getByText('<svg onload=alert(1)>').first());
});
