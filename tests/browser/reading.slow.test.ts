/** What people read in the web client: its order, its place on the screen, what counts as read, and how it looks. */
import { makeMessages } from '@parley/demo';
import { waitUntil } from '@parley/test-kit';
import type { TestAccount } from '@parley/test-kit';
import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';

import { pngPicture, sendTo, startBrowserTests } from './browser-system.ts';
import { expectGone, expectShown } from './visitor.ts';
import type { Visitor } from './visitor.ts';

const { system, visit } = startBrowserTests();

const daySecs = 86_400;

/** Messages of Bob in a new stream of two people, sent some seconds ago. @returns the stream and the ids */
async function tellOfThePast(
  reader: TestAccount,
  streamName: string,
  messages: readonly {
    readonly topic: string;
    readonly content: string;
    readonly agoSecs: number;
  }[],
) {
  const { organization, cluster, bob } = system();
  const stream = await organization.makeStream(streamName, [reader, bob]);
  const { pool, eventLog } = organization.maker;
  const nowSecs = Math.floor(Date.now() / 1000);
  const ids = await makeMessages(
    { pool, eventLog, publicUrl: cluster.url },
    messages.map(({ topic, content, agoSecs }) => ({
      senderId: bob.id,
      content,
      sentAtSecs: nowSecs - agoSecs,
      streamName,
      topic,
    })),
  );
  return { stream, ids, address: `#narrow/stream/${stream.id}-${streamName}` };
}

function many(count: number, topic: string) {
  return Array.from({ length: count }, (_, n) => ({
    topic,
    content: `number ${n}.`,
    agoSecs: 60 * (count - n),
  }));
}

async function markAllRead(reader: TestAccount): Promise<void> {
  await reader.typed.request('POST /mark_all_as_read');
}

async function countUnread(reader: TestAccount): Promise<number> {
  const { messages } = await reader.typed.request('GET /messages', {
    anchor: 'newest',
    num_before: 1_000,
    num_after: 0,
    narrow: [{ operator: 'is', operand: 'unread' }],
  });
  return messages.length;
}

function newestButton({ page }: Visitor): Locator {
  return page.getByRole('button', { name: /To the newest/ });
}

/** The numbers of the messages in the page. */
async function numbersIn(page: Page): Promise<readonly number[]> {
  return page
    .getByRole('log')
    .evaluate((log) =>
      [...log.querySelectorAll('[data-message-id] .content')].map((content) =>
        Number(/number (\d+)/.exec(content.textContent)?.[1]),
      ),
    );
}

/** Scrolls to one of the ends. @returns the messages in the page then, and which is at the upper edge of the window, and where */
async function scrollToEnd(page: Page, end: 'top' | 'bottom') {
  return page.getByRole('log').evaluate((log, to) => {
    const scroller = log.parentElement;
    if (scroller === null) throw new Error('the log scrolls');
    scroller.scrollTop = to === 'top' ? 0 : scroller.scrollHeight;
    const edge = scroller.getBoundingClientRect().top;
    const row = [...log.querySelectorAll<HTMLElement>('[data-message-id]')].find(
      (each) => each.getBoundingClientRect().bottom > edge,
    );
    const ids = [...log.querySelectorAll<HTMLElement>('[data-message-id]')].map(({ dataset }) =>
      Number(dataset['messageId']),
    );
    return {
      endId: ids.at(to === 'top' ? 0 : -1) ?? 0,
      id: row?.dataset['messageId'],
      bottom: (row?.getBoundingClientRect().bottom ?? 0) - edge,
    };
  }, end);
}

/** How far the end of a message is below the upper edge of what scrolls, in what the reader sees: once a frame is drawn. */
async function bottomOf(page: Page, id: string | undefined): Promise<number> {
  return page.getByRole('log').evaluate(async (log, wanted) => {
    await new Promise((resolve) => {
      requestAnimationFrame(() => setTimeout(resolve));
    });
    const edge = log.parentElement?.getBoundingClientRect().top ?? Number.NaN;
    const row = log.querySelector(`[data-message-id="${wanted}"]`);
    return (row?.getBoundingClientRect().bottom ?? Number.NaN) - edge;
  }, id);
}

test('messages are grouped by day, conversation and sender, and a line is before what is new', async () => {
  const { organization, cat } = system();
  const reader = await organization.makeAccount('Rea Groups');
  const { stream, address } = await tellOfThePast(reader, 'days', [
    { topic: 'one', content: 'first', agoSecs: 2 * daySecs },
    { topic: 'one', content: 'second', agoSecs: 2 * daySecs - 60 },
    { topic: 'two', content: 'third', agoSecs: 2 * daySecs - 120 },
  ]);
  await organization.maker.subscribe(stream.id, [cat.id]);
  await markAllRead(reader);
  await sendTo(cat, stream, 'two', 'fourth');
  const visitor = await visit();
  await visitor.enter(reader, address);
  await expectShown(visitor.message('fourth'));
  const lines = await visitor.page
    .getByRole('log')
    .evaluate((log) =>
      [...log.querySelectorAll<HTMLElement>('.day, h2, .sender, .content')].map((each) =>
        each.matches('.day:not(.unread-line)') ? 'a day' : each.innerText.replaceAll(/\s+/g, ' '),
      ),
    );
  expect(lines.map((line) => line.trim())).toEqual([
    'a day',
    'days one',
    'Bob Ray',
    'first',
    'second',
    'days two',
    'Bob Ray',
    'third',
    'a day',
    'New',
    'days two',
    'Cat Moe',
    'fourth',
  ]);
});

