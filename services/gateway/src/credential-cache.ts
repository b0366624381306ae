/**
 * Caches accounts by API key or by the secret of a session, so that a request costs no look-up. These rules make it safe (architecture, The log; a changed key or a
 * deactivated user is refused everywhere within a second):
 *
 * - An entry is used only if Postgres answered within the last second; otherwise the store is read. The same read that proves this reports
 *   changed accounts, whose entries are dropped.
 * - Accounts that an answer names as changed are dropped before the answer goes to the client.
 * - A look-up during which a change was announced is used once and not kept, because it may be older than the change. A look-up that began
 *   while Postgres was silent is not kept either, because later changes may never be announced.
 * - Entries are found by a hash under a secret of this process, so a gateway keeps only the keys of open connections.
 */
import { hash, randomBytes } from 'node:crypto';

import type { ChangedAccounts } from '@parley/api';
import type { Clock } from '@parley/clock';
import { BatchedReads } from '@parley/database';
import type { KeyAccount } from '@parley/store';
import { LRUCache } from 'lru-cache';

/** The information that the cache needs about account changes in Postgres; `LiveServices` provides it. */
export type AccountChangeSource = {
  heardWithinMs(ms: number): boolean;
  onAccountsChanged(listener: (userIds: readonly number[]) => void): () => void;
};

export type CredentialCacheOptions<Account> = {
  readonly clock: Clock;
  readonly readAccounts: (secrets: readonly string[]) => Promise<ReadonlyMap<string, Account>>;
  readonly changeSource: AccountChangeSource;
  readonly entriesMax?: number;
  readonly onLookup?: (outcome: 'hit' | 'miss') => void;
};

/** A change must take effect everywhere within this second. */
const freshnessMs = 1_000;

/** A change that no account change announces takes effect after this time, in case something alters an account outside of the log. */
const entryLifetimeMs = 30_000;

/** A wrong key that is tried repeatedly costs one look-up in this time. A new key waits no longer than this. */
const unknownKeyLifetimeMs = 250;

/** Look-ups are read together, because thousands of clients' polls come back at once when Postgres was silent for a moment. */
export const credentialReads = { keysPerRead: 500, readsAtOnce: 2 };

const entriesMaxDefault = 20_000;

type Entry<Account> = { readonly account: Account | undefined; readonly untilMs: number };

export class CredentialCache<Account extends KeyAccount = KeyAccount> {
  readonly #options: CredentialCacheOptions<Account>;
  readonly #hashSecret = randomBytes(32).toString('base64');
  readonly #entries: LRUCache<string, Entry<Account>>;
  readonly #store: BatchedReads<string, Account>;
  readonly #stopListening: () => void;
  #changesSeen = 0;

  constructor(options: CredentialCacheOptions<Account>) {
    this.#options = options;
    this.#entries = new LRUCache({ max: options.entriesMax ?? entriesMaxDefault });
    this.#store = new BatchedReads(options.readAccounts, credentialReads);
    this.#stopListening = options.changeSource.onAccountsChanged((userIds) => this.forget(userIds));
  }

  /** The number of keys held. */
  get size(): number {
    return this.#entries.size;
  }

  /** Counts the announcements of account changes. An account found since the last one is current. */
  get changesSeen(): number {
    return this.#changesSeen;
  }

  stop(): void {
    this.#stopListening();
    this.#entries.clear();
  }

  /**
   * The account of a key or session.
   *
   * @param keyHash its hash, if known
   * @throws any error of the store, if the cache cannot answer
   */
  async find(secret: string, keyHash = this.hashOf(secret)): Promise<Account | undefined> {
    const entry = this.#findEntry(keyHash);
    if (entry !== undefined) {
      this.#options.onLookup?.('hit');
      return entry.account;
    }
    this.#options.onLookup?.('miss');
    return this.#lookUp(keyHash, secret);
  }

  /** The account of a key or session in the store now, without the cache. */
  async findInStore(secret: string): Promise<Account | undefined> {
    return this.#store.find(secret);
  }

  /** Forgets changed accounts. Unknown keys are forgotten too, because one may be the new key of such an account. */
  forget(changed: ChangedAccounts): void {
    this.#changesSeen += 1;
    const userIds = changed === 'all' ? undefined : new Set(changed);
    for (const [hash, { account }] of this.#entries) {
      if (account === undefined || userIds?.has(account.userId) !== false)
        this.#entries.delete(hash);
    }
  }

  /** @returns the hash by which a key or session is found */
  hashOf(secret: string): string {
    // All secrets of a cache have the same length, so nothing can be appended to one. A plain hash of both is therefore enough, at a fifth of the cost of
    // an HMAC.
    return hash('sha256', this.#hashSecret + secret, 'base64');
  }

  #findEntry(hash: string): Entry<Account> | undefined {
    const entry = this.#entries.get(hash);
    if (entry === undefined || !this.#options.changeSource.heardWithinMs(freshnessMs))
      return undefined;
    return this.#options.clock.elapsedMs() >= entry.untilMs ? undefined : entry;
  }

  async #lookUp(hash: string, secret: string): Promise<Account | undefined> {
    const { clock, changeSource } = this.#options;
    const changesSeen = this.#changesSeen;
    const isHeard = changeSource.heardWithinMs(freshnessMs);
    const account = await this.#store.find(secret);
    if (!isHeard || this.#changesSeen !== changesSeen) return account;
    this.#entries.set(hash, {
      account,
      untilMs: clock.elapsedMs() + (account === undefined ? unknownKeyLifetimeMs : entryLifetimeMs),
    });
    return account;
  }
}
