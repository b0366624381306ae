/** Tabs of one browser, each with its own client, before a server with one queue. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ParleyClient } from '@parley/client';

import type { ConnectionState } from './app.ts';
import { SharedEvents } from './shared-events.ts';

/** For a busy machine. */
const waiting = { timeout: 10_000 };

type Event = { readonly id: number; readonly type: 'alert_words'; readonly alert_words: string[] };

/** A queue that streams events to its newest reader, and counts registrations. */
class Queue {
  readonly events: Event[] = [];
  registrations = 0;
  /** Requests that failed, while there is no network. */
  failures: number | undefined;
  #break: (() => void) | undefined;
  #write: ((text: string) => void) | undefined;

  readonly fetch: typeof fetch = (input, init) => {
    const { pathname, searchParams } = new URL(new Request(input).url);
    if (this.failures !== undefined) {
      this.failures += 1;
      return Promise.reject(new TypeError('no network'));
    }
    if (pathname.endsWith('/register')) {
      this.registrations += 1;
      const last_event_id = this.events.at(-1)?.id ?? 0;
      return Promise.resolve(
        Response.json({ result: 'success', msg: '', queue_id: 'q', last_event_id }),
      );
    }
    const lastEventId = Number(searchParams.get('last_event_id'));
    return Promise.resolve(
      new Response(this.#body(lastEventId, init?.signal ?? undefined), {
        headers: { 'Content-Type': 'text/event-stream' },
      }),
    );
  };

  /** The network is gone, with the stream that was open. */
  loseNetwork(): void {
    this.failures = 0;
    this.#break?.();
  }

  add(word: string): void {
    const event: Event = { id: this.events.length + 1, type: 'alert_words', alert_words: [word] };
    this.events.push(event);
    this.#write?.(`data: ${JSON.stringify(event)}\n\n`);
  }

  #body(lastEventId: number, signal: AbortSignal | undefined): ReadableStream<Uint8Array> {
    return new ReadableStream({
      start: (controller) => {
        const write = (text: string): void => controller.enqueue(new TextEncoder().encode(text));
        write('retry: 1\n\n');
        for (const event of this.events)
          if (event.id > lastEventId) write(`data: ${JSON.stringify(event)}\n\n`);
        this.#write = write;
        this.#break = () => controller.error(new TypeError('no network'));
        signal?.addEventListener('abort', () => {
          if (this.#write === write) this.#write = undefined;
          controller.error(new Error('aborted'));
        });
      },
    });
  }
}

/** A tab whose whole state is the list of words that it has heard of. */
class Tab {
  words: readonly string[] | undefined;
  connection: ConnectionState = 'connecting';
  readonly #ending = new AbortController();
  readonly shared: SharedEvents<readonly string[]>;

  constructor(queue: Queue, name: string) {
    const client = new ParleyClient({ site: 'http://parley.test', fetch: queue.fetch });
    this.shared = new SharedEvents(client, {
      name,
      signal: this.#ending.signal,
      receive: (arrival) => {
        if (arrival.kind === 'known') this.words = arrival.known;
        else if (arrival.kind === 'event' && arrival.event.type === 'alert_words')
          this.words = [...(this.words ?? []), ...arrival.event.alert_words];
      },
      read: () => queue.events.map(({ alert_words }) => alert_words[0] ?? ''),
      known: () => this.words,
      onConnection: (connection) => {
        this.connection = connection;
      },
      onFailure: () => undefined,
      onInput: () => undefined,
      onRefused: (failure) => {
        throw failure;
      },
    });
  }

  close(): void {
    this.#ending.abort();
  }
}

let queue: Queue;
let tabs: Tab[];
let name = 0;
beforeEach(() => {
  queue = new Queue();
  tabs = [];
  name += 1;
});
afterEach(() => {
  for (const tab of tabs) tab.close();
});

function openTab(): Tab {
  const tab = new Tab(queue, `tabs-${name}`);
  tabs.push(tab);
  return tab;
}

async function hasWords(tab: Tab, words: readonly string[]): Promise<void> {
  await expect.poll(() => tab.words, waiting).toEqual(words);
}

test('all tabs get each event once, by one registration', async () => {
  const one = openTab();
  await hasWords(one, []);
  queue.add('a');
  await hasWords(one, ['a']);
  const other = openTab();
  await hasWords(other, ['a']);
  queue.add('b');
  queue.add('c');
  await hasWords(one, ['a', 'b', 'c']);
  await hasWords(other, ['a', 'b', 'c']);
  expect(queue.registrations).toBe(1);
  expect([one.shared.isLeader, other.shared.isLeader]).toEqual([true, false]);
});

test('when the leader closes another tab continues the queue', async () => {
  const one = openTab();
  await hasWords(one, []);
  const other = openTab();
  await hasWords(other, []);
  queue.add('a');
  await hasWords(other, ['a']);
  one.close();
  queue.add('b');
  await hasWords(other, ['a', 'b']);
  const third = openTab();
  await hasWords(third, ['a', 'b']);
  queue.add('c');
  await hasWords(third, ['a', 'b', 'c']);
  expect(queue.registrations).toBe(1);
});

test('tabs that open together have one leader', async () => {
  const together = [openTab(), openTab(), openTab()];
  for (const tab of together) await hasWords(tab, []);
  queue.add('a');
  for (const tab of together) await hasWords(tab, ['a']);
  expect(queue.registrations).toBe(1);
  expect(together.filter(({ shared }) => shared.isLeader)).toHaveLength(1);
});

test('when the lead is taken from a tab all go on, and miss nothing', async () => {
  const [one, other] = [openTab(), openTab()];
  for (const tab of [one, other]) await hasWords(tab, []);
  const follower = one.shared.isLeader ? other : one;
  const leader = one.shared.isLeader ? one : other;
  // As if the leader slept: it answers none of these questions in time.
  for (let asked = 0; asked < 3; asked += 1) follower.shared.wake();
  await expect
    .poll(() => [leader, follower].map(({ shared }) => shared.isLeader), waiting)
    .toEqual([false, true]);
  queue.add('a');
  for (const tab of [one, other]) await hasWords(tab, ['a']);
  follower.close();
  queue.add('b');
  await hasWords(leader, ['a', 'b']);
  expect(queue.registrations).toBe(1);
});

test('a tab says offline until the network is back, whatever fails meanwhile', async () => {
  const tab = openTab();
  await expect.poll(() => tab.connection, waiting).toBe('live');
  tab.shared.noteOffline();
  queue.loseNetwork();
  await expect.poll(() => queue.failures, waiting).toBeGreaterThan(0);
  expect(tab.connection).toBe('offline');
  queue.failures = undefined;
  tab.shared.wake();
  await expect.poll(() => tab.connection, waiting).toBe('live');
});
