/** Every screen by the rules of axe, light and dark, narrow and wide. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import type { AxeResults, RunOptions } from 'axe-core';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';

import { pngPicture, sendTo, startBrowserTests } from './browser-system.ts';
import { expectGone, expectShown } from './visitor.ts';
import type { Visitor } from './visitor.ts';

const axeSource = readFileSync(fileURLToPath(import.meta.resolve('axe-core')), 'utf8');

const { system, visit } = startBrowserTests();

const contents = [
  'A **list**\n* one\n* two',
  '```python\nprint(1)\n```',
  'Hello @**Ann Lee**',
  '```spoiler The end with @**Ann Lee**\nHidden\n```',
];

/** Addresses of screens, each with its heading: by that one is told from the one before. */
const screens = {
  '#recent': 'Recent conversations',
  '#inbox': 'Inbox',
  '#all': 'All messages',
  '#narrow/is/mentioned': 'Mentions',
  '#narrow/is/starred': 'Starred',
  '#drafts': 'Drafts',
  '#scheduled': 'Scheduled',
  '#streams': 'Streams',
};

/** The rules that other colours may break. */
const rulesOfColours = ['color-contrast', 'link-in-text-block'];

/** @param rules all rules if there are none */
async function findViolations(page: Page, rules: readonly string[]): Promise<readonly string[]> {
  const { violations } = await page.evaluate(async (values) => {
    const { axe } = globalThis as unknown as {
      axe: { run: (options: RunOptions) => Promise<AxeResults> };
    };
    return axe.run({
      // What passes is not described, which takes longer than looking for it.
      resultTypes: ['violations'],
      ...(values.length === 0 ? {} : { runOnly: { type: 'rule', values: [...values] } }),
    });
  }, rules);
  return violations.map(
    ({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(' | ')}`,
  );
}

/** @returns the addresses of all settings that the person has, each with its heading */
async function listSections({ page }: Visitor): Promise<readonly (readonly [string, string])[]> {
  const links = await page.locator('nav a[href^="#settings/"]').all();
  return Promise.all(
    links.map(async (link): Promise<readonly [string, string]> => [
      (await link.getAttribute('href')) ?? '',
      ((await link.textContent()) ?? '').trim(),
    ]),
  );
}

/** How each dialog is opened at the newest message or in the field below it, by its title. */
const dialogs: Readonly<Record<string, (visitor: Visitor) => Promise<void>>> = {
  ...Object.fromEntries(
    Object.entries({
      'Choose emoji': 'Add reaction',
      Edits: 'View edits',
      'Remind me of this message': 'Remind me',
      'Move to another topic': 'Move to another topic',
      'Delete this message?': 'Delete',
    }).map(([title, item]) => [
      title,
      async ({ page, messages }: Visitor) => {
        await messages.last().hover();
        await messages.last().getByRole('button', { name: 'More actions' }).click();
        await page.getByRole('menuitem', { name: item, exact: true }).click();
      },
    ]),
  ),
  'Your status': async ({ page }) => {
    await page.getByRole('button', { name: 'Your account' }).click();
    await page.getByRole('menuitem', { name: 'Your status' }).click();
  },
  'boat.png': async ({ page }) => page.getByRole('img', { name: 'boat.png' }).click(),
  Schedule: async ({ page, composeField }) => {
    await composeField.fill('Later');
    await page.getByRole('button', { name: 'Schedule', exact: true }).click();
  },
  'Go to': async ({ page }) => {
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog').getByRole('combobox').fill('ge');
    await expectShown(
      page
        .getByRole('dialog')
        .getByRole('option', { name: /general/ })
        .first(),
    );
  },
  Files: async ({ page }) => {
    await page.getByRole('button', { name: 'What can be done here' }).click();
    await page.getByRole('menuitem', { name: 'Files', exact: true }).click();
    await expectShown(page.getByRole('dialog').getByRole('img', { name: 'boat.png' }));
  },
  'Rename the topic': async ({ page }) => {
    await page.getByRole('button', { name: 'What can be done here' }).click();
    await page.getByRole('menuitem', { name: 'Rename topic' }).click();
  },
  'Keyboard shortcuts': async ({ page }) => {
    await page.getByRole('article').last().focus();
    await page.keyboard.press('?');
  },
};

test.each([
  ['light', 1_440],
  ['dark', 1_440],
  ['light', 360],
  ['dark', 360],
] as const)('no screen breaks a rule: %s, %i px', async (colorScheme, width) => {
  const { ann, bob, general } = system();
  const topic = `roses-${colorScheme}-${width}`;
  for (const content of contents) await sendTo(bob, general, topic, content);
  const { uri } = await bob.typed.request('POST /user_uploads', {
    file: new File([pngPicture], 'boat.png', { type: 'image/png' }),
  });
  await sendTo(bob, general, topic, `[boat.png](${uri})`);
  const id = await sendTo(ann, general, topic, 'Of Ann');
  await ann.typed.request('PATCH /messages/{message_id}', { message_id: id, content: 'By Ann' });
  // The page's policy would refuse the script that looks at it.
  const visitor = await visit({ colorScheme, viewport: { width, height: 900 }, bypassCSP: true });
  const { page } = visitor;
  const found: Record<string, readonly string[]> = {};
  const look = async (screen: string): Promise<void> => {
    const violations = await findViolations(page, colorScheme === 'dark' ? rulesOfColours : []);
    if (violations.length > 0) found[screen] = violations;
  };
  await visitor.go('');
  await expectShown(page.getByRole('heading', { level: 1 }));
  await page.evaluate(axeSource);
  await look('signing in');
  await visitor.enter(ann);
  await page.reload();
  await page.evaluate(axeSource);
  await visitor.go('#settings/profile');
  await expectShown(page.getByRole('heading', { level: 1, name: 'Profile', exact: true }));
  const sections = await listSections(visitor);
  expect(sections.length).toBeGreaterThan(15);
  const places = [...Object.entries(screens), ...sections, [`#streams/${general.id}`, '#general']];
  for (const [screen = '', name = ''] of places) {
    await visitor.go(screen);
    await expectShown(page.getByRole('heading', { level: 1, name, exact: true }));
    await look(screen);
  }
  await visitor.go(`#narrow/stream/${general.id}-general/topic/${topic}`);
  await expectShown(visitor.message('By Ann'));
  await page.getByRole('button', { name: /^Spoiler: / }).click();
  await look('a topic');
  for (const name of ['Streams and conversations', 'Who is here']) {
    const toggle = page.getByRole('button', { name });
    // On a wide screen it is always there.
    if (!(await toggle.isVisible())) continue;
    await toggle.click();
    await expectShown(page.locator('[aria-expanded=true]').and(toggle));
    await look(name);
    await toggle.click();
  }
  for (const [title, open] of Object.entries(dialogs)) {
    await open(visitor);
    await expectShown(page.getByRole('dialog', { name: title }));
    await look(title);
    await page.keyboard.press('Escape');
    await expectGone(page.getByRole('dialog'));
  }
  expect(found).toEqual({});
});
