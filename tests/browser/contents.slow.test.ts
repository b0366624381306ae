/** What people do with what messages contain: pictures, files, code, long texts, times, and texts that run from right to left. */
import { waitUntil } from '@parley/test-kit';
import type { TestAccount } from '@parley/test-kit';
import type { Locator } from 'playwright-core';
import { expect, test } from 'vitest';

import { pngPicture, sendTo, startBrowserTests } from './browser-system.ts';
import { expectGone, expectShown } from './visitor.ts';
import type { Visitor } from './visitor.ts';

const { system, visit } = startBrowserTests();

let topics = 0;

/** Sends messages of Bob to a topic of its own, and opens it. */
async function openTopic(contents: readonly string[], width = 1_280): Promise<Visitor> {
  const { ann, bob, general } = system();
  const topic = `contents-${++topics}`;
  for (const content of contents) await sendTo(bob, general, topic, content);
  const visitor = await visit({
    viewport: { width, height: 844 },
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  await visitor.enter(ann, `#narrow/stream/${general.id}-general/topic/${topic}`);
  await expectShown(visitor.messages.last());
  return visitor;
}

async function upload(name: string): Promise<string> {
  const file = new File([pngPicture], name, {
    type: name.endsWith('png') ? 'image/png' : 'text/plain',
  });
  const { uri } = await system().bob.typed.request('POST /user_uploads', { file });
  return `[${name}](${uri})`;
}

async function choose({ page }: Visitor, message: Locator, item: string): Promise<void> {
  await message.hover();
  await message.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: item, exact: true }).click();
}

function widthOf(picture: Locator): Promise<number> {
  return picture.evaluate((element) => element.getBoundingClientRect().width);
}

test.each([1_440, 1_024, 390])(
  'a picture is shown large, with those beside it by keys, zoomed and downloaded: %i px',
  async (width) => {
    const pictures = [await upload('bow.png'), await upload('stern.png')];
    const { page } = await openTopic(pictures, width);
    await page.getByRole('img', { name: 'bow.png' }).click();
    const viewer = page.getByRole('dialog', { name: 'bow.png' });
    const shown = viewer.getByRole('img', { name: 'bow.png' });
    await expectShown(shown);
    const before = await widthOf(shown);
    expect(before).toBeGreaterThan(width * 0.75);
    await page.keyboard.press('+');
    await waitUntil('it is larger', async () => (await widthOf(shown)) > before);
    const downloading = page.waitForEvent('download');
    await viewer.getByRole('link', { name: 'Download' }).click();
    expect((await downloading).suggestedFilename()).toBe('bow.png');
    await page.keyboard.press('ArrowRight');
    await expectShown(page.getByRole('dialog', { name: 'stern.png' }));
    await page.getByRole('button', { name: 'Previous picture' }).click();
    await expectShown(viewer);
    await page.keyboard.press('Escape');
    await expectGone(page.getByRole('dialog'));
  },
);

test('files are cards, and code is copied', async () => {
  const visitor = await openTopic([await upload('plan.txt'), '```python\nreturn "rope"\n```']);
  const { page } = visitor;
  await expectShown(page.locator('a.file[data-kind=TXT]', { hasText: 'plan.txt' }));
  await visitor.messages.last().hover();
  await page.getByRole('button', { name: 'Copy', exact: true }).click();
  await expectShown(page.getByText('The code is copied.'));
  expect(await page.evaluate(() => navigator.clipboard.readText())).toContain('return "rope"');
});

async function openFiles({ page }: Visitor): Promise<Locator> {
  await page.getByRole('button', { name: 'What can be done here' }).click();
  await page.getByRole('menuitem', { name: 'Files', exact: true }).click();
  return page.getByRole('dialog', { name: 'Files' });
}

async function expectFiles(dialog: Locator, expected: readonly string[]): Promise<void> {
  let shown: readonly string[] = [];
  await waitUntil(
    `${expected.length} files are shown`,
    async () => {
      shown = await dialog.getByRole('listitem').allInnerTexts();
      return (
        shown.length === expected.length &&
        expected.every((name, at) => shown[at]?.includes(name) === true)
      );
    },
    { describe: () => shown.join(' | ') },
  );
}

