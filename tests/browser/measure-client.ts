/**
 * `node scripts/run.mjs tests/browser/measure-client.ts`: measures the built web client in Chromium against a system with 1,000 people, 200 streams
 * and 100,000 messages, and prints the figures as JSON. Options: `--messages N`, `--repeats N`.
 */
import { readFile, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

import { makeMessages } from '@parley/demo';
import type { NewMessage } from '@parley/demo';
import { repositoryFolder, waitUntil } from '@parley/test-kit';
import { chromium } from 'playwright-core';
import type { Browser, Page } from 'playwright-core';

import { getOwn, startOwnSystem } from '../load/load-system.ts';

const peopleCount = 1_000;
const streamCount = 200;
const readBackCount = 10_000;
const messagesPerSec = 50;
const trafficSecs = 10;
const clientFolder = join(repositoryFolder, 'packages', 'web');

const contents = [
  'The soup is ready, bring bowls',
  'Does anybody have the keys of the **boat house**?',
  'See https://parley.example/harbour and the [plan](https://parley.example/plan) :sailboat:',
  'First `mend the nets`, then\n\n* paint\n* tar\n* wait',
  '> quoted words of yesterday\n\nI agree with that, and it is a somewhat longer message which fills more than a line of a window.',
];

/** Sizes of what the first screen loads, as a browser with Brotli gets it, and the script by gzip. */
async function measureBytes(): Promise<Record<string, number>> {
  const dist = join(clientFolder, 'dist');
  const page = await readFile(join(dist, 'index.html'), 'utf8');
  const files = [...page.matchAll(/(?:src|href)="\/(assets\/[^"]+\.(?:js|css))"/g)].map(
    ([, file]) => file ?? '',
  );
  const sizeOf = async (paths: readonly string[], extension: string): Promise<number> => {
    const sizes = await Promise.all(paths.map((path) => stat(join(dist, path + extension))));
    return sizes.reduce((sum, { size }) => sum + size, 0);
  };
  const scripts = files.filter((file) => file.endsWith('.js'));
  return {
    scriptGzip: await sizeOf(scripts, '.gz'),
    scriptBrotli: await sizeOf(scripts, '.br'),
    allBrotli: await sizeOf(['index.html', ...files], '.br'),
  };
}

/** Lines of code by part, without tests. */
async function countLines(): Promise<Record<string, number>> {
  const lines: Record<string, number> = {};
  const folder = join(clientFolder, 'src');
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || /\.test\.tsx?$/.test(entry.name)) continue;
    const path = join(entry.parentPath, entry.name);
    const part =
      path
        .slice(folder.length + 1)
        .split('/')
        .slice(0, -1)[0] ?? 'top';
    const text = await readFile(path, 'utf8');
    lines[part] = (lines[part] ?? 0) + text.split('\n').filter((line) => line.trim() !== '').length;
  }
  return { ...lines, all: Object.values(lines).reduce((sum, count) => sum + count, 0) };
}

function percentile(values: readonly number[], share: number): number {
  const ordered = values.toSorted((one, other) => one - other);
  return Math.round(ordered[Math.floor((ordered.length - 1) * share)] ?? Number.NaN);
}

async function openClient(
  browser: Browser,
  url: string,
  email: string,
  fragment: string,
): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  await context.request.post(`${url}/api/v1/sessions`, {
    form: { username: email },
    headers: { 'Sec-Fetch-Site': 'same-origin' },
  });
  const page = await context.newPage();
  await page.goto(`${url}/${fragment}`);
  await page.getByRole('article').first().waitFor();
  return page;
}

/** From the beginning of the navigation, with nothing cached, until messages are shown; beside it the time of the two requests alone. */
async function measureStarts(
  browser: Browser,
  url: string,
  emails: readonly string[],
): Promise<Record<string, number>> {
  const totals: number[] = [];
  const requests: number[] = [];
  for (const email of emails) {
    const page = await openClient(browser, url, email, '#all');
    const { total, own } = await page.evaluate(() => {
      const now = performance.now();
      const calls = performance
        .getEntriesByType('resource')
        .filter(({ name }) => /\/api\/v1\/(?:register|messages)/.test(name));
      return { total: now, own: calls.reduce((sum, { duration }) => sum + duration, 0) };
    });
    totals.push(total);
    requests.push(own);
    await page.context().close();
  }
  return {
    startMsP50: percentile(totals, 0.5),
    startMsP90: percentile(totals, 0.9),
    requestsMsP50: percentile(requests, 0.5),
  };
}