test('a long conversation is read on at both ends without a jump, with at most 300 messages in the page', async () => {
  const { organization } = system();
  const reader = await organization.makeAccount('Rea Long');
  const { ids, address } = await tellOfThePast(reader, 'long', many(900, 'tale'));
  await markAllRead(reader);
  const visitor = await visit();
  const { page } = visitor;
  await visitor.enter(reader, `${address}/topic/tale/near/${ids[450]}`);
  await expectShown(visitor.message('number 450.'));
  await page.evaluate(() => {
    const { dataset } = document.documentElement;
    new MutationObserver(() => {
      const rows = document.querySelectorAll('[data-message-id]').length;
      dataset['mostRows'] = String(Math.max(rows, Number(dataset['mostRows'] ?? 0)));
    }).observe(document.body, { childList: true, subtree: true });
  });
  for (const end of ['top', 'bottom'] as const) {
    const seen = await scrollToEnd(page, end);
    const endNumber = ids.indexOf(seen.endId);
    await waitUntil(`more is shown at the ${end}`, async () => {
      const numbers = await numbersIn(page);
      return end === 'top' ? (numbers[0] ?? 0) < endNumber : (numbers.at(-1) ?? 0) > endNumber;
    });
    expect(Math.abs((await bottomOf(page, seen.id)) - seen.bottom)).toBeLessThan(3);
  }
  const beginning = page.getByText('This is where it begins.');
  await waitUntil('the beginning is reached', async () => {
    await scrollToEnd(page, 'top');
    return (await beginning.count()) > 0;
  });
  const numbers = await numbersIn(page);
  expect(numbers).toEqual(numbers.map((_, index) => index));

  await newestButton(visitor).click();
  await expectShown(visitor.message('number 899.'));
  await expectGone(newestButton(visitor));
  await page.getByRole('log').evaluate(({ parentElement: scroller }) => {
    if (scroller !== null) scroller.scrollTop -= 3_000;
  });
  await expectShown(newestButton(visitor));
  const below = await page.getByRole('log').evaluate((log) => {
    const edge = log.parentElement?.getBoundingClientRect().bottom ?? 0;
    return [...log.querySelectorAll('[data-message-id]')].filter(
      (row) => row.getBoundingClientRect().bottom > edge + 1,
    ).length;
  });
  await expectShown(page.getByRole('button', { name: `To the newest (${below})` }));
  // A message that is far from what is shown.
  await visitor.go(`${address}/topic/tale/near/${ids[5]}`);
  const early = visitor.message('number 5.');
  await waitUntil('it has the focus and is on the screen', () =>
    early.evaluate((row) => {
      const { top, bottom } = row.getBoundingClientRect();
      return row === document.activeElement && top >= 0 && bottom <= innerHeight;
    }),
  );
  expect(Number(await page.locator('html').getAttribute('data-most-rows'))).toBeLessThanOrEqual(
    300,
  );
});

test('a reader at the end stays there; what comes while one reads above does not move it, and is counted', async () => {
  const { organization, bob } = system();
  const reader = await organization.makeAccount('Rea End');
  const { stream, address } = await tellOfThePast(reader, 'end', many(60, 'tale'));
  await markAllRead(reader);
  const visitor = await visit();
  const { page } = visitor;
  await visitor.enter(reader, `${address}/topic/tale`);
  await expectShown(visitor.message('number 59.'));
  await expectGone(newestButton(visitor));
  await sendTo(bob, stream, 'tale', 'number 60.');
  await expectShown(visitor.message('number 60.'));
  await expectGone(newestButton(visitor));
  const seen = await scrollToEnd(page, 'top');
  await expectShown(newestButton(visitor));
  await sendTo(bob, stream, 'tale', 'number 61.');
  await expectShown(visitor.message('number 61.'));
  expect(await bottomOf(page, seen.id)).toBe(seen.bottom);
});

test('what is on the screen is marked as read, in few requests, and what is not seen stays unread', async () => {
  const { organization } = system();
  const reader = await organization.makeAccount('Rea Unread');
  const count = 120;
  const { address } = await tellOfThePast(reader, 'unread', many(count, 'tale'));
  expect(await countUnread(reader)).toBe(count);
  const [desk, pocket] = [await visit(), await visit()];
  await pocket.enter(reader, '#recent');
  const onPocket = pocket.page.getByRole('navigation').getByRole('link', { name: /unread/ });
  await expectShown(onPocket.getByRole('img', { name: `${count} unread` }).first());
  let requests = 0;
  desk.page.on('request', (request) => {
    if (request.url().endsWith('/messages/flags')) requests += 1;
  });
  await desk.enter(reader, `${address}/topic/tale`);
  await expectShown(desk.message('number 0.'));
  let left = count;
  await waitUntil('both windows know how many are left', async () => {
    left = await countUnread(reader);
    return (
      left < count && (await onPocket.getByRole('img', { name: `${left} unread` }).count()) > 0
    );
  });
  expect(left).toBeGreaterThan(count / 2);
  expect(requests).toBeLessThan((count - left) / 2);
});

