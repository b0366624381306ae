/** The page `/api/docs` as people see it: in a browser, through the gateway. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import type { Endpoint } from '@parley/api';
import { endpoints } from '@parley/api/endpoints';
import { interfaceDocument } from '@parley/api/interface-document';
import { sampleRequestOf } from '@parley/api/samples';
import { parleyVersion } from '@parley/server';
import { readObjects } from '@parley/test-kit';
import type { AxeResults, RunOptions } from 'axe-core';
import type { Browser, Page } from 'playwright-core';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { launchBrowser } from '../browser/chromium.ts';
import { ExampleOrganization } from './samples/example-organization.ts';

const viewport = { width: 1280, height: 900 };

let organization: ExampleOrganization;
let browser: Browser;

beforeAll(async () => {
  organization = await ExampleOrganization.start();
  browser = await launchBrowser();
});

afterAll(async () => {
  await browser?.close();
  await organization?.stop();
});

/** The page, and everything that a browser reports as an error. */
async function open(
  colorScheme: 'light' | 'dark' = 'light',
): Promise<{ readonly page: Page; readonly faults: string[] }> {
  const page = await (await browser.newContext({ viewport, colorScheme })).newPage();
  const faults: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning')
      faults.push(`console: ${message.text()}`);
  });
  page.on('pageerror', (error) => faults.push(`thrown: ${error.message}`));
  page.on('requestfailed', (request) => faults.push(`failed: ${request.url()}`));
  page.on('dialog', (dialog) => faults.push(`asked: ${dialog.message()}`));
  page.on('request', (request) => {
    const { protocol, origin } = new URL(request.url());
    if (protocol !== 'data:' && origin !== organization.cluster.url.replace(/\/$/, ''))
      faults.push(`elsewhere: ${request.url()}`);
  });
  page.on('response', (response) => {
    if (response.status() >= 400) faults.push(`${response.status()}: ${response.url()}`);
  });
  await page.goto(`${organization.cluster.url}/api/docs`);
  await page.waitForSelector('.opblock-tag');
  return { page, faults };
}

async function logIn(page: Page, email: string, apiKey: string): Promise<void> {
  await page.click('.btn.authorize');
  await page.fill('#auth-basic-username', email);
  await page.fill('#auth-basic-password', apiKey);
  await page.click('.modal-ux button.authorize');
  await page.click('.modal-ux button.btn-done');
}

/** Opens an operation and sends its example. */
async function tryOut(page: Page, chapter: string, name: string): Promise<string> {
  const group = chapter.replaceAll(' ', '_');
  const block = `[id="operations-${group}-${name}"]`;
  if (!(await page.isVisible(block))) await page.click(`[id="operations-tag-${group}"]`);
  await page.click(`${block} .opblock-summary-control`);
  await page.click(`${block} .try-out__btn`);
  await page.click(`${block} .execute`);
  return page.innerText(`${block} .live-responses-table .response`);
}

test('it loads without errors, from this server only, and sets no cookie', async () => {
  const { page, faults } = await open();
  await page.waitForLoadState('networkidle');
  expect(faults).toEqual([]);
  expect(await page.context().cookies()).toEqual([]);
  expect(await page.title()).toBe('Parley API');
});

// Screenshots differ between versions of a browser, so the test checks the places of elements, and that something is drawn in each.
test('it shows the chapters below one another, with every operation', async () => {
  const { page } = await open();
  const { tags } = interfaceDocument(parleyVersion) as {
    readonly tags: readonly { readonly name: string }[];
  };
  const headings = page.locator('.opblock-tag');
  expect(await headings.count()).toBe(tags.length);
  const picture = sharp(await page.screenshot({ fullPage: true }));
  let above = 0;
  for (const [index, { name }] of tags.entries()) {
    const heading = headings.nth(index);
    expect(await heading.innerText()).toContain(name);
    const box = await heading.boundingBox();
    if (box === null) throw new Error(`${name} is not drawn`);
    expect(box.x).toBeGreaterThanOrEqual(0);
    expect(box.x + box.width).toBeLessThanOrEqual(viewport.width);
    expect(box.y).toBeGreaterThanOrEqual(above);
    above = box.y + box.height;
    const { channels } = await sharp(
      await picture
        .clone()
        .extract({
          left: Math.ceil(box.x),
          top: Math.ceil(box.y),
          width: Math.floor(box.width / 2),
          height: Math.floor(box.height) - 1,
        })
        .toBuffer(),
    ).stats();
    // Dark letters on a light background.
    expect(channels[0]?.min).toBeLessThan(128);
    expect(channels[0]?.mean).toBeGreaterThan(200);
  }
  let operations = 0;
  for (const { name } of tags) {
    const heading = `[data-tag="${name}"]`;
    await page.click(heading);
    // One at a time, because with all of them open the page renders only what is near the view.
    await page.waitForSelector(`.opblock-tag-section.is-open ${heading}`);
    operations += await page.locator('.opblock').count();
    await page.click(heading);
    await page.waitForSelector(`.opblock-tag-section:not(.is-open) ${heading}`);
  }
  expect(operations).toBe(endpoints.length);
});

