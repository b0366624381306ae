import { setImmediate as nextTurn } from 'node:timers/promises';

import { ApiError } from '@parley/api';
import { MovedClock } from '@parley/clock';
import { expect, test } from 'vitest';

import { FairLine } from './fair-line.ts';
import type { LineBounds } from './fair-line.ts';

type Asked = { readonly ownerId: number; readonly name: string; readonly signal: AbortSignal };

/** A line whose batches are served when the test says so. */
class Counter {
  readonly clock = new MovedClock();
  readonly refusals: string[] = [];
  readonly served: string[][] = [];
  readonly line: FairLine<Asked, string>;
  servingMost = 0;
  #serving: (() => void)[] = [];

  constructor(bounds: Partial<LineBounds> = {}) {
    this.line = new FairLine(
      { batchMax: 2, batchesAtOnce: 1, waitingMax: 100, waitMaxMs: 60_000, ...bounds },
      this.clock,
      (reason) => this.refusals.push(reason),
      async (requests) => {
        this.served.push(requests.map(({ name }) => name));
        const { promise, resolve } = Promise.withResolvers<void>();
        this.#serving.push(resolve);
        this.servingMost = Math.max(this.servingMost, this.#serving.length);
        await promise;
        return requests.map(({ name }) =>
          name === 'broken'
            ? { status: 'rejected', reason: new Error('broken') }
            : { status: 'fulfilled', value: `answer to ${name}` },
        );
      },
    );
  }

  ask(name: string, ownerId: number, signal = new AbortController().signal): Promise<string> {
    return this.line.take({ name, ownerId, signal });
  }

  /** Waits until so many batches are being served. */
  async untilServing(batches = 1): Promise<void> {
    while (this.#serving.length < batches) await nextTurn();
  }

  /** Ends the batch that began first. */
  finishBatch(): void {
    this.#serving.shift()?.();
  }

  async finishAll(batches: number): Promise<void> {
    for (let n = 0; n < batches; n += 1) {
      await this.untilServing();
      this.finishBatch();
    }
  }
}

function refusalOf(asking: Promise<string>): Promise<unknown> {
  return asking.then(
    () => 'served',
    (error: unknown) =>
      error instanceof ApiError ? [error.status, error.code, error.headers] : error,
  );
}

const unavailable = [503, 'SERVICE_UNAVAILABLE', { 'Retry-After': '5' }];

test('every request gets its own result, with at most the permitted batches at once', async () => {
  const counter = new Counter({ batchesAtOnce: 2, batchMax: 3 });
  const names = Array.from({ length: 31 }, (_, n) => `request ${n}`);
  const answers = Promise.all(names.map((name, n) => counter.ask(name, n)));
  await counter.untilServing(2);
  await counter.finishAll(11);
  expect(await answers).toEqual(names.map((name) => `answer to ${name}`));
  expect(counter.served.flat().toSorted()).toEqual(names.toSorted());
  expect(Math.max(...counter.served.map(({ length }) => length))).toBe(3);
  expect(counter.servingMost).toBe(2);
  expect(counter.line.waiting).toBe(0);
});

test('a person with many requests waits with the second until others had their first', async () => {
  const counter = new Counter();
  const asking = ['a1', 'a2', 'a3', 'a4'].map((name) => counter.ask(name, 1));
  asking.push(counter.ask('b1', 2), counter.ask('c1', 3), counter.ask('b2', 2));
  await counter.finishAll(4);
  await Promise.all(asking);
  expect(counter.served).toEqual([['a1', 'b1'], ['c1', 'a2'], ['b2', 'a3'], ['a4']]);
});

test('where an owner has one at a time, another owner waits for nobody while there is capacity', async () => {
  const counter = new Counter({ batchMax: 1, batchesAtOnce: 2, oneOfOwner: true });
  const asking = ['a1', 'a2', 'a3'].map((name) => counter.ask(name, 1));
  await counter.untilServing();
  asking.push(counter.ask('b1', 2), counter.ask('b2', 2));
  await counter.untilServing(2);
  expect(counter.served).toEqual([['a1'], ['b1']]);
  await counter.finishAll(5);
  await Promise.all(asking);
  expect(counter.served).toEqual([['a1'], ['b1'], ['a2'], ['b2'], ['a3']]);
  expect(counter.line.waiting).toBe(0);
});

test('a failure affects only its own request', async () => {
  const counter = new Counter();
  const [broken, whole] = [counter.ask('broken', 1), counter.ask('whole', 2)];
  await counter.finishAll(1);
  await expect(broken).rejects.toThrow('broken');
  expect(await whole).toBe('answer to whole');
});

test("beyond the line's length a request is refused at once, and may be repeated", async () => {
  const counter = new Counter({ batchMax: 1, waitingMax: 2 });
  const first = counter.ask('first', 1);
  await counter.untilServing();
  const waiting = [counter.ask('second', 2), counter.ask('third', 3)];
  expect(await refusalOf(counter.ask('too many', 4))).toEqual(unavailable);
  expect(counter.refusals).toEqual(['line']);
  await counter.finishAll(3);
  expect(await Promise.all([first, ...waiting])).toHaveLength(3);
  expect(counter.served).toEqual([['first'], ['second'], ['third']]);
});

test('a request whose turn does not come in time is refused, and may be repeated', async () => {
  const waitMaxMs = 1_000;
  const counter = new Counter({ batchMax: 1, waitMaxMs });
  const first = counter.ask('first', 1);
  await counter.untilServing();
  const second = refusalOf(counter.ask('second', 2));
  await counter.clock.advance(waitMaxMs - 1);
  expect(counter.line.waiting).toBe(1);
  await counter.clock.advance(1);
  expect(await second).toEqual(unavailable);
  expect(counter.refusals).toEqual(['wait']);
  counter.finishBatch();
  expect(await first).toBe('answer to first');
  expect(counter.served).toEqual([['first']]);
});

test('a request of a disconnected client is not served and delays nobody', async () => {
  const counter = new Counter({ batchMax: 1, waitingMax: 1 });
  const first = counter.ask('first', 1);
  await counter.untilServing();
  const leaving = new AbortController();
  const gone = refusalOf(counter.ask('gone', 2, leaving.signal));
  leaving.abort();
  expect(await gone).toEqual(unavailable);
  expect(counter.line.waiting).toBe(0);
  expect(await refusalOf(counter.ask('gone before', 2, leaving.signal))).not.toBe('served');
  const last = counter.ask('last', 3);
  await counter.finishAll(2);
  expect(await Promise.all([first, last])).toHaveLength(2);
  expect(counter.served).toEqual([['first'], ['last']]);
  expect(counter.refusals).toEqual([]);
});
