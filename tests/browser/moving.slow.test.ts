/** How people move among many places: by name, by the navigation, from unread to unread, on wide and narrow screens. */
import type { Stream } from '@parley/store';
import { waitUntil } from '@parley/test-kit';
import type { TestAccount } from '@parley/test-kit';
import type { Locator } from 'playwright-core';
import { expect, test } from 'vitest';

import { sendTo, startBrowserTests } from './browser-system.ts';
import { expectGone, expectShown } from './visitor.ts';
import type { Visitor } from './visitor.ts';

const { system, visit } = startBrowserTests();

const widths = [1_440, 1_024, 390] as const;
type Width = (typeof widths)[number];

/** The narrow ones are touched. */
function screenOf(width: Width) {
  const isTouched = width < 768;
  return { viewport: { width, height: 800 }, hasTouch: isTouched, isMobile: isTouched };
}

type Scene = {
  readonly reader: TestAccount;
  readonly visitor: Visitor;
  /** A stream of the reader and Bob. */
  readonly stream: Stream;
};

/** A person with a stream, who looks at a place. */
async function arrive(name: string, width: Width, fragment = '#recent'): Promise<Scene> {
  const { organization, bob } = system();
  const reader = await organization.makeAccount(`Rea ${name} ${width}`);
  const stream = await organization.makeStream(`${name} ${width}`, [reader, bob]);
  const visitor = await visit(screenOf(width));
  await visitor.enter(reader, fragment);
  await expectShown(visitor.page.getByRole('heading', { level: 1 }).first());
  return { reader, visitor, stream };
}

function addressOf({ id, name }: Stream, topic?: string): string {
  const stream = `#narrow/stream/${id}-${name.replaceAll(' ', '-')}`;
  return topic === undefined ? stream : `${stream}/topic/${topic.replaceAll(' ', '.20')}`;
}

/** Where the navigation is not always there, it is opened. */
async function showNavigation({ page }: Visitor): Promise<Locator> {
  const navigation = page.getByRole('navigation', { name: 'Places' });
  if (!(await navigation.isVisible()))
    await page.getByRole('button', { name: 'Streams and conversations' }).click();
  await expectShown(navigation);
  return navigation;
}

/** Opens the menu of an entry of the navigation, and chooses. */
async function chooseOf(visitor: Visitor, entry: string, item: string): Promise<void> {
  const navigation = await showNavigation(visitor);
  await navigation
    .getByRole('button', { name: `What can be done with ${entry}`, exact: true })
    .click();
  await visitor.page.getByRole('menuitem', { name: item, exact: true }).click();
}

test.each(widths)(
  'a topic read yesterday is two steps away: its name, Enter; %i px',
  async (width) => {
    const { bob } = system();
    const { visitor, stream } = await arrive('finder', width);
    const { page } = visitor;
    await sendTo(bob, stream, 'of yesterday', 'It was read');
    await visitor.go(addressOf(stream, 'of yesterday'));
    await expectShown(visitor.message('It was read'));
    await visitor.go('#drafts');
    await visitor.go('#recent');
    await page.keyboard.press('Control+k');
    const finder = page.getByRole('dialog', { name: 'Go to' });
    const field = finder.getByRole('combobox');
    await field.pressSequentially('yestrd');
    await expectShown(finder.getByRole('option', { name: /of yesterday/, selected: true }));
    await page.keyboard.press('Enter');
    await visitor.expectAddress(addressOf(stream, 'of yesterday'));
    await expectShown(visitor.message('It was read'));
    await expectGone(finder);
  },
);

test('what was read lately is listed before anything is typed, also where much is unread', async () => {
  const { bob } = system();
  const { visitor, stream } = await arrive('much unread', 1_440);
  const { page } = visitor;
  await sendTo(bob, stream, 'of yesterday', 'It was read');
  await visitor.go(addressOf(stream, 'of yesterday'));
  await expectShown(visitor.message('It was read'));
  await visitor.go('#drafts');
  for (let n = 0; n < 14; n += 1) await sendTo(bob, stream, `unread ${n}`, 'It was not');
  await page.keyboard.press('Control+k');
  const finder = page.getByRole('dialog', { name: 'Go to' });
  await expectShown(finder.getByRole('option', { name: /unread 13/ }));
  await finder.getByRole('option', { name: /of yesterday/ }).click();
  await visitor.expectAddress(addressOf(stream, 'of yesterday'));
});