test('a topic, a stream and everything are marked as read', async () => {
  const { organization, bob } = system();
  const reader = await organization.makeAccount('Rea Marks');
  const [boats, nets] = [
    await organization.makeStream('boats', [reader, bob]),
    await organization.makeStream('nets', [reader, bob]),
  ];
  for (const topic of ['oars', 'sails']) await sendTo(bob, boats, topic, topic);
  await sendTo(bob, nets, 'knots', 'knots');
  const visitor = await visit();
  const { page } = visitor;
  // A place without messages, so that none is read by being seen.
  await visitor.enter(reader, '#drafts');
  const countOf = (stream: string, count: number): Locator =>
    page
      .getByRole('navigation')
      .getByRole('link', { name: new RegExp(stream) })
      .getByRole('img', { name: `${count} unread` });
  await expectShown(countOf('boats', 2));
  // Nobody looks at the window: what it shows is not read.
  await page.evaluate(() => {
    document.hasFocus = () => false;
  });
  const markRead = async (): Promise<void> => {
    await page.getByRole('button', { name: 'What can be done here' }).click();
    await page.getByRole('menuitem', { name: 'Mark all as read' }).click();
  };
  await visitor.go(`#narrow/stream/${boats.id}-boats/topic/oars`);
  await expectShown(visitor.message('oars'));
  await markRead();
  await expectShown(countOf('boats', 1));
  await visitor.go(`#narrow/stream/${boats.id}-boats`);
  await expectShown(visitor.message('sails'));
  await markRead();
  await expectGone(countOf('boats', 1));
  await expectShown(countOf('nets', 1));
  await visitor.go('#all');
  await expectShown(visitor.message('knots'));
  await markRead();
  await expectGone(countOf('nets', 1));
  expect(await countUnread(reader)).toBe(0);
});

test('what the server renders looks like what it is', async () => {
  const { organization, bob, ann } = system();
  const reader = await organization.makeAccount('Rea Looks');
  const stream = await organization.makeStream('looks', [reader, bob, ann]);
  const send = async (content: string): Promise<number> => sendTo(bob, stream, 'all', content);
  await send('```python\nreturn "rope"\n```');
  await send('| net | rope |\n|---|---|\n| 1 | 2 |');
  await send('> a quotation');
  await send('Dear @**Rea Looks** and @**Ann Lee**');
  await send('/poll Soup?\nfish\nonion');
  const { uri } = await bob.typed.request('POST /user_uploads', {
    file: new File([pngPicture], 'boat.png', { type: 'image/png' }),
  });
  await send(`[boat.png](${uri})`);
  await send(':tada: :sailboat:');
  const lastId = await send('below the picture');
  await markAllRead(reader);
  const visitor = await visit();
  const { page } = visitor;
  const released = Promise.withResolvers<void>();
  await page.route('**/user_uploads/**', async (route) => {
    await released.promise;
    await route.continue();
  });
  await visitor.enter(reader, `#narrow/stream/${stream.id}-looks/topic/all`);
  const last = visitor.message('below the picture');
  await expectShown(last);
  const colorOf = (part: Locator): Promise<string> =>
    part.evaluate((element) => getComputedStyle(element).color);
  const code = page.locator('.codehilite');
  await waitUntil(
    'code has colours',
    async () => (await colorOf(code.locator('.k').first())) !== (await colorOf(code)),
  );
  const sizeOf = (part: Locator): Promise<number> =>
    part.evaluate((element) => parseFloat(getComputedStyle(element).fontSize));
  expect(await sizeOf(page.locator('p', { hasText: '⛵' }))).toBe(
    2 * (await sizeOf(last.locator('.content'))),
  );
  await expectShown(page.getByRole('cell', { name: '2' }));
  await expectShown(page.getByRole('blockquote').filter({ hasText: 'a quotation' }));
  await page.getByRole('button', { name: 'Vote for onion: 0 so far' }).click();
  await expectShown(page.getByRole('button', { name: 'Vote for onion: 1 so far' }));

  const [own, other] = [page.getByText('@Rea Looks'), page.getByText('@Ann Lee')];
  expect(await colorOf(own)).not.toBe(await colorOf(other));
  await other.click();
  await expectShown(page.getByRole('dialog', { name: 'Ann Lee' }));
  await page.keyboard.press('Escape');
  await expectGone(page.getByRole('dialog'));

  const bottomBefore = await bottomOf(page, String(lastId));
  released.resolve();
  const picture = page.getByRole('img', { name: 'boat.png' });
  await waitUntil('the picture is drawn', () =>
    picture.evaluate((element) => element instanceof HTMLImageElement && element.naturalWidth > 0),
  );
  expect(await bottomOf(page, String(lastId))).toBe(bottomBefore);
});
