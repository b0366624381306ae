/**
 * `node scripts/run.mjs tests/browser/measure-client.ts`: measures the built web client in Chromium against a system with 1,000 people, 200 streams
 * and 100,000 messages, and prints the figures as a table. Options: `--messages N`, `--repeats N`.
 */
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

import { makeMessages } from '@parley/demo';
import type { NewMessage, OrganizationMaker } from '@parley/demo';
import { waitUntil } from '@parley/test-kit';
import type { ApiClient } from '@parley/test-kit';
import type { Browser, BrowserContext, Page } from 'playwright-core';

import { startOwnSystem } from '../load/load-system.ts';
import type { LoadSystem } from '../load/load-system.ts';
import { buildClient, builtFolder, launchBrowser } from './chromium.ts';

const peopleCount = 1_000;
const streamCount = 200;
const readBackCount = 10_000;
const messagesPerSec = 50;
const trafficSecs = 30;
/** A browser without a screen draws so many frames. */
const framesPerSec = 60;

const contents = [
  'The soup is ready, bring bowls',
  'Does anybody have the keys of the **boat house**?',
  'See https://parley.example/harbour and the [plan](https://parley.example/plan) :sailboat:',
  'First `mend the nets`, then\n\n* paint\n* tar\n* wait',
  '> quoted words of yesterday\n\nI agree with that, and it is a somewhat longer message which fills more than a line of a window.',
];

/** What is measured, and its figure. */
type Row = readonly [what: string, figure: string];

const kilobytes = (bytes: number): string => `${(bytes / 1_000).toFixed(1)} KB`;
const megabytes = (bytes: number): string => `${(bytes / 1_000_000).toFixed(1)} MB`;
const thousands = (count: number): string => count.toLocaleString('en-GB');

function note(text: string): void {
  process.stderr.write(`${text}\n`);
}

/** Sizes of what the first screen loads: what the built page itself names. */
async function measureBytes(): Promise<Row[]> {
  const page = await readFile(join(builtFolder, 'index.html'), 'utf8');
  const files = [...page.matchAll(/(?:src|href)="\/(assets\/[^"]+\.(?:js|css))"/g)].map(
    ([, file]) => file ?? '',
  );
  const sizeOf = async (paths: readonly string[], extension: string): Promise<number> => {
    const sizes = await Promise.all(
      paths.map(async (path) => {
        const file = join(builtFolder, path);
        // What would not become smaller is there only as it is.
        return stat(file + extension).catch(() => stat(file));
      }),
    );
    return sizes.reduce((sum, { size }) => sum + size, 0);
  };
  const scripts = files.filter((file) => file.endsWith('.js'));
  const [gzip, brotli, all] = [
    await sizeOf(scripts, '.gz'),
    await sizeOf(scripts, '.br'),
    await sizeOf(['index.html', ...files], '.br'),
  ];
  return [
    ['JavaScript of the first screen', `${kilobytes(gzip)} by gzip, ${kilobytes(brotli)} by br`],
    ['everything of the first screen: page, scripts, styles', `${kilobytes(all)} by br`],
  ];
}

function percentile(values: readonly number[], share: number): number {
  const ordered = values.toSorted((one, other) => one - other);
  return ordered[Math.ceil(ordered.length * share) - 1] ?? Number.NaN;
}

async function signIn(context: BrowserContext, url: string, email: string): Promise<void> {
  await context.request.post(`${url}/api/v1/sessions`, {
    form: { username: email },
    headers: { 'Sec-Fetch-Site': 'same-origin' },
  });
}

/** Notes in the page when messages were drawn and when somebody clicked. */
async function watchStart(context: BrowserContext): Promise<void> {
  await context.addInitScript(() => {
    addEventListener('click', () => performance.mark('click'), { capture: true });
    const observer = new MutationObserver(() => {
      if (document.querySelector('[role="log"] article') === null) return;
      observer.disconnect();
      requestAnimationFrame(() => setTimeout(() => performance.mark('shown')));
    });
    observer.observe(document, { childList: true, subtree: true });
  });
}

type Start = { readonly totalMs: number; readonly requestsMs: number };

