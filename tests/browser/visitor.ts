/** A person's browser window in a test: an own profile, a page of the client, and everything that must not happen in it. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';

import { repositoryFolder, waitMaxMs, waitUntil } from '@parley/test-kit';
import type { TestAccount } from '@parley/test-kit';
import type {
  Browser,
  BrowserContext,
  BrowserContextOptions,
  Locator,
  Page,
} from 'playwright-core';

/** Where a failed test leaves pictures of its windows. */
const pictureFolder = join(repositoryFolder, '.parley', 'reports', 'browser-failures');

/** What a browser says itself of every refusal; tests of the client look at what it does then. */
const refusalNoise = /^console: Failed to load resource/;

/** Waits until something is shown. */
export async function expectShown(locator: Locator): Promise<void> {
  await locator.waitFor();
}

/** Waits until the page no longer has it. */
export async function expectGone(locator: Locator): Promise<void> {
  await locator.waitFor({ state: 'detached' });
}

/** The emoji of that name among those that a search in the picker found. */
export function foundEmoji(scope: Page | Locator, name: string): Locator {
  return scope.getByRole('region', { name: 'Found' }).getByRole('button', { name, exact: true });
}

export class Visitor {
  readonly context: BrowserContext;
  readonly page: Page;
  readonly url: string;
  readonly #faults: string[];
  readonly #visited = new Set<string>();
  #isOutageExpected = false;

  private constructor(context: BrowserContext, page: Page, url: string, faults: string[]) {
    this.context = context;
    this.page = page;
    this.url = url;
    this.#faults = faults;
  }

  static async open(
    browser: Browser,
    url: string,
    options: BrowserContextOptions = {},
  ): Promise<Visitor> {
    const context = await browser.newContext({
      viewport: { width: 1280, height: 800 },
      locale: 'en-GB',
      // What moves or fades is neither pressed nor looked at before it is at its end.
      reducedMotion: 'reduce',
      ...options,
    });
    context.setDefaultTimeout(waitMaxMs);
    const faults: string[] = [];
    context.on('page', (page) => watch(page, url, faults));
    return new Visitor(context, await context.newPage(), url, faults);
  }

  /** Signs this profile in without the sign-in page, and opens the client. */
  async enter(account: TestAccount, fragment = ''): Promise<void> {
    await waitUntil('the sign-in is accepted', async () => {
      const answer = await this.context.request.post(`${this.url}/api/v1/sessions`, {
        form: { username: account.email },
        headers: { 'Sec-Fetch-Site': 'same-origin' },
      });
      return answer.ok();
    });
    await this.go(fragment);
  }

  /** Opens the client at a fragment of its address. What was shown before is gone then; what the place shows may still be loaded. */
  async go(fragment: string): Promise<void> {
    await this.page.goto(`${this.url}/${fragment}`);
    await this.#expectDrawn();
  }

  /** Opens another tab of the same browser at a fragment of the client's address. */
  async openTab(fragment: string): Promise<Page> {
    const page = await this.context.newPage();
    await page.goto(`${this.url}/${fragment}`);
    return page;
  }

  /** From now on requests may fail, because the test stops the server or the network. */
  expectOutage(): void {
    this.#isOutageExpected = true;
  }

  /**
   * Waits until the address of the page ends with a fragment, and nothing is shown any more of the place before it. Whoever presses a key or
   * clicks in the new place waits for this first.
   */
  async expectAddress(fragment: string): Promise<void> {
    await waitUntil(
      `the address is ${fragment}`,
      () => new URL(this.page.url()).hash === fragment,
      {
        describe: () => this.page.url(),
      },
    );
    await this.#expectDrawn();
  }

  /** The page follows its address in a task of its own, and draws what that changes in the next frame. */
  async #expectDrawn(): Promise<void> {
    await waitUntil('the page is drawn', () =>
      this.page.evaluate(
        () =>
          new Promise<boolean>((resolve) => {
            setTimeout(() => requestAnimationFrame(() => setTimeout(() => resolve(true))));
          }),
      ),
    );
  }

  /** The messages in the middle, in their order. */
  get messages(): Locator {
    return this.page.getByRole('article');
  }

  /** @param text what the message has to contain */
  message(text: string): Locator {
    return this.messages.filter({ hasText: text });
  }

  /** The field in which messages are written. */
  get composeField(): Locator {
    return this.page.getByRole('textbox', { name: 'Message' });
  }

  async send(text: string): Promise<void> {
    await this.composeField.fill(text);
    await this.page.getByRole('button', { name: 'Send', exact: true }).click();
  }

  /** Waits until the page shows these messages, each once and in this order, among those that contain the mark. */
  async expectMessages(mark: string, contents: readonly string[]): Promise<void> {
    let shown: readonly string[] = [];
    await waitUntil(
      `${contents.length} messages are shown`,
      async () => {
        const texts = await this.message(mark).allInnerTexts();
        shown = texts.flatMap((text) => text.split('\n').filter((line) => line.includes(mark)));
        return JSON.stringify(shown) === JSON.stringify(contents);
      },
      { describe: () => JSON.stringify(shown) },
    );
  }

  /** Throws if anything happened in its pages that must not happen. */
  expectNoFaults(): void {
    const faults = this.#faults.filter(
      (fault) => !refusalNoise.test(fault) && !this.#isOutage(fault) && !this.#isVisit(fault),
    );
    if (faults.length > 0) throw new Error(`the pages reported:\n${faults.join('\n')}`);
  }

  /** From now on the person may be led to another site, by its origin. */
  expectVisitsTo(origin: string): void {
    this.#visited.add(origin);
  }

  #isVisit(fault: string): boolean {
    return Array.from(this.#visited).some((origin) => fault.startsWith(`elsewhere: ${origin}/`));
  }

  /** For tests that cause them. */
  forgetFaults(): void {
    this.#faults.length = 0;
  }

  #isOutage(fault: string): boolean {
    return this.#isOutageExpected && /^(?:5\d\d|console): /.test(fault);
  }

  async takePictures(name: string): Promise<void> {
    await mkdir(pictureFolder, { recursive: true });
    for (const [index, page] of this.context.pages().entries())
      await page.screenshot({ path: join(pictureFolder, `${name}-${index}.png`) });
  }

  async close(): Promise<void> {
    await this.context.close();
  }
}

function watch(page: Page, url: string, faults: string[]): void {
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning')
      faults.push(`console: ${message.text()}`);
  });
  page.on('pageerror', (error) => faults.push(`thrown: ${error.stack ?? error.message}`));
  page.on('dialog', (dialog) => {
    faults.push(`asked: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('request', (request) => {
    const { protocol, origin } = new URL(request.url());
    if (protocol.startsWith('http') && origin !== url) faults.push(`elsewhere: ${request.url()}`);
  });
  page.on('response', (response) => {
    // On a busy machine the server is unavailable for moments, which people do not notice: the client asks again.
    const status = response.status();
    if (status >= 500 && status !== 503 && status !== 504)
      faults.push(`${status}: ${response.url()}`);
  });
}

/** Waits until the field of messages has a text. */
export async function expectWritten({ composeField }: Visitor, text: string): Promise<void> {
  let written = '';
  await waitUntil(
    'the text is in the field',
    async () => {
      written = await composeField.inputValue();
      return written === text;
    },
    { describe: () => written },
  );
}