test.each([1_440, 390])(
  'the files of a topic, the newest first, lead to their messages: %i px',
  async (width) => {
    const [plan, bow, stern] = [
      await upload('plan.txt'),
      await upload('bow.png'),
      await upload('stern.png'),
    ];
    const visitor = await openTopic(
      [
        `The ${plan} of the boat`,
        `From here ${bow}`,
        ...Array.from({ length: 40 }, (_, n) => `line ${n}`),
        `\`\`\`spoiler How it ends\n${stern}\n\`\`\``,
        `> ${plan}`,
      ],
      width,
    );
    const { page } = visitor;
    const dialog = await openFiles(visitor);
    await expectFiles(dialog, ['stern.png', 'bow.png', 'plan.txt']);
    // What a spoiler hides is not shown here either.
    await expectGone(dialog.getByRole('img', { name: 'stern.png' }));
    await dialog.getByRole('img', { name: 'bow.png' }).click();
    const picture = page.getByRole('dialog', { name: 'bow.png' });
    await expectShown(picture.getByText('1 of 1'));
    await page.keyboard.press('Escape');
    await expectGone(picture);
    expect(await dialog.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(
      0,
    );
    await dialog
      .getByRole('listitem')
      .filter({ hasText: 'plan.txt' })
      .getByRole('link', { name: /^Bob Ray, / })
      .click();
    await expectGone(dialog);
    await waitUntil('its message has the focus', () =>
      visitor.message('of the boat').evaluate((message) => message === document.activeElement),
    );
  },
);

test('the files of a stream come from all its topics, in pages', async () => {
  const { ann, bob, organization } = system();
  const harbour = await organization.makeStream('harbour', [ann, bob]);
  const old = await upload('old.txt');
  await sendTo(bob, harbour, 'old', old);
  // As many as one request reads have no file of their own.
  for (let n = 0; n < 50; n += 1) await sendTo(bob, harbour, 'quotes', `> ${old}`);
  await sendTo(bob, harbour, 'new', await upload('new.txt'));
  const visitor = await visit();
  await visitor.enter(ann, `#narrow/stream/${harbour.id}-harbour`);
  await expectShown(visitor.messages.last());
  const dialog = await openFiles(visitor);
  await expectFiles(dialog, ['new.txt']);
  await expectShown(dialog.getByText('#harbour > new'));
  await dialog.getByRole('button', { name: 'Show more' }).click();
  await expectFiles(dialog, ['new.txt', 'old.txt']);
  await expectGone(dialog.getByRole('button', { name: 'Show more' }));
});

test('a private conversation has its own files, or none', async () => {
  const { ann, bob } = system();
  const send = async (from: TestAccount, to: TestAccount, content: string): Promise<void> => {
    const address = { type: 'private', to: JSON.stringify([to.user.id]) } as const;
    await from.typed.request('POST /messages', { ...address, content });
  };
  await send(ann, bob, 'Where is it?');
  const visitor = await visit();
  await visitor.enter(ann, `#narrow/pm-with/${bob.user.id}-bob`);
  await expectShown(visitor.messages.last());
  const { page } = visitor;
  await expectShown((await openFiles(visitor)).getByText('No files were sent here.'));
  await page.keyboard.press('Escape');
  await send(bob, ann, await upload('here.txt'));
  await expectShown(visitor.message('here.txt'));
  await expectFiles(await openFiles(visitor), ['here.txt']);
});

test('a text of more than a screen is folded until more is asked for', async () => {
  const lines = Array.from({ length: 90 }, (_, n) => `line ${n} of a long log that goes on`);
  const visitor = await openTopic([lines.join('\n')]);
  const { page } = visitor;
  const message = visitor.messages.last();
  const heightOf = async (): Promise<number> => (await message.boundingBox())?.height ?? 0;
  expect(await heightOf()).toBeLessThan(844);
  await page.getByRole('button', { name: 'Show all' }).click();
  await expectGone(page.getByRole('button', { name: 'Show all' }));
  expect(await heightOf()).toBeGreaterThan(844);
});

test('a written time is that of the reader, and stays text in code and where it is none', async () => {
  const { page } = await openTopic([
    'We meet <time:2031-05-01T09:30:00Z> and <time:2031-05-02T09:30:00Z> or <time:soon>',
    '`<time:2031-05-01T09:30:00Z>`',
  ]);
  await expectShown(page.locator('.content time[datetime="2031-05-01T09:30:00.000Z"]'));
  await expectShown(page.locator('.content time', { hasText: '2 May 2031' }));
  await expectShown(page.locator('.content p', { hasText: 'or <time:soon>' }));
  await expectShown(page.locator('code', { hasText: '<time:2031' }));
});

const spoiler = [
  'Whodunit',
  '~~~spoiler The **end** with @**Ann Lee**',
  'It was the *gardener*',
  '```python',
  'return "rope"',
  '```',
  '~~~',
].join('\n');

test.each([1_440, 390])(
  'what a spoiler hides is opened and closed by its header: %i px',
  async (width) => {
    const { page } = await openTopic([spoiler], width);
    const header = page.getByRole('button', { name: 'Spoiler: The end with @Ann Lee' });
    const shown = page.locator('.spoiler-content:visible');
    const expectOpen = async (isOpen: boolean): Promise<void> => {
      await (isOpen ? expectShown(shown) : expectGone(shown));
      expect(await header.getAttribute('aria-expanded')).toBe(String(isOpen));
    };
    await expectShown(header);
    await expectOpen(false);
    await header.click();
    await expectOpen(true);
    await expectShown(shown.getByText('It was the gardener'));
    await expectShown(shown.locator('pre', { hasText: 'return "rope"' }));
    // Who is named in the header is no button within it.
    await expectGone(page.getByRole('dialog'));
    await header.press('Enter');
    await expectOpen(false);
    await header.press('Space');
    await expectOpen(true);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
  },
);

test('what a search found is shown: in a spoiler, which is open then, and far down in a long text', async () => {
  const lines = Array.from({ length: 200 }, (_, n) => `line ${n}`).join('\n\n');
  const visitor = await openTopic([
    '```spoiler The first\nIt was the zanzibar rope\n```\n```spoiler The second\nNobody else\n```',
    `${lines}\n\nTo zanzibar by sea`,
  ]);
  const { page } = visitor;
  const unfold = page.getByRole('button', { name: 'Show all', exact: true });
  await expectShown(unfold);
  await visitor.go('#narrow/search/zanzibar');
  const opened = page.getByRole('button', { name: 'Spoiler: The first', expanded: true });
  await expectShown(opened);
  await expectShown(page.locator('.highlight:visible', { hasText: 'zanzibar' }).first());
  await expectShown(page.getByRole('button', { name: 'Spoiler: The second', expanded: false }));
  await expectGone(unfold);
  await page
    .getByRole('log')
    .getByRole('heading')
    .getByRole('link', { name: /^contents-/ })
    .click();
  await expectShown(page.getByRole('heading', { level: 1 }).getByText(/^contents-/));
  // Who comes from the search sees it in its place, too.
  await expectShown(opened);
  await opened.click();
  await expectGone(page.locator('.spoiler-content:visible'));
});

test('a spoiler that is quoted hides the same', async () => {
  const visitor = await openTopic([spoiler]);
  const { page, composeField, messages } = visitor;
  await messages.last().hover();
  await messages.last().getByRole('button', { name: 'Quote and reply' }).click();
  await waitUntil('it is quoted as it was written', async () =>
    (await composeField.inputValue()).includes(spoiler),
  );
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  const quoted = page.locator('.content blockquote');
  await expectShown(quoted.getByRole('button', { name: 'Spoiler: The end with Ann Lee' }));
  await expectGone(quoted.locator('.spoiler-content:visible'));
});

test('lists, quotes and tables run from right to left where their words do', async () => {
  const visitor = await openTopic([
    '* שלום\n* עולם',
    '> مرحبا بالعالم',
    '| אחת | שתיים |\n|---|---|\n| 1 | 2 |',
    '* one\n* two',
  ]);
  const directionOf = (selector: string): Promise<string> =>
    visitor.page
      .locator(`.content ${selector}`)
      .first()
      .evaluate((element) => getComputedStyle(element).direction);
  for (const selector of ['ul', 'blockquote', 'table'])
    expect(await directionOf(selector)).toBe('rtl');
  expect(
    await visitor
      .message('two')
      .locator('ul')
      .evaluate((element) => getComputedStyle(element).direction),
  ).toBe('ltr');
});

test('messages are marked as unread from one on, and stay so until the place is left', async () => {
  const visitor = await openTopic(['first', 'second', 'third']);
  const { page } = visitor;
  const { ann } = system();
  const unread = async (): Promise<number> => {
    const { messages } = await ann.typed.request('GET /messages', {
      anchor: 'newest',
      num_before: 3,
      num_after: 0,
      narrow: [
        { operator: 'topic', operand: `contents-${topics}` },
        { operator: 'is', operand: 'unread' },
      ],
    });
    return messages.length;
  };
  await waitUntil('all is read', async () => (await unread()) === 0);
  await choose(visitor, visitor.message('second'), 'Mark as unread from here');
  await waitUntil('two are unread', async () => (await unread()) === 2);
  await page.mouse.wheel(0, -200);
  await visitor.go('#recent');
  expect(await unread()).toBe(2);
});

test('a person is reminded of a message', async () => {
  const visitor = await openTopic(['the tide turns at nine']);
  await choose(visitor, visitor.messages.last(), 'Remind me');
  await visitor.page.getByRole('button', { name: /^In an hour/ }).click();
  await expectShown(visitor.page.getByText(/^You will be reminded/));
  const { scheduled_messages } = await system().ann.typed.request('GET /scheduled_messages');
  expect(scheduled_messages).toMatchObject([{ type: 'private', to: [system().ann.id] }]);
  expect(scheduled_messages[0]?.content).toContain('the tide turns at nine');
});