/** From the last click, or from the beginning of the navigation, until messages are drawn; beside it the requests for them. */
async function readStart(page: Page): Promise<Start> {
  await page.waitForFunction(() => performance.getEntriesByName('shown').length > 0);
  return page.evaluate(() => {
    const from = performance.getEntriesByName('click').at(-1)?.startTime ?? 0;
    const shown = performance.getEntriesByName('shown')[0]?.startTime ?? Number.NaN;
    const requests = performance
      .getEntriesByType('resource')
      .filter(
        ({ name, startTime }) =>
          startTime >= from && /\/api\/v1\/(?:sessions|register|messages)\b/.test(name),
      );
    return {
      totalMs: shown - from,
      requestsMs: requests.reduce((sum, { duration }) => sum + duration, 0),
    };
  });
}

function describeStarts(what: string, starts: readonly Start[]): Row {
  const secs = (ms: number): string => (ms / 1_000).toFixed(2);
  const totals = starts.map(({ totalMs }) => totalMs);
  const requests = starts.map(({ requestsMs }) => requestsMs);
  return [
    what,
    `${secs(percentile(totals, 0.5))} s (p50 of ${starts.length}), ${secs(percentile(totals, 0.9))} (p90); ` +
      `the requests themselves took ${secs(percentile(requests, 0.5))} and ${secs(percentile(requests, 0.9))}`,
  ];
}

/** Each person signs in on the sign-in page, in a browser that has nothing; then opens the address again in another one. */
async function measureStarts(
  browser: Browser,
  url: string,
  emails: readonly string[],
): Promise<Row[]> {
  const signingIn: Start[] = [];
  const opening: Start[] = [];
  for (const email of emails) {
    const stranger = await browser.newContext();
    await watchStart(stranger);
    const page = await stranger.newPage();
    await page.goto(`${url}/#all`);
    await page.getByRole('button', { name: /^Show all/ }).click();
    await page.getByRole('button', { name: email, exact: true }).click();
    signingIn.push(await readStart(page));
    await stranger.close();
    const known = await browser.newContext();
    await watchStart(known);
    await signIn(known, url, email);
    const opened = await known.newPage();
    await opened.goto(`${url}/#all`);
    opening.push(await readStart(opened));
    await known.close();
  }
  return [
    describeStarts('from the click that signs in to messages on screen', signingIn),
    describeStarts(
      'from opening the address, signed in and nothing cached, to messages on screen',
      opening,
    ),
  ];
}

async function readHeapBytes(page: Page): Promise<number> {
  const debugging = await page.context().newCDPSession(page);
  await debugging.send('HeapProfiler.collectGarbage');
  const { usedSize } = await debugging.send('Runtime.getHeapUsage');
  await debugging.detach();
  return usedSize;
}

/** Scrolls back until so many messages were read. */
async function measureReadingBack(page: Page): Promise<Row> {
  const heapBefore = await readHeapBytes(page);
  const oldestAtFirst = await page.getByRole('article').first().getAttribute('data-message-id');
  const read = new Set<number>();
  page.on('response', (response) => {
    if (!response.url().includes('/api/v1/messages?')) return;
    void response
      .json()
      .then((body: { readonly messages?: readonly { readonly id: number }[] }) => {
        for (const { id } of body.messages ?? []) read.add(id);
      });
  });
  await waitUntil(
    `${readBackCount} messages were read back`,
    async () => {
      await page.getByRole('log').evaluate(({ parentElement: scroller }) => {
        if (scroller !== null) scroller.scrollTop = 0;
      });
      return read.size >= readBackCount;
    },
    {
      deadlineMs: 300_000,
      pauseMs: 30,
      describe: () => `${read.size} were read, from ${oldestAtFirst} on`,
    },
  );
  const articles = await page.getByRole('article').count();
  return [
    `heap before and after reading back ${thousands(readBackCount)} messages`,
    `${megabytes(heapBefore)}, ${megabytes(await readHeapBytes(page))}; ${articles} of them in the page`,
  ];
}

/** Counts frames that the page did not draw in time. */
async function countLostFrames(page: Page): Promise<number> {
  return page.evaluate(
    ({ secs, frameMs }) =>
      new Promise<number>((resolve) => {
        const endsAt = performance.now() + secs * 1_000;
        let last = performance.now();
        let lost = 0;
        const count = (now: number): void => {
          lost += Math.max(0, Math.round((now - last) / frameMs) - 1);
          last = now;
          if (now < endsAt) requestAnimationFrame(count);
          else resolve(lost);
        };
        requestAnimationFrame(count);
      }),
    { secs: trafficSecs, frameMs: 1_000 / framesPerSec },
  );
}

