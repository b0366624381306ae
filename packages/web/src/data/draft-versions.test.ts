import fc from 'fast-check';
import { expect, test } from 'vitest';

import { absent, asNew, isUnsynced, reconcile, settle, versionOf } from './draft-versions.ts';
import type { ServerDraft } from './draft-versions.ts';
import { mergeTexts, unsynced } from './drafts.ts';
import type { Draft } from './drafts.ts';

const hello = { type: 'stream', streamId: 1, topic: 'Hello' } as const;
const there = { type: 'stream', streamId: 1, topic: 'there' } as const;

function makeDraft(given: Partial<Draft> = {}): Draft {
  return { ...unsynced, conversation: hello, content: 'typed', changedAt: 1, ...given };
}

function onServer(id: number, content: string, conversation = hello): ServerDraft {
  return { id, conversation, content, changedAt: 2 };
}

const versionOfText = (content: string): string => versionOf({ conversation: hello, content });

test.each([
  ['one', 'other', 'one\n\nother'],
  ['one and more', 'one', 'one and more'],
  ['one', 'one and more', 'one and more'],
  ['', 'one', 'one'],
])('of %j and %j nothing is lost', (one, other, merged) =>
  expect(mergeTexts(one, other)).toBe(merged),
);

test.each<[string, Draft[], ServerDraft[], Partial<Draft>[]]>([
  ['a draft of another device comes', [], [onServer(5, 'there')], [{ id: 5, content: 'there' }]],
  [
    'a draft that is unchanged here follows the server',
    [makeDraft({ id: 5, synced: versionOfText('typed') })],
    [onServer(5, 'typed there')],
    [{ id: 5, content: 'typed there', changedAt: 2 }],
  ],
  [
    'a draft that is unchanged here goes with that of the server',
    [makeDraft({ id: 5, synced: versionOfText('typed') })],
    [],
    [],
  ],
  [
    'a draft that was changed here stays when it is deleted there',
    [makeDraft({ id: 5, synced: versionOfText('before') })],
    [],
    [{ id: undefined, synced: undefined, content: 'typed' }],
  ],
  [
    'what was typed on both stays',
    [makeDraft({ id: 5, synced: versionOfText('before') })],
    [onServer(5, 'elsewhere')],
    [{ id: 5, content: 'elsewhere\n\ntyped', synced: versionOfText('elsewhere') }],
  ],
  [
    'the version before the one on its way says nothing',
    [makeDraft({ id: 5, synced: versionOfText('typed'), before: versionOfText('before') })],
    [onServer(5, 'before')],
    [{ content: 'typed', before: versionOfText('before') }],
  ],
  [
    'the version that was sent has arrived',
    [makeDraft({ id: 5, synced: versionOfText('typed'), before: versionOfText('before') })],
    [onServer(5, 'typed')],
    [{ content: 'typed', before: undefined }],
  ],
  [
    'a version that the one on its way replaces is written again with it',
    [makeDraft({ id: 5, synced: versionOfText('typed'), before: versionOfText('before') })],
    [onServer(5, 'elsewhere')],
    [
      {
        content: 'elsewhere\n\ntyped',
        synced: versionOfText('typed'),
        before: versionOfText('elsewhere'),
      },
    ],
  ],
  [
    'the event of a new draft comes before the answer',
    [makeDraft({ synced: versionOfText('typed'), before: absent })],
    [onServer(5, 'typed')],
    [{ id: 5, before: undefined }],
  ],
  [
    'a new draft joins the one of the server',
    [makeDraft()],
    [onServer(5, 'elsewhere')],
    [{ id: 5, content: 'elsewhere\n\ntyped' }],
  ],
  [
    'of two drafts the first has both texts',
    [makeDraft({ id: 6, synced: versionOfText('typed') })],
    [onServer(5, 'elsewhere'), onServer(6, 'typed')],
    [
      { id: 6, content: '' },
      { id: 5, content: 'elsewhere\n\ntyped' },
    ],
  ],
  [
    'what was deleted here and changed there comes back',
    [makeDraft({ id: 5, content: '', synced: versionOfText('typed') })],
    [onServer(5, 'typed there')],
    [{ id: 5, content: 'typed there' }],
  ],
])('%s', (_, drafts, server, expected) =>
  expect(reconcile(drafts, server)).toMatchObject(expected),
);

test('what was on its way when the page was closed is sent again', () => {
  const drafts = [makeDraft({ id: 5, synced: versionOfText('typed'), before: versionOfText('x') })];
  expect(settle(drafts, [onServer(5, 'x')]).map(isUnsynced)).toEqual([true]);
  expect(settle(drafts, [onServer(5, 'typed')]).map(isUnsynced)).toEqual([false]);
  expect(settle(drafts, [])).toEqual([asNew(makeDraft())]);
});