async function readHeapBytes(page: Page): Promise<number> {
  const debugging = await page.context().newCDPSession(page);
  await debugging.send('HeapProfiler.collectGarbage');
  const { usedSize } = await debugging.send('Runtime.getHeapUsage');
  await debugging.detach();
  return usedSize;
}

/** Scrolls back until so many messages were loaded. */
async function measureReadingBack(page: Page): Promise<Record<string, number>> {
  const heapBefore = await readHeapBytes(page);
  let received = 0;
  page.on('response', (response) => {
    if (!response.url().includes('/api/v1/messages?')) return;
    void response.json().then((body: { readonly messages?: readonly unknown[] }) => {
      received += body.messages?.length ?? 0;
    });
  });
  await waitUntil(
    `${readBackCount} messages were read back`,
    async () => {
      await page.getByRole('log').evaluate(({ parentElement: scroller }) => {
        if (scroller !== null) scroller.scrollTop = 0;
      });
      return received >= readBackCount;
    },
    { deadlineMs: 300_000, pauseMs: 30 },
  );
  return {
    heapBeforeMB: Math.round(heapBefore / 1e5) / 10,
    heapAfterMB: Math.round((await readHeapBytes(page)) / 1e5) / 10,
    articlesInPage: await page.getByRole('article').count(),
  };
}

/** Counts frames that the page did not draw in time; a browser without a screen draws 60 a second. */
async function countLostFrames(page: Page): Promise<number> {
  return page.evaluate(
    (secs) =>
      new Promise<number>((resolve) => {
        const frameMs = 1000 / 60;
        const endsAt = performance.now() + secs * 1000;
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
    trafficSecs,
  );
}

const { values } = parseArgs({
  options: {
    messages: { type: 'string', default: '100000' },
    repeats: { type: 'string', default: '10' },
  },
});

const system = await startOwnSystem(peopleCount, {
  environment: { PARLEY_MODE: 'development', PARLEY_WEB_DIR: join(clientFolder, 'dist') },
});
const browser = await chromium.launch({
  executablePath: '/usr/bin/chromium',
  args: ['--no-sandbox'],
});
try {
  const { organization } = getOwn(system, 'client');
  const { maker } = organization;
  const ids = Array.from(
    new Set(
      (await maker.pool.query<{ id: number }>({ text: 'SELECT id FROM users ORDER BY id' })).rows,
    ),
    ({ id }) => id,
  ).slice(-peopleCount);
  const streams = await maker.makeStreams(
    Array.from({ length: streamCount }, (_, n) => ({ name: `stream ${n}` })),
  );
  for (const { id } of streams) await maker.subscribe(id, ids);
  const publicUrl = system.urls[0] ?? '';
  const nowSecs = Math.floor(Date.now() / 1000);
  const count = Number(values.messages);
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
  process.stderr.write('The organization is made.\n');
  const emails = system.accounts.map(({ email }) => email);
  const starts = await measureStarts(browser, publicUrl, emails.slice(0, Number(values.repeats)));
  process.stderr.write(`${JSON.stringify(starts)}\n`);
  const page = await openClient(browser, publicUrl, emails.at(-1) ?? '', '#all');
  const readingBack = await measureReadingBack(page);
  process.stderr.write(`${JSON.stringify(readingBack)}\n`);
  await page.reload();
  await page.getByRole('article').first().waitFor();
  const idleLost = await countLostFrames(page);
  let isSending = true;
  const sending = (async () => {
    for (let n = 0; isSending; n += 1) {
      const sender = system.clients[n % system.clients.length];
      void sender?.post('messages', {
        type: 'stream',
        to: 'load',
        topic: 'frames',
        content: contents[n % contents.length],
      });
      await new Promise((resolve) => setTimeout(resolve, 1000 / messagesPerSec));
    }
  })();
  const busyLost = await countLostFrames(page);
  isSending = false;
  await sending;
  process.stdout.write(
    `${JSON.stringify({ bytes: await measureBytes(), starts, readingBack, frames: { of: trafficSecs * 60, lostIdle: idleLost, lostAtTraffic: busyLost }, lines: await countLines() }, undefined, 2)}\n`,
  );
} finally {
  await browser.close();
  await system.stop();
}
