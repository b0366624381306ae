/** A conversation of Ann and Bob in a topic of its own, each in a browser of their own, for tests of what must not disturb it. */
import { waitUntil } from '@parley/test-kit';
import { expect } from 'vitest';

import type { BrowserTests } from './browser-system.ts';
import type { Visitor } from './visitor.ts';

export type Talk = {
  readonly topic: string;
  readonly ann: Visitor;
  readonly bob: Visitor;
  /** Everything that was said, whatever happened to it. */
  readonly sent: string[];
  readonly system: BrowserTests['system'];
};

/**
 * @param prepare called with each window before it opens the page
 */
export async function beginTalk(
  { system, visit }: BrowserTests,
  topic: string,
  prepare: (visitor: Visitor) => Promise<void> = () => Promise.resolve(),
): Promise<Talk> {
  const { ann, bob, general } = system();
  const address = `#narrow/stream/${general.id}-general/topic/${encodeURIComponent(topic)}`;
  // The page makes its requests itself, so that tests can stop them.
  const options = { serviceWorkers: 'block' } as const;
  const talk: Talk = {
    topic,
    ann: await visit(options),
    bob: await visit(options),
    sent: [],
    system,
  };
  for (const [visitor, account] of [
    [talk.ann, ann],
    [talk.bob, bob],
  ] as const) {
    visitor.expectOutage();
    await prepare(visitor);
    await visitor.enter(account, address);
    await visitor.composeField.waitFor();
  }
  return talk;
}

export async function say({ sent }: Talk, visitor: Visitor, text: string): Promise<void> {
  sent.push(text);
  await visitor.send(text);
}

/** The texts of the messages in the page, without those that are on their way. */
async function shownIn({ page }: Visitor): Promise<readonly string[]> {
  return page.locator('[role=log] [data-message-id] .content').allInnerTexts();
}

/** Waits until both pages show exactly what the server has, which is all that was sent, once each. */
export async function expectAgreement({ topic, ann, bob, sent, system }: Talk): Promise<void> {
  const visitors = [ann, bob];
  await waitUntil('both browsers show everything that was sent', async () => {
    const shown = await Promise.all(visitors.map(shownIn));
    return shown.every((texts) => texts.length === sent.length);
  });
  const { messages } = await system().bob.typed.request('GET /messages', {
    anchor: 'newest',
    num_before: 100,
    num_after: 0,
    narrow: [{ operator: 'topic', operand: topic }],
    apply_markdown: false,
  });
  const stored = messages.map(({ content }) => content);
  expect(stored.toSorted()).toEqual(sent.toSorted());
  for (const visitor of visitors) expect(await shownIn(visitor)).toEqual(stored);
}

/** What a person has begun: the text, what is selected in it, and where. */
async function begunIn({ composeField }: Visitor): Promise<unknown> {
  return composeField.evaluate((field: HTMLTextAreaElement) => ({
    text: field.value,
    selected: [field.selectionStart, field.selectionEnd],
    isFocused: document.activeElement === field,
    place: location.hash,
  }));
}

/**
 * Begins a message, with a word of it selected.
 *
 * @returns checks that nothing disturbed it
 */
export async function beginWriting(visitor: Visitor): Promise<() => Promise<void>> {
  await visitor.composeField.fill('what I was saying');
  await visitor.composeField.evaluate((field: HTMLTextAreaElement) => {
    field.focus();
    field.setSelectionRange(5, 6);
  });
  const begun = await begunIn(visitor);
  expect(begun).toMatchObject({ text: 'what I was saying', selected: [5, 6], isFocused: true });
  return async () => expect(await begunIn(visitor)).toEqual(begun);
}
