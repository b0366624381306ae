/** Sends through failures and reloads, before a server that knows a repeat by its key. */
import { beforeEach, expect, test } from 'vitest';
import { ParleyClient } from '@parley/client';

import { Outbox } from './outbox.ts';
import { openAccountStore } from './stored.ts';
import type { KeyValueStore } from './stored.ts';

const toTopic = { type: 'stream', streamId: 5, topic: 'hello' } as const;

function memoryStore(): KeyValueStore & { readonly values: Map<string, string> } {
  const values = new Map<string, string>();
  return {
    values,
    getItem: (key) => values.get(key) ?? null,
    setItem: (key, value) => void values.set(key, value),
    removeItem: (key) => void values.delete(key),
  };
}

/** Waits longer than is needed, for a busy machine. */
function expectSoon<Value>(find: () => Value) {
  return expect.poll(find, { timeout: 10_000 });
}

type Answer = 'take' | 'lose' | 'refuse' | 'hang' | 'defer';

class Server {
  /** Contents of the messages that it has, by the keys of their sends; in their order. */
  readonly taken = new Map<string, string>();
  /** What happens to the next requests; the last one repeats. */
  answers: Answer[] = ['take'];

  readonly fetch: typeof fetch = async (input, init) => {
    const request = new Request(input, init);
    const key = request.headers.get('idempotency-key') ?? '';
    const content = new URLSearchParams(await request.text()).get('content') ?? '';
    const answer = this.answers.length > 1 ? this.answers.shift() : this.answers[0];
    if (answer === 'hang') return new Promise(() => undefined);
    if (answer === 'refuse')
      return Response.json({ result: 'error', msg: 'Stream is closed' }, { status: 400 });
    if (answer === 'defer')
      return Response.json({ result: 'success', msg: '', deliver_at: '2031-05-01T09:30:00Z' });
    if (!this.taken.has(key)) this.taken.set(key, content);
    if (answer === 'lose') throw new TypeError('the network failed');
    const id = 100 + [...this.taken.keys()].indexOf(key);
    return Response.json({ result: 'success', msg: '', id });
  };
}

let server: Server;
let store: ReturnType<typeof memoryStore>;
let newestId: number;
beforeEach(() => {
  server = new Server();
  store = memoryStore();
  newestId = 50;
});

/** An outbox of a page that was loaded just now. */
function load(): Outbox {
  return new Outbox(
    new ParleyClient({ site: 'http://parley.test', fetch: server.fetch, repeatsMax: 0 }),
    {
      store: openAccountStore(store, 7, new AbortController().signal),
      queueId: () => 'q',
      newestId: () => newestId,
      onUnheard: () => undefined,
    },
  );
}

function statesOf(outbox: Outbox): string[] {
  return outbox.pending
    .peek()
    .map(({ content, failure }) => `${content} ${failure === undefined ? 'sending' : 'failed'}`);
}

test('messages arrive in the order they were written, and are pending until their events come', async () => {
  const outbox = load();
  outbox.send(toTopic, 'a');
  outbox.send(toTopic, 'b');
  expect(statesOf(outbox)).toEqual(['a sending', 'b sending']);
  await expectSoon(() => [...server.taken.values()]).toEqual(['a', 'b']);
  const localId = outbox.pending.peek()[1]?.localId;
  outbox.receive(101, localId);
  expect(statesOf(outbox)).toEqual(['a sending']);
  // Another queue's event, or that of a repeat, has no local id.
  await expectSoon(() => {
    outbox.receive(100, undefined);
    return statesOf(outbox);
  }).toEqual([]);
  expect(store.values.size).toBe(0);
});

test('a send without an answer fails, says why, and is repeated without being sent twice', async () => {
  server.answers = ['lose', 'take'];
  const outbox = load();
  outbox.send(toTopic, 'a');
  await expectSoon(() => statesOf(outbox)).toEqual(['a failed']);
  expect(outbox.pending.peek()[0]?.failure).toMatch(/./);
  newestId = 100;
  outbox.resume();
  await expectSoon(() => statesOf(outbox)).toEqual([]);
  expect([...server.taken.values()]).toEqual(['a']);
});

test('a page that was closed while it sent sends when it is loaded again', async () => {
  server.answers = ['hang', 'take'];
  load().send(toTopic, 'a');
  const outbox = load();
  expect(statesOf(outbox)).toEqual(['a sending']);
  newestId = 100;
  await expectSoon(() => server.answers).toEqual(['take']);
  outbox.resume();
  await expectSoon(() => statesOf(outbox)).toEqual([]);
  expect([...server.taken.values()]).toEqual(['a']);
});

test('a refusal is told in the server’s words, and not repeated until the person asks for it', async () => {
  server.answers = ['refuse', 'take'];
  const outbox = load();
  outbox.send(toTopic, 'a');
  await expectSoon(() => outbox.pending.peek()[0]?.failure).toBe('Stream is closed');
  outbox.resume();
  expect(statesOf(outbox)).toEqual(['a failed']);
  outbox.sendAgain(outbox.pending.peek()[0]?.localId ?? '');
  await expectSoon(() => [...server.taken.values()]).toEqual(['a']);
});

test('what the server sends later is not pending', async () => {
  server.answers = ['defer'];
  const outbox = load();
  outbox.send(toTopic, 'a');
  await expectSoon(() => statesOf(outbox)).toEqual([]);
});

test('what was written before the server forgot its key is sent again only by the person', async () => {
  server.answers = ['lose'];
  const outbox = load();
  outbox.send(toTopic, 'a');
  await expectSoon(() => statesOf(outbox)).toEqual(['a failed']);
  const [key = '', stored = ''] = [...store.values].flat();
  const aged = (JSON.parse(stored) as { timestamp: number }[]).map((each) => ({
    ...each,
    failure: undefined,
    timestamp: each.timestamp - 24 * 3_600,
  }));
  store.setItem(key, JSON.stringify(aged));
  server.taken.clear();
  server.answers = ['take'];
  const later = load();
  later.resume();
  expect(statesOf(later)).toEqual(['a failed']);
  expect(later.pending.peek()[0]?.failure).toMatch(/./);
  later.sendAgain(later.pending.peek()[0]?.localId ?? '');
  await expectSoon(() => [...server.taken.values()]).toEqual(['a']);
});

test('what another tab wrote meanwhile is kept', () => {
  server.answers = ['hang'];
  const [one, other] = [load(), load()];
  one.send(toTopic, 'a');
  other.send(toTopic, 'b');
  expect(statesOf(load())).toEqual(['a sending', 'b sending']);
});

test('what was discarded is not sent', async () => {
  server.answers = ['refuse'];
  const outbox = load();
  outbox.send(toTopic, 'a');
  await expectSoon(() => statesOf(outbox)).toEqual(['a failed']);
  outbox.discard(outbox.pending.peek()[0]?.localId ?? '');
  expect(statesOf(load())).toEqual([]);
});

test.each(['{', '7', '[null, 7, {"localId": 1}]', '{"length": 3}'])(
  'the stored text %s is as good as none',
  (text) => {
    store.setItem('parley/7/outbox', text);
    const outbox = load();
    outbox.resume();
    expect(statesOf(outbox)).toEqual([]);
  },
);
