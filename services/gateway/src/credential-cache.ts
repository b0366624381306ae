/**
 * Accounts by API key, so that a request costs no look-up. What makes it safe (architecture, The log; a changed key or a
 * deactivated user is refused everywhere within a second):
 *
 * - an entry serves only while Postgres was heard within the last second, and users whose account changed are dropped by the
 *   same read that says so; otherwise the store is asked;
 * - those whom an answer names as changed are dropped before it goes to the client;
 * - a look-up during which a change was announced is used once and not kept, since it may be older than the change; neither is one that
 *   began while Postgres was not heard, since changes from then on may never be announced;
 * - entries are found by a hash under a secret of this process: a gateway keeps no keys but those of connections that are open.
 */
import { hash, randomBytes } from 'node:crypto';

import type { ChangedAccounts } from '@parley/api';
import type { KeyAccount } from '@parley/store';
import { LRUCache } from 'lru-cache';

/** What the cache needs to know of the account changes in Postgres; `LiveServices` says it. */
export type AccountNews = {
  heardWithinMs(ms: number): boolean;
  onAccountsChanged(listener: (userIds: readonly number[]) => void): () => void;
};

export type CredentialCacheOptions = {
  readonly findAccount: (apiKey: string) => Promise<KeyAccount | undefined>;
  readonly news: AccountNews;
  readonly entriesMax?: number;
  readonly onLookup?: (outcome: 'hit' | 'miss') => void;
};

/** The second within which a change must be felt everywhere. */
const freshnessMs = 1_000;

/** What no account change announces is felt after so long, should something ever alter an account past the log. */
const entryLifetimeMs = 30_000;

/** A wrong key that is tried again and again costs one look-up in so long; a key that just came into being waits no longer. */
const unknownKeyLifetimeMs = 250;

/** A look-up on its way serves others that ask for the same key only so long after it began. */
const sharedLookupMs = 250;

const entriesMaxDefault = 20_000;

type Entry = { readonly account: KeyAccount | undefined; readonly untilMs: number };

type Lookup = {
  readonly beganAtMs: number;
  /** Changes that were announced before it began: it may not know of later ones. */
  readonly changesSeen: number;
  readonly account: Promise<KeyAccount | undefined>;
};

export class CredentialCache {
  readonly #options: CredentialCacheOptions;
  readonly #hashSecret = randomBytes(32).toString('base64');
  readonly #entries: LRUCache<string, Entry>;
  readonly #lookups = new Map<string, Lookup>();
  readonly #stopListening: () => void;
  #changesSeen = 0;

  constructor(options: CredentialCacheOptions) {
    this.#options = options;
    this.#entries = new LRUCache({ max: options.entriesMax ?? entriesMaxDefault });
    this.#stopListening = options.news.onAccountsChanged((userIds) => this.forget(userIds));
  }

  /** The number of keys held. */
  get size(): number {
    return this.#entries.size;
  }

  /** Counts announcements of changed accounts: what was found since the last one is as the store has it. */
  get changesSeen(): number {
    return this.#changesSeen;
  }

  stop(): void {
    this.#stopListening();
    this.#entries.clear();
  }

  /**
   * The account of a key.
   *
   * @param keyHash its hash, where that is known
   * @throws what the store throws when an answer needs it and it is away
   */
  async find(apiKey: string, keyHash = this.hashOf(apiKey)): Promise<KeyAccount | undefined> {
    const entry = this.#findEntry(keyHash);
    if (entry !== undefined) {
      this.#options.onLookup?.('hit');
      return entry.account;
    }
    this.#options.onLookup?.('miss');
    return this.#lookUp(keyHash, apiKey);
  }

  /** The account of a key as the store has it now, past the cache. */
  async findInStore(apiKey: string): Promise<KeyAccount | undefined> {
    return this.#options.findAccount(apiKey);
  }

  /** Forgets accounts that have changed. A key that was unknown may be the new one of such an account. */
  forget(changed: ChangedAccounts): void {
    this.#changesSeen += 1;
    const userIds = changed === 'all' ? undefined : new Set(changed);
    for (const [hash, { account }] of this.#entries) {
      if (account === undefined || userIds?.has(account.userId) !== false)
        this.#entries.delete(hash);
    }
  }

  /** @returns by which a key is found */
  hashOf(apiKey: string): string {
    // All keys have one length, so nothing can be appended to one: a plain hash of both does, at a fifth of an HMAC's cost.
    return hash('sha256', this.#hashSecret + apiKey, 'base64');
  }

  #findEntry(hash: string): Entry | undefined {
    const entry = this.#entries.get(hash);
    if (entry === undefined || !this.#options.news.heardWithinMs(freshnessMs)) return undefined;
    return performance.now() > entry.untilMs ? undefined : entry;
  }

  async #lookUp(hash: string, apiKey: string): Promise<KeyAccount | undefined> {
    const underway = this.#lookups.get(hash);
    if (
      underway?.changesSeen === this.#changesSeen &&
      performance.now() - underway.beganAtMs < sharedLookupMs
    ) {
      return underway.account;
    }
    const lookup: Lookup = {
      beganAtMs: performance.now(),
      changesSeen: this.#changesSeen,
      account: this.#lookUpAndKeep(hash, apiKey),
    };
    this.#lookups.set(hash, lookup);
    try {
      return await lookup.account;
    } finally {
      if (this.#lookups.get(hash) === lookup) this.#lookups.delete(hash);
    }
  }

  async #lookUpAndKeep(hash: string, apiKey: string): Promise<KeyAccount | undefined> {
    const { findAccount, news } = this.#options;
    const changesSeen = this.#changesSeen;
    const isHeard = news.heardWithinMs(freshnessMs);
    const account = await findAccount(apiKey);
    if (!isHeard || this.#changesSeen !== changesSeen) return account;
    this.#entries.set(hash, {
      account,
      untilMs: performance.now() + (account === undefined ? unknownKeyLifetimeMs : entryLifetimeMs),
    });
    return account;
  }
}