/** A device in a world where requests, answers and events take any time, each in its order. */
class Device {
  drafts: readonly Draft[] = [];
  /** The versions of the server's drafts whose events have not come. */
  readonly events: (readonly ServerDraft[])[] = [];
  #request: (() => void) | undefined;
  #answer: (() => void) | undefined;

  type(word: string, conversation: Draft['conversation']): void {
    const at = this.drafts.find(
      (each) =>
        each.content !== '' &&
        versionOf({ ...each, content: '' }) === versionOf({ conversation, content: '' }),
    );
    const content = at === undefined ? word : `${at.content} ${word}`;
    this.drafts = [
      ...this.drafts.filter((each) => each !== at),
      { ...(at ?? unsynced), conversation, content, changedAt: 1 },
    ];
  }

  hear(): boolean {
    const server = this.events.shift();
    if (server !== undefined) this.drafts = reconcile(this.drafts, server);
    return server !== undefined;
  }

  #change(isIt: (each: Draft) => boolean, next: (each: Draft) => readonly Draft[]): void {
    this.drafts = this.drafts.flatMap((each) => (isIt(each) ? next(each) : [each]));
  }

  /** As `sendAndNote` of `draft-sync.ts` does it, in three steps: the request leaves, arrives, is answered. */
  step(server: Server): boolean {
    const step = this.#answer ?? this.#request;
    if (step === this.#answer) this.#answer = undefined;
    else this.#request = undefined;
    if (step !== undefined) {
      step();
      return true;
    }
    const draft = this.drafts.find((each) => isUnsynced(each) && each.before === undefined);
    if (draft === undefined) return false;
    const version = versionOf(draft);
    const { id, synced, content } = draft;
    const isSent = (each: Draft): boolean =>
      id === undefined ? each.synced === version && each.before === absent : each.id === id;
    this.#change(
      (each) => each === draft,
      (each) => [{ ...each, synced: version, before: synced ?? absent }],
    );
    const withoutId = (each: Draft): readonly Draft[] => (each.content === '' ? [] : [asNew(each)]);
    this.#request = () => {
      const sentId = server.write(id, draft);
      this.#answer = () => {
        if (content === '' || sentId === undefined) this.#change(isSent, withoutId);
        else this.#change(isSent, (each) => [{ ...each, id: sentId }]);
      };
    };
    return true;
  }
}

class Server {
  drafts: readonly ServerDraft[] = [];
  readonly devices = [new Device(), new Device()];
  #lastId = 0;

  /** @returns undefined if there is no such draft */
  write(id: number | undefined, { conversation, content }: Draft): number | undefined {
    if (id !== undefined && !this.drafts.some((each) => each.id === id)) return undefined;
    const writtenId = id ?? ++this.#lastId;
    const others = this.drafts.filter((each) => each.id !== writtenId);
    this.drafts =
      content === '' ? others : [...others, { id: writtenId, conversation, content, changedAt: 1 }];
    for (const device of this.devices) device.events.push(this.drafts);
    return writtenId;
  }
}

test('whatever two devices type, and however long everything takes, both come to one text with every word', () => {
  const steps = fc.array(
    fc.record({
      device: fc.nat(1),
      what: fc.constantFrom('type', 'hear', 'step', 'step'),
      where: fc.constantFrom(hello, there),
    }),
    { maxLength: 60 },
  );
  fc.assert(
    fc.property(steps, (all) => {
      const server = new Server();
      const words: string[] = [];
      for (const [index, { device, what, where }] of all.entries()) {
        const it = server.devices[device];
        if (what === 'hear') it?.hear();
        else if (what === 'step') it?.step(server);
        else {
          words.push(`w${index}.`);
          it?.type(`w${index}.`, where);
        }
      }
      let roundsLeft = 500;
      while (server.devices.map((each) => each.hear() || each.step(server)).some(Boolean)) {
        roundsLeft -= 1;
        expect(roundsLeft).toBeGreaterThan(0);
      }
      const texts = server.devices.map((each) =>
        each.drafts.map((draft) => versionOf(draft)).toSorted(),
      );
      expect(texts[0]).toEqual(texts[1]);
      expect(texts[0]).toEqual(server.drafts.map((draft) => versionOf(draft)).toSorted());
      expect(server.drafts.length).toBeLessThanOrEqual(2);
      for (const word of words)
        expect(server.drafts.some(({ content }) => content.includes(word))).toBe(true);
    }),
    { numRuns: 2_000 },
  );
});
