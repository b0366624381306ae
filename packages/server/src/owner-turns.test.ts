import { ApiError } from '@parley/api';
import { MovedClock } from '@parley/clock';
import { Registry } from 'prom-client';
import { expect, test } from 'vitest';

import { OwnerTurns } from './owner-turns.ts';

/** Work that ends when the test says so. */
class Works {
  readonly turns = new OwnerTurns(
    { atOnceMax: 2, waitingMax: 3 },
    new MovedClock(),
    new Registry(),
  );
  readonly begun: string[] = [];
  readonly #ends = new Map<string, PromiseWithResolvers<string>>();

  ask(name: string, ownerId = 1, signal = new AbortController().signal): Promise<string> {
    return this.turns.take(ownerId, signal, () => {
      this.begun.push(name);
      const end = Promise.withResolvers<string>();
      this.#ends.set(name, end);
      return end.promise;
    });
  }

  end(name: string): void {
    this.#ends.get(name)?.resolve(`${name} is done`);
  }

  fail(name: string): void {
    this.#ends.get(name)?.reject(new Error(`${name} failed`));
  }
}

test('an owner makes a limited number of changes at a time, in order; other owners do not wait', async () => {
  const works = new Works();
  const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((name) => works.ask(name));
  const other = works.ask('other', 2);
  expect(works.begun).toEqual(['a', 'b', 'other']);
  works.fail('b');
  await expect(b).rejects.toThrow('b failed');
  expect(works.begun).toEqual(['a', 'b', 'other', 'c']);
  works.end('a');
  await expect(a).resolves.toBe('a is done');
  expect(works.begun).toEqual(['a', 'b', 'other', 'c', 'd']);
  for (const name of ['c', 'd', 'other']) works.end(name);
  expect(await Promise.all([c, d, other])).toEqual(['c is done', 'd is done', 'other is done']);
  const again = works.ask('again');
  works.end('again');
  expect(await again).toBe('again is done');
});

test('too many changes are refused, and a disconnected client takes no turn', async () => {
  const works = new Works();
  const leaving = new AbortController();
  const results = ['a', 'b'].map((name) => works.ask(name));
  const left = works.ask('left', 1, leaving.signal);
  results.push(works.ask('c'), works.ask('d'));
  await expect(works.ask('beyond')).rejects.toBeInstanceOf(ApiError);
  leaving.abort();
  await expect(left).rejects.toBeInstanceOf(ApiError);
  for (const name of ['a', 'b']) works.end(name);
  await Promise.all(results.slice(0, 2));
  expect(works.begun).toEqual(['a', 'b', 'c', 'd']);
});
