/** A list against a model: whatever happens while it is read, it has what the server has, within its range. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ParleyClient } from '@parley/client';

import { MessageList, keptMax } from './message-list.ts';
import { MessageStore } from './message-store.ts';
import type { Message } from './state.ts';

function messageOf(id: number): Message {
  return {
    id,
    type: 'stream',
    stream_id: 1,
    display_recipient: 'general',
    subject: 'hello',
    content: '',
    content_type: 'text/html',
    sender_id: 1,
    sender_email: '',
    sender_full_name: '',
    sender_short_name: '',
    sender_realm_str: '',
    avatar_url: null,
    client: '',
    recipient_id: 1,
    timestamp: id,
    subject_links: [],
    is_me_message: false,
    reactions: [],
    submessages: [],
    flags: [],
  };
}

/** The messages of a server, whose answers come when the test lets them. */
class Server {
  ids: number[] = [];
  readonly #waiting: (() => void)[] = [];

  constructor(count: number) {
    this.ids = Array.from({ length: count }, (_, index) => index + 1);
  }

  readonly fetch: typeof fetch = async (input) => {
    const given = new URL(new Request(input).url).searchParams;
    const anchor = given.get('anchor') === 'newest' ? Infinity : Number(given.get('anchor'));
    const below = this.ids.filter((id) => id < anchor);
    const rest = this.ids.filter((id) => id >= anchor);
    const before = below.slice(Math.max(below.length - Number(given.get('num_before')), 0));
    const after = rest.slice(0, Number(given.get('num_after')) + 1);
    const answer = Response.json({
      result: 'success',
      msg: '',
      messages: [...before, ...after].map(messageOf),
      anchor: anchor === Infinity ? 0 : anchor,
      found_oldest: before.length === below.length,
      found_newest: after.length === rest.length,
    });
    await new Promise<void>((resolve) => {
      this.#waiting.push(resolve);
    });
    return answer;
  };

  get isAsked(): boolean {
    return this.#waiting.length > 0;
  }

  /** Lets the oldest answer go, and waits until the list has used it. */
  async answer(list: MessageList): Promise<void> {
    this.#waiting.shift()?.();
    do
      await new Promise((resolve) => {
        setImmediate(resolve);
      });
    while (list.loading.peek() !== undefined && !this.isAsked);
  }
}

function open(
  server: Server,
  newestMax?: number,
): { readonly list: MessageList; readonly store: MessageStore } {
  const store = new MessageStore(
    new ParleyClient({ site: 'http://parley.test', fetch: server.fetch }),
    () => undefined,
  );
  const list = new MessageList({
    store,
    narrow: [],
    newestMax,
    onLeft: () => store.retain(new Set(list.held)),
  });
  return { list, store };
}

test('a list of the newest messages ends with them after a gap, and keeps no more', async () => {
  const server = new Server(400);
  const { list, store } = open(server, 300);
  void list.load('newest');
  await server.answer(list);
  expect(list.ids.peek()).toEqual(server.ids.slice(100));
  server.ids.push(...Array.from({ length: 1_000 }, (_, index) => 1_000 + index));
  void list.refresh();
  await server.answer(list);
  expect(list.ids.peek()).toEqual(server.ids.slice(-300));
  store.put(messageOf(3_000));
  expect(list.append(3_000)).toBe(true);
  expect(list.ids.peek().at(-1)).toBe(3_000);
  expect(list.ids.peek().length).toBeLessThanOrEqual(300);
  expect(countHeld(server, store)).toBeLessThanOrEqual(300);
});

const step = fc.constantFrom('arrive', 'delete', 'older', 'newer', 'refresh', 'answer', 'scroll');

test('whatever arrives or goes during readings, the range has no gap and nothing twice', async () => {
  await fc.assert(
    fc.asyncProperty(fc.nat(400), fc.array(step, { maxLength: 60 }), async (count, steps) => {
      const server = new Server(count);
      const { list, store } = open(server);
      void list.load('newest');
      for (const each of steps) {
        if (each === 'arrive') {
          const id = (server.ids.at(-1) ?? 0) + 1000;
          server.ids.push(id);
          store.put(messageOf(id));
          if (!list.append(id)) store.forget(id);
        } else if (each === 'delete') {
          const id = server.ids.splice(Math.floor(server.ids.length / 2), 1)[0] ?? 0;
          list.remove(new Set([id]));
          store.delete(id);
        } else if (each === 'older') void list.extend('older');
        else if (each === 'newer') void list.extend('newer');
        else if (each === 'refresh') void list.refresh();
        else if (each === 'scroll')
          list.readerAt = list.readerAt === undefined ? list.ids.peek()[0] : undefined;
        else await server.answer(list);
      }
      while (server.isAsked) await server.answer(list);
      const ids = list.ids.peek();
      const first = list.hasOldest.peek() ? 0 : (ids[0] ?? Infinity);
      const last = list.hasNewest.peek() ? Infinity : (ids.at(-1) ?? 0);
      expect(ids).toEqual(server.ids.filter((id) => id >= first && id <= last));
      expect(ids.every((id) => store.find(id)?.peek().id === id)).toBe(true);
    }),
  );
});

function countHeld({ ids }: Server, store: MessageStore): number {
  return ids.filter((id) => store.has(id)).length;
}

test('a list that is read back far keeps a bounded range, and reads its end again', async () => {
  const server = new Server(10_000);
  const { list, store } = open(server);
  const reading = list.load('newest');
  await server.answer(list);
  await reading;
  while (!list.hasOldest.peek()) {
    list.readerAt = list.ids.peek()[0];
    void list.extend('older');
    await server.answer(list);
    expect(list.ids.peek().length).toBeLessThanOrEqual(keptMax);
  }
  expect(countHeld(server, store)).toBeLessThanOrEqual(keptMax);
  expect(list.ids.peek()[0]).toBe(1);
  while (!list.hasNewest.peek()) {
    list.readerAt = list.ids.peek().at(-1);
    void list.extend('newer');
    await server.answer(list);
  }
  expect(list.ids.peek().at(-1)).toBe(10_000);
  expect(countHeld(server, store)).toBeLessThanOrEqual(keptMax);
});

test('what comes while a reader is elsewhere takes nothing away, and is read when the reader comes to the end', async () => {
  const server = new Server(keptMax + 10);
  const { list, store } = open(server);
  void list.load('newest');
  await server.answer(list);
  while (list.ids.peek().length < keptMax) {
    void list.extend('older');
    await server.answer(list);
  }
  list.readerAt = list.ids.peek()[0];
  const before = list.ids.peek();
  server.ids.push(1_000);
  store.put(messageOf(1_000));
  expect([list.append(1_000), list.ids.peek()]).toEqual([false, before]);
  list.readerAt = before.at(-1);
  void list.extend('newer');
  await server.answer(list);
  expect([list.hasNewest.peek(), list.ids.peek().at(-1)]).toEqual([true, 1_000]);
});

test('what a reader sees stays, whichever end grows', async () => {
  const server = new Server(1_000);
  const { list } = open(server);
  void list.load(500);
  await server.answer(list);
  for (const read of [() => list.extend('older'), () => list.extend('newer')]) {
    list.readerAt = list.ids.peek()[0];
    void read();
    await server.answer(list);
    expect(list.ids.peek()).toContain(list.readerAt);
  }
  expect(list.ids.peek()).toHaveLength(keptMax);
});
