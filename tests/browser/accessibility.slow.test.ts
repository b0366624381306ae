/** Every screen by the rules of axe, light and dark, narrow and wide. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';

import { sendTo, startBrowserTests } from './browser-system.ts';
import { expectShown } from './visitor.ts';

const axeSource = readFileSync(fileURLToPath(import.meta.resolve('axe-core')), 'utf8');

const { system, visit } = startBrowserTests();

const contents = ['A **list**\n* one\n* two', '```python\nprint(1)\n```', 'Hello @**Ann Lee**'];

/** Addresses of screens, each with its heading: by that one is told from the one before. */
const screens = {
  '#recent': 'Recent conversations',
  '#all': 'All messages',
  '#narrow/is/starred': 'Starred',
  '#drafts': 'Drafts',
  '#scheduled': 'Scheduled',
  '#streams': 'Streams',
  '#settings/profile': 'Profile',
  '#settings/display': 'Display',
  '#settings/notifications': 'Notifications',
  '#settings/people': 'People',
};

async function findViolations(page: Page): Promise<readonly string[]> {
  const { violations } = await page.evaluate(async () => {
    const { axe } = globalThis as unknown as { axe: { run: () => Promise<AxeResults> } };
    return axe.run();
  });
  return violations.map(
    ({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(' | ')}`,
  );
}

test.each([
  ['light', 1_440],
  ['dark', 1_440],
  ['light', 360],
  ['dark', 360],
] as const)('no screen breaks a rule: %s, %i px', async (colorScheme, width) => {
  const { ann, bob, general } = system();
  for (const content of contents) await sendTo(bob, general, 'roses', content);
  // The page's policy would refuse the script that looks at it.
  const visitor = await visit({ colorScheme, viewport: { width, height: 900 }, bypassCSP: true });
  await visitor.enter(ann);
  await visitor.page.evaluate(axeSource);
  const found: Record<string, readonly string[]> = {};
  for (const [screen, name] of Object.entries(screens)) {
    await visitor.go(screen);
    await expectShown(visitor.page.getByRole('heading', { level: 1, name, exact: true }));
    const violations = await findViolations(visitor.page);
    if (violations.length > 0) found[screen] = violations;
  }
  expect(found).toEqual({});
});