const axeSource = readFileSync(fileURLToPath(import.meta.resolve('axe-core')), 'utf8');

/** The elements whose colours are too alike to be read. */
async function findPaleElements(page: Page): Promise<readonly string[]> {
  return page.evaluate(async () => {
    const { axe } = globalThis as unknown as {
      axe: { run: (context: Document, options: RunOptions) => Promise<AxeResults> };
    };
    const { violations } = await axe.run(document, { runOnly: ['color-contrast'] });
    return violations.flatMap(({ nodes }) => nodes.map(({ html }) => html));
  });
}

test.for(['light', 'dark'] as const)('its colours can be read: %s', async (scheme) => {
  const { page } = await open(scheme);
  const luminance = await page.evaluate(() => {
    const [red = 0] = getComputedStyle(document.body).backgroundColor.match(/\d+/g) ?? [];
    return Number(red);
  });
  expect(luminance > 128).toBe(scheme === 'light');
  await page.evaluate(axeSource);
  await page.click('[id="operations-tag-Messages"]');
  await page.click('[id="operations-Messages-send-message"] .opblock-summary-control');
  await page.waitForSelector('[id="operations-Messages-send-message"] .code-samples');
  expect(await findPaleElements(page)).toEqual([]);
  await page.click('.btn.authorize');
  await page.waitForSelector('.modal-ux button.authorize');
  expect(await findPaleElements(page)).toEqual([]);
});

test('a request tried there succeeds with credentials entered there', async () => {
  const { page, faults } = await open();
  const { client } = await organization.prepare(
    sampleRequestOf(endpoints.find(({ name }) => name === 'get-messages') as Endpoint),
  );
  await logIn(page, client.email ?? '', client.apiKey ?? '');
  const read = await tryOut(page, 'Messages', 'get-messages');
  expect(read).toMatch(/^200/);
  expect(read).toContain('"found_newest": true');
  const sent = await tryOut(page, 'Messages', 'send-message');
  expect(sent).toMatch(/^200/);
  const [, id] = /"id": (\d+)/.exec(sent) ?? [];
  const [stored] = readObjects(
    await client.get('messages', { anchor: id, num_before: 0, num_after: 0 }),
    'messages',
  );
  expect(stored).toMatchObject({ id: Number(id), display_recipient: 'general', subject: 'hello' });
  // A list in a form is sent as JSON.
  expect(await tryOut(page, 'Own account', 'change-own-status')).toMatch(/^200/);
  expect(await tryOut(page, 'Messages', 'add-alert-words')).toContain('"new keel"');
  expect(faults).toEqual([]);
});

test('wrong credentials are refused in the page, without a browser prompt', async () => {
  const { page, faults } = await open();
  await logIn(page, 'nobody@harbour.example', 'x'.repeat(32));
  expect(await tryOut(page, 'Messages', 'get-messages')).toMatch(/^401/);
  // A browser reports every refusal as an error; there are no others.
  expect(faults.filter((fault) => !fault.includes('401'))).toEqual([]);
});

test('an operation shows its example in each language', async () => {
  const { page } = await open();
  await page.click('[id="operations-tag-Messages"]');
  await page.click('[id="operations-Messages-send-message"] .opblock-summary-control');
  const samples = page.locator('[id="operations-Messages-send-message"] .code-samples');
  for (const [label, text] of [
    ['curl', 'curl -sS'],
    ['Python', 'urlopen(request)'],
    ['JavaScript', "client.request('POST /messages'"],
  ] as const) {
    await samples.getByRole('tab', { name: label }).click();
    expect(await samples.getByRole('tabpanel').innerText()).toContain(text);
  }
});
