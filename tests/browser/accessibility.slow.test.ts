/** Every screen by the rules of axe, light and dark, narrow and wide. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import type { AxeResults } from 'axe-core';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { startSmallOrganization } from '../api/small-organization.ts';
import type { SmallOrganization } from '../api/small-organization.ts';
import { Reader, launchBrowser, wholeSystem } from './reader.ts';

const axeSource = readFileSync(fileURLToPath(import.meta.resolve('axe-core')), 'utf8');

let organization: SmallOrganization;
let browser: Browser;

beforeAll(async () => {
  organization = await startSmallOrganization(wholeSystem(1));
  const client = organization.typed('ann');
  await client.request('POST /users/me/subscriptions', {
    subscriptions: [{ name: 'garden' }],
    principals: [organization.id('ann'), organization.id('bob')],
  });
  for (const content of [
    'A **list**\n* one\n* two',
    '```python\nprint(1)\n```',
    'Hello @**Ann Lee**',
  ])
    await client.request('POST /messages', {
      type: 'stream',
      to: 'garden',
      topic: 'roses',
      content,
    });
  browser = await launchBrowser();
});

afterAll(async () => {
  await browser?.close();
  await organization?.stop();
});

const screens = [
  '#recent',
  '#all',
  '#narrow/is/starred',
  '#drafts',
  '#scheduled',
  '#streams',
  '#settings/profile',
  '#settings/display',
  '#settings/notifications',
  '#settings/people',
];

async function findViolations(reader: Reader): Promise<readonly string[]> {
  const { violations } = await reader.page.evaluate(async () => {
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
  const reader = await Reader.signIn(
    browser,
    organization.cluster.url,
    { email: 'ann@example.com', password: 'ann-secret' },
    { colorScheme, viewport: { width, height: 900 }, bypassCSP: true },
  );
  await reader.page.evaluate(axeSource);
  const found: Record<string, readonly string[]> = {};
  for (const screen of screens) {
    await reader.goTo(screen);
    await reader.page.locator('main :is(h1, h2):visible').first().waitFor();
    const violations = await findViolations(reader);
    if (violations.length > 0) found[screen] = violations;
  }
  expect(found).toEqual({});
  await reader.page.context().close();
});
