/** People who use the web client in Chromium, against real servers. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';

import { repositoryFolder } from '@parley/test-kit';
import type { SystemOptions } from '@parley/test-kit';
import { chromium } from 'playwright-core';
import type { Browser, Locator, Page } from 'playwright-core';

/** Every service, and the built page at the gateway. */
export function wholeSystem(events: number, options: SystemOptions = {}): SystemOptions {
  return {
    ...options,
    gateways: 1,
    events,
    messages: 1,
    people: 1,
    subscriptions: 1,
    presence: 1,
    environment: { PARLEY_WEB_DIR: join(repositoryFolder, 'packages/web/dist') },
  };
}

const browserPath = '/usr/bin/chromium';

/** @throws Error if Debian's Chromium is not installed */
export async function launchBrowser(): Promise<Browser> {
  if (!existsSync(browserPath))
    throw new Error(
      `There is no ${browserPath}: \`apt-get install --no-install-recommends chromium\` installs it.`,
    );
  // Chromium's sandbox does not run as root, which continuous integration uses.
  return chromium.launch({ executablePath: browserPath, args: ['--no-sandbox'] });
}

/** What a browser says of a person who is not signed in yet; it is no fault. */
const notSignedIn = 'status of 401';

/** One person's page, and everything that the browser reports as an error: violations of the page's policy above all. */
export class Reader {
  readonly page: Page;
  readonly faults: string[] = [];

  constructor(page: Page, url: string) {
    this.page = page;
    page.on('console', (message) => {
      if (message.type() === 'error' && !message.text().includes(notSignedIn))
        this.faults.push(`console: ${message.text()}`);
    });
    page.on('pageerror', (error) => this.faults.push(`thrown: ${error.stack ?? error.message}`));
    page.on('request', (request) => {
      const { protocol, origin } = new URL(request.url());
      if (protocol.startsWith('http') && origin !== new URL(url).origin)
        this.faults.push(`elsewhere: ${request.url()}`);
    });
  }

  /** Opens the server's address in a browser of their own, and signs in by the page. */
  static async signIn(
    browser: Browser,
    url: string,
    person: { readonly email: string; readonly password: string },
    options: Parameters<Browser['newContext']>[0] = {},
  ): Promise<Reader> {
    const page = await (await browser.newContext(options)).newPage();
    const reader = new Reader(page, url);
    await page.goto(url);
    await reader.enter(person);
    return reader;
  }

  async enter({
    email,
    password,
  }: {
    readonly email: string;
    readonly password: string;
  }): Promise<void> {
    const { page } = this;
    await page.getByLabel(/address|email/i).fill(email);
    await page.getByLabel(/password/i).fill(password);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByRole('main').waitFor();
    await page
      .getByRole('log')
      .or(page.getByRole('heading', { name: 'Recent conversations' }))
      .first()
      .waitFor();
  }

  /** Follows a link with this address. */
  async goTo(fragment: string): Promise<void> {
    await this.page.evaluate((hash) => {
      location.hash = hash;
    }, fragment);
  }

  /** Writes into the compose area and sends. */
  async send(text: string): Promise<void> {
    await this.page.getByRole('textbox', { name: 'Message', exact: true }).fill(text);
    await this.page.keyboard.press('Control+Enter');
  }

  /** The message that shows a text. */
  message(text: string): Locator {
    return this.page.getByRole('log').getByRole('article').filter({ hasText: text });
  }
}

/** Waits until the page shows it. */
export async function expectShown(locator: Locator): Promise<void> {
  await locator.waitFor();
}

/** Waits until the page no longer has it. */
export async function expectGone(locator: Locator): Promise<void> {
  await locator.waitFor({ state: 'detached' });
}