test.each(widths)(
  'streams of others, people, views and commands are found by name: %i px',
  async (width) => {
    const { organization, bob } = system();
    const foreign = await organization.makeStream(`elsewhere ${width}`, [bob]);
    const { visitor } = await arrive('names', width);
    const { page } = visitor;
    const finder = page.getByRole('dialog', { name: 'Go to' });
    for (const [typed, address] of [
      [`elsewh ${width}`, addressOf(foreign)],
      ['bob ra', `#narrow/pm-with/${bob.id}-Bob-Ray`],
      ['inbox', '#inbox'],
      ['browse', '#streams'],
    ] as const) {
      await page.keyboard.press('Control+k');
      const field = finder.getByRole('combobox');
      await field.pressSequentially(typed);
      await waitUntil('it is offered first', async () => {
        const first = await finder.getByRole('option').first().innerText();
        return first.toLowerCase().startsWith(typed.slice(0, 5));
      });
      await page.keyboard.press('Enter');
      await visitor.expectAddress(address);
      await expectGone(finder);
    }
    await page.keyboard.press('Control+k');
    await expectShown(finder);
    await page.keyboard.press('Escape');
    await expectGone(finder);
  },
);

test.each(widths)(
  'a name that is typed above the navigation leaves what it means: %i px',
  async (width) => {
    const { bob } = system();
    const { visitor, stream } = await arrive('filter', width);
    await sendTo(bob, stream, 'lions', 'They sleep');
    await sendTo(bob, stream, 'bears', 'They eat');
    const navigation = await showNavigation(visitor);
    const field = navigation.getByRole('searchbox', { name: 'Find a place' });
    await field.fill('lions');
    await expectShown(navigation.getByRole('link', { name: /lions/ }));
    await expectGone(navigation.getByRole('link', { name: /bears/ }));
    await navigation.getByRole('link', { name: /lions/ }).click();
    await visitor.expectAddress(addressOf(stream, 'lions'));
    await showNavigation(visitor);
    await waitUntil('everything is listed again', async () => (await field.inputValue()) === '');
    await field.fill('bears');
    await expectShown(navigation.getByRole('link', { name: /bears/ }));
    await field.press('Enter');
    await visitor.expectAddress(addressOf(stream, 'bears'));
  },
);

test.each(widths)(
  'the place where one is stays in the navigation, and in sight: %i px',
  async (width) => {
    const { bob } = system();
    const { reader, visitor, stream } = await arrive('current', width);
    for (let at = 0; at < 9; at += 1) await sendTo(bob, stream, `topic ${at}`, 'Hello');
    await reader.typed.request('POST /mark_all_as_read');
    await visitor.go(addressOf(stream, 'topic 0'));
    await expectShown(visitor.message('Hello'));
    const navigation = await showNavigation(visitor);
    const current = navigation.locator('[aria-current=page]');
    await expectShown(current.filter({ hasText: 'topic 0' }));
    expect(await current.count()).toBe(1);
    await expectShown(navigation.getByRole('button', { name: '3 more' }));
    await waitUntil('it is in sight', () =>
      current.evaluate((element) => {
        const { top, bottom } = element.getBoundingClientRect();
        return top > 0 && bottom <= innerHeight;
      }),
    );
    // A topic without a message, too.
    await visitor.go(addressOf(stream, 'begun now'));
    await showNavigation(visitor);
    await expectShown(current.filter({ hasText: 'begun now' }));
  },
);

test.each(widths)(
  'entries have menus: topics are read, muted, renamed, linked: %i px',
  async (width) => {
    const { bob } = system();
    const { reader, visitor, stream } = await arrive('topics', width);
    const { page } = visitor;
    await visitor.context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await sendTo(bob, stream, 'plan', 'One');
    await sendTo(reader, stream, 'plan', 'Two');
    await sendTo(bob, stream, 'later', 'Three');
    await visitor.go(addressOf(stream, 'later'));
    const navigation = await showNavigation(visitor);
    const entry = navigation.getByRole('link', { name: 'plan' });
    await expectShown(entry.getByRole('img', { name: '2 unread' }));
    await chooseOf(visitor, 'plan', 'Mark all as read');
    await expectGone(entry.getByRole('img', { name: '2 unread' }));
    await chooseOf(visitor, 'plan', 'Mute topic');
    await expectShown(entry.and(page.locator('[data-quiet=true]')));
    await chooseOf(visitor, 'plan', 'Copy link');
    await expectShown(page.getByText('The link is copied.'));
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(
      `${visitor.url}/${addressOf(stream, 'plan')}`,
    );
    await chooseOf(visitor, 'plan', 'Rename topic');
    const dialog = page.getByRole('dialog', { name: 'Rename the topic' });
    await dialog.getByRole('textbox', { name: 'New name' }).fill('final');
    await dialog.getByRole('button', { name: 'Rename' }).click();
    await expectGone(dialog);
    await expectShown(navigation.getByRole('link', { name: 'final' }));
    await expectGone(navigation.getByRole('link', { name: 'plan' }));
    const { topics } = await reader.typed.request('GET /users/me/{stream_id}/topics', {
      stream_id: stream.id,
    });
    expect(topics.map(({ name }) => name)).toEqual(['later', 'final']);
  },
);

