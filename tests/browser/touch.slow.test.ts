/** The client under a finger: what is pressed is large enough, nothing lies over something else, and messages have most of a small screen. */
import { waitUntil } from '@parley/test-kit';
import type { Locator } from 'playwright-core';
import { expect, test } from 'vitest';

import { sendTo, startBrowserTests } from './browser-system.ts';
import { expectShown } from './visitor.ts';
import type { Visitor } from './visitor.ts';

const { system, visit } = startBrowserTests();

const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
const smallPhone = { ...phone, viewport: { width: 320, height: 568 } };

/**
 * Looks at everything that can be pressed in the page, apart from links within texts.
 *
 * @returns what is smaller than a finger, and what lies over one another
 */
async function findSlips({ page }: Visitor): Promise<readonly string[]> {
  return page.evaluate(() => {
    const fingerPx = 40;
    const isHit = (element: Element): boolean => {
      const { left, top, width, height } = element.getBoundingClientRect();
      const hit = document.elementFromPoint(left + width / 2, top + height / 2);
      return hit !== null && element.contains(hit);
    };
    const nameOf = (element: Element): string =>
      `${element.tagName} ${element.getAttribute('aria-label') ?? element.textContent.trim().slice(0, 40)}`;
    const pressed = 'a[href], button, input, select, textarea, summary, [role=option]';
    const targets = [...document.querySelectorAll(pressed)]
      .filter((element) => element.closest('.rendered') === null && isHit(element))
      // Of a list of conversations the whole row is pressed, and of a choice its label.
      .map((element) => {
        const around = element.matches('.recent:not(.inbox) .conversation')
          ? element.closest('li')
          : element instanceof HTMLInputElement && /checkbox|radio/.test(element.type)
            ? element.labels?.[0]
            : element;
        return { name: nameOf(element), box: (around ?? element).getBoundingClientRect() };
      });
    const small = targets
      .filter(({ box }) => Math.min(box.width, box.height) < fingerPx - 0.5)
      .map(({ name, box }) => `small: ${name} ${box.width} × ${box.height}`);
    const overlapping = targets.flatMap(({ name, box }, index) =>
      targets
        .slice(index + 1)
        .filter(
          (other) =>
            Math.min(box.right, other.box.right) - Math.max(box.left, other.box.left) > 1 &&
            Math.min(box.bottom, other.box.bottom) - Math.max(box.top, other.box.top) > 1,
        )
        .map((other) => `over one another: ${name}, ${other.name}`),
    );
    return targets.length === 0 ? ['nothing to press'] : [...small, ...overlapping];
  });
}

/** A topic with what messages have: several senders, reactions, short lines one below the other. */
async function fill(topic: string): Promise<string> {
  const { ann, bob, general } = system();
  for (const sender of [bob, bob, ann, bob]) {
    const message_id = await sendTo(sender, general, topic, 'Short');
    if (sender === ann)
      await bob.typed.request('POST /messages/{message_id}/reactions', {
        message_id,
        emoji_name: 'tada',
      });
  }
  await bob.typed.request('POST /messages', {
    type: 'private',
    to: JSON.stringify([ann.id]),
    content: 'Psst',
  });
  return `#narrow/stream/${general.id}-general/topic/${topic}`;
}

/** How each screen is reached, from a topic. */
const screens: Readonly<Record<string, (visitor: Visitor) => Promise<Locator>>> = {
  'a topic': async (visitor) => visitor.message('Short').last(),
  'the navigation': async ({ page }) => {
    await page.getByRole('button', { name: 'Streams and conversations' }).click();
    return page.getByRole('navigation').getByRole('searchbox');
  },
  'what the filter finds': async ({ page }) => {
    await page.getByRole('navigation').getByRole('searchbox').fill('gen');
    return page
      .getByRole('navigation')
      .getByRole('link', { name: /general/ })
      .first();
  },
  people: async ({ page }) => {
    await page.getByRole('button', { name: 'Who is here' }).click();
    return page.getByRole('complementary', { name: 'People' }).getByRole('link').first();
  },
  recent: async (visitor) => {
    await visitor.go('#recent');
    return visitor.page.getByRole('main').getByRole('link', { name: 'Bob Ray' });
  },
  inbox: async (visitor) => {
    await visitor.go('#inbox');
    return visitor.page.getByRole('main').getByRole('link', { name: 'Bob Ray' });
  },
  streams: async (visitor) => {
    await visitor.go('#streams');
    return visitor.page.getByRole('main').getByRole('link', { name: '#general' });
  },
  settings: async (visitor) => {
    await visitor.go('#settings/display');
    return visitor.page.getByRole('main').getByRole('checkbox').first();
  },
  'all messages': async (visitor) => {
    await visitor.go('#all');
    return visitor.message('Short').last();
  },
  files: async (visitor) => {
    const { page } = visitor;
    const { bob, general } = system();
    const file = new File(['Row'], 'plan.txt', { type: 'text/plain' });
    const { uri } = await bob.typed.request('POST /user_uploads', { file });
    await sendTo(bob, general, 'files', `[plan.txt](${uri})`);
    await visitor.go(`#narrow/stream/${general.id}-general`);
    await page.getByRole('button', { name: 'What can be done here' }).click();
    await page.getByRole('menuitem', { name: 'Files', exact: true }).click();
    return page.getByRole('dialog', { name: 'Files' }).getByRole('link', { name: /^Bob Ray, / });
  },
};