/** Sends messages at the rate, until it is stopped. */
function startTraffic(clients: readonly ApiClient[], stream: string): () => Promise<number> {
  const startedAt = performance.now();
  const sending: Promise<unknown>[] = [];
  const timer = setInterval(() => {
    while (sending.length < ((performance.now() - startedAt) / 1_000) * messagesPerSec) {
      const n = sending.length;
      const client = clients[n % clients.length];
      if (client === undefined) throw new Error('there is nobody who sends');
      sending.push(
        client.post('messages', {
          type: 'stream',
          to: stream,
          topic: 'frames',
          content: contents[n % contents.length] ?? '',
        }),
      );
    }
  }, 5);
  return async () => {
    clearInterval(timer);
    await Promise.all(sending);
    return sending.length;
  };
}

/** The page shows all messages meanwhile, the newest at its end. */
async function measureFrames(page: Page, { clients, stream }: LoadSystem): Promise<Row> {
  await page.reload();
  await page.getByRole('article').first().waitFor();
  const idle = await countLostFrames(page);
  const stop = startTraffic(clients, stream);
  const lost = await countLostFrames(page);
  const sent = await stop();
  const frames = trafficSecs * framesPerSec;
  return [
    `frames lost of ${thousands(frames)} in ${trafficSecs} s while ${messagesPerSec} messages a second arrive`,
    `${thousands(lost)} (${((100 * lost) / frames).toFixed(1)} %; ${thousands(sent)} messages were sent); ${thousands(idle)} when none arrive`,
  ];
}

/** Streams in which all people are, and messages in them. */
async function fill(maker: OrganizationMaker, publicUrl: string, count: number): Promise<void> {
  const { rows } = await maker.pool.query<{ id: number }>(
    'SELECT id FROM users ORDER BY id DESC LIMIT $1',
    [peopleCount],
  );
  const ids = rows.map(({ id }) => id);
  const streams = await maker.makeStreams(
    Array.from({ length: streamCount }, (_, n) => ({ name: `stream ${n}` })),
  );
  for (const { id } of streams) await maker.subscribe(id, ids);
  const nowSecs = Math.floor(Date.now() / 1_000);
  const batch = 1_000;
  for (let start = 0; start < count; start += batch)
    await makeMessages(
      { pool: maker.pool, eventLog: maker.eventLog, publicUrl },
      Array.from({ length: Math.min(batch, count - start) }, (_, n): NewMessage => {
        const number = start + n;
        return {
          senderId: ids[(number * 7) % ids.length] ?? 0,
          content: contents[number % contents.length] ?? '',
          sentAtSecs: nowSecs - (count - number),
          streamName: `stream ${(number * 13) % streamCount}`,
          topic: `topic ${number % 9}`,
        };
      }),
    );
}

const { values } = parseArgs({
  options: {
    messages: { type: 'string', default: '100000' },
    repeats: { type: 'string', default: '10' },
  },
});

await buildClient();
const system = await startOwnSystem(peopleCount, {
  environment: { PARLEY_MODE: 'development', PARLEY_WEB_DIR: builtFolder },
});
const browser = await launchBrowser();
try {
  const { organization } = system;
  const [url = ''] = system.urls;
  await fill(organization.maker, url, Number(values.messages));
  note('The organization is made.');
  const visitors = system.clients.slice(0, Number(values.repeats));
  // Otherwise the page would begin at the oldest message, which nobody has read.
  for (const client of visitors) await client.post('mark_all_as_read', {});
  const emails = system.accounts.slice(0, visitors.length).map(({ email }) => email);
  const rows = await measureBytes();
  rows.push(...(await measureStarts(browser, url, emails)));
  note('The starts are measured.');
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  await signIn(context, url, emails[0] ?? '');
  const page = await context.newPage();
  await page.goto(`${url}/#all`);
  await page.getByRole('article').first().waitFor();
  rows.push(await measureReadingBack(page));
  note('Reading back is measured.');
  rows.push(await measureFrames(page, system));
  process.stdout.write(
    ['| what | figure |', '| --- | --- |', ...rows.map((row) => `| ${row.join(' | ')} |`), ''].join(
      '\n',
    ),
  );
} finally {
  await browser.close();
  await system.stop();
}