test.each(widths)(
  'entries have menus: streams are pinned, muted, left and joined: %i px',
  async (width) => {
    const { bob } = system();
    const { visitor, stream } = await arrive('streams', width);
    const { page } = visitor;
    await sendTo(bob, stream, 'roses', 'Red');
    await visitor.go(addressOf(stream, 'roses'));
    await expectShown(visitor.message('Red'));
    await chooseOf(visitor, stream.name, 'Pin to the top');
    await chooseOf(visitor, stream.name, 'Mute stream');
    await chooseOf(visitor, stream.name, 'Unmute stream');
    await chooseOf(visitor, stream.name, 'Unpin');
    await chooseOf(visitor, stream.name, 'Unsubscribe');
    await expectShown(page.getByText(`You left #${stream.name}.`));
    // It is shown for as long as one is there.
    await chooseOf(visitor, stream.name, 'Subscribe');
    await expectShown(page.getByText(`You are in #${stream.name} now.`));
  },
);

test.each(widths)(
  'one key leads through everything unread, and what was skipped comes back: %i px',
  async (width) => {
    const { bob } = system();
    const { reader, visitor, stream } = await arrive('unread', width);
    const { page } = visitor;
    // Nobody looks at the window: what it shows is not read.
    await page.evaluate(() => {
      document.hasFocus = () => false;
    });
    await page.keyboard.press('n');
    await expectShown(page.getByText('Nothing else is unread.'));
    await sendTo(bob, stream, 'first', 'One');
    await sendTo(bob, stream, 'second', 'Two');
    await bob.typed.request('POST /messages', {
      type: 'private',
      to: JSON.stringify([reader.id]),
      content: 'Three',
    });
    await expectShown(page.getByRole('main').getByRole('link', { name: 'Bob Ray' }));
    const withBob = `#narrow/pm-with/${bob.id}-Bob-Ray`;
    for (const address of [
      withBob,
      addressOf(stream, 'second'),
      addressOf(stream, 'first'),
      withBob,
    ]) {
      await page.keyboard.press('n');
      await visitor.expectAddress(address);
    }
  },
);

test.each(widths)(
  'the inbox has all that is unread, private first, and a key clears each: %i px',
  async (width) => {
    const { bob } = system();
    const { reader, visitor, stream } = await arrive('inbox', width, '#inbox');
    const { page } = visitor;
    await expectShown(page.getByText('Everything is read.'));
    await sendTo(bob, stream, 'first', 'One');
    await sendTo(bob, stream, 'second', 'Two');
    await sendTo(bob, stream, 'second', 'Three');
    await bob.typed.request('POST /messages', {
      type: 'private',
      to: JSON.stringify([reader.id]),
      content: 'Four',
    });
    const main = page.getByRole('main');
    const row = (name: string): Locator => main.getByRole('link', { name, exact: true });
    await expectShown(row('Bob Ray'));
    expect(await main.getByRole('heading', { level: 2 }).allInnerTexts()).toEqual([
      'Private messages',
      expect.stringContaining(stream.name),
    ]);
    const inStream = main.getByRole('region', { name: stream.name });
    await expectShown(inStream.getByRole('heading').getByRole('img', { name: '3 unread' }));
    await expectShown(
      inStream
        .getByRole('listitem')
        .filter({ hasText: 'second' })
        .getByRole('img', { name: '2 unread' }),
    );
    await page.keyboard.press('j');
    await waitUntil('the first is selected', () =>
      row('Bob Ray').evaluate((element) => element === document.activeElement),
    );
    await page.keyboard.press('m');
    await expectGone(row('Bob Ray'));
    await waitUntil('the next one is selected', () =>
      row('second').evaluate((element) => element === document.activeElement),
    );
    await page.keyboard.press('m');
    await expectGone(row('second'));
    await main.getByRole('button', { name: 'Mark first as read' }).click();
    await expectShown(page.getByText('Everything is read.'));
  },
);

test.each([1_024, 390] as const)('people are there on narrow screens: %i px', async (width) => {
  const { bob } = system();
  const { visitor } = await arrive('people', width);
  const { page } = visitor;
  const people = page.getByRole('complementary', { name: 'People' });
  await page.getByRole('button', { name: 'Who is here' }).click();
  await people.getByRole('searchbox', { name: 'Find people' }).fill('bob');
  await people.getByRole('link', { name: /Bob Ray/ }).click();
  await visitor.expectAddress(`#narrow/pm-with/${bob.id}-Bob-Ray`);
  await people.waitFor({ state: 'hidden' });
  await page.getByRole('button', { name: 'Who is here' }).click();
  await people.getByRole('searchbox', { name: 'Find people' }).press('Escape');
  await people.waitFor({ state: 'hidden' });
  expect(await page.getByRole('main').evaluate((main) => main === document.activeElement)).toBe(
    true,
  );
});
