import { setImmediate as nextTurn } from 'node:timers/promises';

import { MovedClock } from '@parley/clock';
import type { KeyAccount } from '@parley/store';
import { describe, expect, it } from 'vitest';

import { CredentialCache } from './credential-cache.ts';

/** The reports of account changes, made by the test. */
class ReportedChanges {
  /** How long ago Postgres answered. */
  silentMs = 0;
  readonly #listeners = new Set<(userIds: readonly number[]) => void>();

  heardWithinMs(ms: number): boolean {
    return this.silentMs < ms;
  }

  onAccountsChanged(listener: (userIds: readonly number[]) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  announce(userIds: readonly number[]): void {
    for (const listener of this.#listeners) listener(userIds);
  }
}

function accountOf(userId: number): KeyAccount {
  return {
    userId,
    email: `user${userId}@example.com`,
    emailFolded: `USER${userId}@EXAMPLE.COM`,
    role: 'member',
    botType: null,
    botOwnerId: null,
    isActive: true,
    isRealmDeactivated: false,
  };
}

/** A store of accounts whose answers the test may delay. */
function setUp(entriesMax = 10): {
  clock: MovedClock;
  changeSource: ReportedChanges;
  accounts: Map<string, KeyAccount>;
  cache: CredentialCache;
  lookups: string[];
  hold: () => () => void;
} {
  const clock = new MovedClock();
  const changeSource = new ReportedChanges();
  const accounts = new Map([
    ['one', accountOf(1)],
    ['two', accountOf(2)],
    ['three', accountOf(3)],
  ]);
  const lookups: string[] = [];
  let gate: Promise<void> = Promise.resolve();
  const cache = new CredentialCache({
    clock,
    changeSource,
    entriesMax,
    readAccounts: async (apiKeys) => {
      lookups.push(...apiKeys);
      const found = new Map(accounts);
      await gate;
      return found;
    },
  });
  const hold = (): (() => void) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    gate = promise;
    return resolve;
  };
  return { clock, changeSource, accounts, cache, lookups, hold };
}

describe('CredentialCache', () => {
  it('asks the store once for a key', async () => {
    const { cache, lookups } = setUp();
    expect((await cache.find('one'))?.userId).toBe(1);
    expect((await cache.find('one'))?.userId).toBe(1);
    expect(lookups).toEqual(['one']);
  });

  it('forgets the account that a change names, and no other', async () => {
    const { cache, changeSource, accounts, lookups } = setUp();
    await cache.find('one');
    await cache.find('two');
    accounts.delete('one');
    changeSource.announce([1]);
    expect(await cache.find('one')).toBeUndefined();
    expect((await cache.find('two'))?.userId).toBe(2);
    expect(lookups).toEqual(['one', 'two', 'one']);
  });

  it('asks the store for every request while Postgres was silent for a second', async () => {
    const { cache, changeSource, accounts } = setUp();
    await cache.find('one');
    accounts.delete('one');
    changeSource.silentMs = 999;
    expect((await cache.find('one'))?.userId).toBe(1);
    changeSource.silentMs = 1_000;
    expect(await cache.find('one')).toBeUndefined();
  });

  it.each([
    ['an account after half a minute', 'one', 30_000],
    ['a wrong key after a quarter of a second', 'unknown', 250],
  ])('asks again for %s', async (_what, key, lifetimeMs) => {
    const { cache, clock, lookups } = setUp();
    await cache.find(key);
    await clock.advance(lifetimeMs - 1);
    await cache.find(key);
    expect(lookups).toHaveLength(1);
    await clock.advance(1);
    await cache.find(key);
    expect(lookups).toHaveLength(2);
  });

  it('does not keep accounts that were looked up while a change was announced', async () => {
    const { cache, changeSource, accounts, hold } = setUp();
    const release = hold();
    const lookup = cache.find('one');
    await nextTurn();
    accounts.delete('one');
    changeSource.announce([1]);
    release();
    // The look-up itself is older than the change and is used once.
    expect((await lookup)?.userId).toBe(1);
    expect(await cache.find('one')).toBeUndefined();
  });

  it('forgets accounts that an answer names, unknown keys, and everything if too many are named', async () => {
    const { cache, lookups } = setUp();
    for (const apiKey of ['one', 'two', 'unknown']) await cache.find(apiKey);
    cache.forget([2]);
    for (const apiKey of ['one', 'two', 'unknown']) await cache.find(apiKey);
    expect(lookups.splice(0)).toEqual(['one', 'two', 'unknown', 'two', 'unknown']);
    cache.forget('all');
    await cache.find('one');
    expect(lookups).toEqual(['one']);
  });

  it('does not keep accounts that were looked up before an answer reported a change', async () => {
    const { cache, accounts, hold } = setUp();
    const release = hold();
    const lookup = cache.find('one');
    await nextTurn();
    accounts.delete('one');
    cache.forget([1]);
    release();
    expect((await lookup)?.userId).toBe(1);
    expect(await cache.find('one')).toBeUndefined();
  });

  it('does not keep accounts that were looked up while Postgres was silent', async () => {
    const { cache, changeSource, accounts } = setUp();
    changeSource.silentMs = 1_000;
    await cache.find('one');
    // It changes before anybody listens, so the change is never announced.
    accounts.delete('one');
    changeSource.silentMs = 0;
    expect(await cache.find('one')).toBeUndefined();
  });

  it('asks once for concurrent requests', async () => {
    const { cache, lookups, hold } = setUp();
    const release = hold();
    const found = [cache.find('one'), cache.find('one'), cache.find('one')];
    release();
    expect((await Promise.all(found)).map((account) => account?.userId)).toEqual([1, 1, 1]);
    expect(lookups).toEqual(['one']);
  });

  it('asks again for requests after a change, even if a look-up is running', async () => {
    const { cache, changeSource, accounts, hold } = setUp();
    const release = hold();
    const before = cache.find('one');
    await nextTurn();
    accounts.delete('one');
    changeSource.announce([1]);
    const after = cache.find('one');
    release();
    expect((await before)?.userId).toBe(1);
    expect(await after).toBeUndefined();
  });

  it('keeps at most its maximum, including unknown keys, and drops the least used', async () => {
    const { cache, lookups } = setUp(3);
    await cache.find('one');
    await cache.find('two');
    await cache.find('unknown');
    await cache.find('one');
    await cache.find('three');
    expect(cache.size).toBe(3);
    await cache.find('one');
    expect(lookups).toEqual(['one', 'two', 'unknown', 'three']);
  });

  it('keeps no key in memory', async () => {
    const { cache } = setUp();
    await cache.find('one');
    const { inspect } = await import('node:util');
    expect(inspect(cache, { depth: 9, showHidden: true })).not.toContain("'one'");
  });
});