test('what is pressed is as large as a finger, and nothing lies over something else', async () => {
  const visitor = await visit(phone);
  await visitor.enter(system().ann, await fill('fingers'));
  await expectShown(visitor.message('Short').last());
  const found: Record<string, readonly string[]> = {};
  for (const [name, show] of Object.entries(screens)) {
    await expectShown(await show(visitor));
    const slips = await findSlips(visitor);
    if (slips.length > 0) found[name] = slips;
  }
  expect(found).toEqual({});
});

test('more than half of a small screen belongs to messages', async () => {
  const visitor = await visit(smallPhone);
  await visitor.enter(system().ann, await fill('small'));
  await expectShown(visitor.message('Short').last());
  await visitor.page.getByRole('button', { name: 'Not now' }).click();
  const log = visitor.page.locator('.messages');
  await waitUntil('messages have more than half of the height', async () => {
    const box = await log.boundingBox();
    return box !== null && box.height > smallPhone.viewport.height / 2;
  });
});

test('the choice of a reaction does not raise the keyboard by itself', async () => {
  const visitor = await visit(phone);
  const { page } = visitor;
  await visitor.enter(system().ann, await fill('reactions'));
  const last = visitor.message('Short').last();
  await last.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Add reaction' }).click();
  const picker = page.getByRole('dialog', { name: 'Choose emoji' });
  await expectShown(picker.getByRole('button', { name: 'tada', exact: true }).first());
  expect(await picker.getByRole('searchbox').evaluate((it) => it === document.activeElement)).toBe(
    false,
  );
  expect(await findSlips(visitor)).toEqual([]);
});

test('the heading of a topic names it, however long the names are', async () => {
  const { organization, ann, bob } = system();
  const stream = await organization.makeStream('a place for long conversations', [ann, bob]);
  await sendTo(bob, stream, 'the quarterly numbers of the harbour', 'They are good');
  const visitor = await visit(phone);
  const { page } = visitor;
  await visitor.enter(ann, `#narrow/stream/${stream.id}`);
  await page.getByRole('log').getByRole('link', { name: 'the quarterly numbers' }).click();
  const heading = page.getByRole('main').getByRole('heading', { level: 1 });
  const topic = heading.getByRole('link', { name: 'the quarterly numbers' });
  await expectShown(topic);
  const [outer, inner] = [await heading.boundingBox(), await topic.boundingBox()];
  expect(inner?.width).toBeGreaterThan(80);
  // What is cut off says nothing.
  expect((inner?.x ?? 0) + (inner?.width ?? 0)).toBeLessThan(
    (outer?.x ?? 0) + (outer?.width ?? 0) + 1,
  );
});

test('rings are round, and long names are cut', async () => {
  const { organization } = system();
  const long = 'Wolfeschlegelsteinhausenbergerdorff The Younger of Somewhere';
  const reader = await organization.makeAccount(long);
  for (const viewport of [phone.viewport, smallPhone.viewport, { width: 1_440, height: 800 }]) {
    const visitor = await visit({ ...phone, viewport });
    const { page } = visitor;
    await visitor.enter(reader, '#recent');
    await expectShown(page.getByRole('heading', { level: 1 }).first());
    const people = page.getByRole('complementary', { name: 'People' });
    const toggle = page.getByRole('button', { name: 'Who is here' });
    if (await toggle.isVisible()) await toggle.click();
    await expectShown(people.getByRole('link', { name: long }));
    const rings = await people
      .getByRole('img', { name: 'Not here' })
      .evaluateAll((all) => all.map((ring) => ring.getBoundingClientRect()));
    expect(rings.length).toBeGreaterThan(0);
    // Parts of a pixel are drawn in one direction and not in the other.
    for (const { width, height } of rings) expect([width, height]).toEqual([10, 10]);
    const isWider = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
    expect(isWider).toBe(false);
    expect(await people.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(
      0,
    );
  }
});
