/**
 * Follows the log. Hints on pub/sub carry the bytes and may be lost, late or out of order; an entry is taken only if it follows
 * the cursor. A later one waits a moment, then the missing range is read from Postgres. A slow head check on a connection of its
 * own finds what no hint announced. So every entry is handed on exactly once, in order, whatever happens to Redis or to a writer.
 */
import type { PositionedEntry } from '@parley/contracts';
import type { Pool } from '@parley/database';
import type { Logger } from '@parley/logging';
import type { Redis } from '@parley/redis';
import { Counter } from 'prom-client';

import { decodeHint, hintChannel } from './hint.ts';
import type { Epoch, LogHead } from './read-log.ts';
import { readEntriesAfter, readEpochs, readHead } from './read-log.ts';

const repairsTotal = new Counter({
  name: 'parley_log_repairs_total',
  help: 'Ranges read from Postgres because hints were missing or out of order',
  labelNames: ['found_by'] as const,
});

const entriesPerRead = 500;
/** Hints that wait for an earlier one. At the bound the waiting ones are dropped and read from Postgres instead. */
const waitingHintsMax = 10_000;

export type FollowerOptions = {
  /** A pool of its own with few connections, so that the head check never waits behind requests. */
  readonly pool: Pool;
  /** A connection for subscriptions. */
  readonly subscriber: Redis;
  readonly keyPrefix: string;
  readonly log: Logger;
  /** Told once, before the first entry, where following begins. */
  readonly onStart?: (head: LogHead) => void;
  /** Takes the entries in order, exactly once each. Must not throw. */
  readonly onEntries: (entries: readonly PositionedEntry[]) => void;
  /**
   * The log went on in another history or lost what this follower would have read next: everything derived from it is void and
   * following goes on behind `head`.
   */
  readonly onReset: (head: LogHead, epochs: readonly Epoch[]) => void;
  readonly headCheckIntervalMs?: number;
  /** How long an entry that does not follow the cursor waits for the missing one. */
  readonly reorderWaitMs?: number;
};

type Waiter = { readonly position: number; readonly resolve: () => void };

export class LogFollower {
  readonly #options: FollowerOptions;
  readonly #headCheckIntervalMs: number;
  readonly #reorderWaitMs: number;
  readonly #waitingHints = new Map<number, PositionedEntry>();
  readonly #waiters = new Set<Waiter>();
  #cursor = 0;
  #head: LogHead = { epoch: 0, endPosition: 0, beginPosition: 0, messageId: 0 };
  #epochs: readonly Epoch[] = [];
  #heardFromPostgresAtMs = -Infinity;
  #repair: Promise<void> | undefined;
  #reorderTimer: NodeJS.Timeout | undefined;
  #headTimer: NodeJS.Timeout | undefined;
  #stopped = false;
  readonly #onMessage = (_channel: string, text: string): void => this.#takeHint(text);

  private constructor(options: FollowerOptions) {
    this.#options = options;
    this.#headCheckIntervalMs = options.headCheckIntervalMs ?? 400;
    this.#reorderWaitMs = options.reorderWaitMs ?? 15;
  }

  /**
   * Subscribes, reads the head and follows from there. Subscribing comes first and buffers, so nothing falls between the two.
   * Redis being away does not keep it from starting: the head check serves alone until it is back.
   */
  static async start(options: FollowerOptions): Promise<LogFollower> {
    const follower = new LogFollower(options);
    options.subscriber.on('message', follower.#onMessage);
    // The connection repeats its subscriptions whenever it comes back; what was missed meanwhile is found by the head check.
    const subscribed = options.subscriber
      .subscribe(hintChannel(options.keyPrefix))
      .catch((error: unknown) => {
        options.log.warn({ err: error }, 'hints of the log are not to be had yet');
      });
    await Promise.race([subscribed, new Promise((resolve) => setTimeout(resolve, 1_000).unref())]);
    follower.#epochs = await readEpochs(options.pool);
    follower.#head = await readHead(options.pool);
    follower.#cursor = follower.#head.endPosition;
    follower.#heardFromPostgresAtMs = performance.now();
    options.onStart?.(follower.#head);
    follower.#takeWaitingHints();
    follower.#scheduleHeadCheck();
    return follower;
  }

  /** The last position handed on. */
  get cursor(): number {
    return this.#cursor;
  }

  get epochs(): readonly Epoch[] {
    return this.#epochs;
  }

  get beginPosition(): number {
    return this.#head.beginPosition;
  }

  /** The newest message id known. */
  get head(): LogHead {
    return this.#head;
  }

  /** @returns whether Postgres confirmed within `withinMs` what this follower knows of the head */
  isCurrent(withinMs = 1_000): boolean {
    return performance.now() - this.#heardFromPostgresAtMs <= withinMs && !this.#stopped;
  }

  /**
   * Waits until everything up to `position` was handed on, reading from Postgres what no hint brought.
   *
   * @returns false when that did not happen within `timeoutMs`
   */
  async waitFor(position: number, timeoutMs: number): Promise<boolean> {
    if (this.#cursor >= position) return true;
    let timer: NodeJS.Timeout | undefined;
    const reached = await new Promise<boolean>((resolve) => {
      const waiter: Waiter = { position, resolve: () => resolve(true) };
      this.#waiters.add(waiter);
      timer = setTimeout(() => {
        this.#waiters.delete(waiter);
        resolve(false);
      }, timeoutMs);
      this.#scheduleRepair('waiter');
    });
    clearTimeout(timer);
    return reached;
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#headTimer);
    clearTimeout(this.#reorderTimer);
    this.#options.subscriber.off('message', this.#onMessage);
    await this.#repair;
  }

  #takeHint(text: string): void {
    if (this.#stopped) return;
    const hint = decodeHint(text);
    // A hint of another epoch is left to the head check, which knows how the epochs join.
    if (hint === undefined || (this.#head.epoch !== 0 && hint.epoch !== this.#head.epoch)) return;
    for (const entry of hint.entries) {
      if (entry.position > this.#cursor) this.#waitingHints.set(entry.position, entry);
    }
    if (this.#waitingHints.size > waitingHintsMax) this.#waitingHints.clear();
    if (this.#head.epoch !== 0) this.#takeWaitingHints();
  }

  #takeWaitingHints(): void {
    const taken: PositionedEntry[] = [];
    let cursor = this.#cursor;
    for (
      let next = this.#waitingHints.get(cursor + 1);
      next !== undefined;
      next = this.#waitingHints.get(cursor + 1)
    ) {
      this.#waitingHints.delete(next.position);
      taken.push(next);
      cursor = next.position + next.length - 1;
    }
    this.#handOn(taken);
    if (this.#waitingHints.size > 0) this.#scheduleRepair('reorder');
  }

  #handOn(entries: readonly PositionedEntry[]): void {
    const last = entries.at(-1);
    if (last === undefined) return;
    this.#cursor = last.position + last.length - 1;
    this.#options.onEntries(entries);
    for (const position of this.#waitingHints.keys()) {
      if (position > this.#cursor) break;
      this.#waitingHints.delete(position);
    }
    for (const waiter of this.#waiters) {
      if (waiter.position > this.#cursor) continue;
      this.#waiters.delete(waiter);
      waiter.resolve();
    }
  }

  #scheduleRepair(foundBy: 'reorder' | 'head' | 'waiter'): void {
    if (this.#reorderTimer !== undefined || this.#stopped) return;
    const cursorBefore = this.#cursor;
    this.#reorderTimer = setTimeout(() => {
      this.#reorderTimer = undefined;
      // Hints that arrived meanwhile moved the cursor: what waits now has its own moment coming.
      const isBehind =
        this.#waitingHints.size > 0 ||
        this.#head.endPosition > this.#cursor ||
        this.#waiters.size > 0;
      if (!isBehind) return;
      if (this.#cursor !== cursorBefore && foundBy === 'reorder') this.#scheduleRepair('reorder');
      else this.#startRepair(foundBy);
    }, this.#reorderWaitMs);
  }

  #startRepair(foundBy: 'reorder' | 'head' | 'waiter'): void {
    this.#repair ??= this.#readMissing(foundBy)
      .catch((error: unknown) => {
        this.#options.log.warn(
          { err: error },
          'the log could not be read; the next head check tries again',
        );
      })
      .finally(() => {
        this.#repair = undefined;
        if (this.#waitingHints.size > 0) this.#scheduleRepair('reorder');
      });
  }

  async #readMissing(foundBy: 'reorder' | 'head' | 'waiter'): Promise<void> {
    for (;;) {
      const after = this.#cursor;
      const entries = await readEntriesAfter(this.#options.pool, after, entriesPerRead);
      if (this.#stopped) return;
      // Hints may have moved the cursor while the answer was on its way.
      const missing = entries.filter((entry) => entry.position > this.#cursor);
      const first = missing[0];
      if (first !== undefined) {
        if (!this.#follows(first.position)) {
          await this.#reset('the log does not go on where this follower stands');
          return;
        }
        repairsTotal.inc({ found_by: foundBy });
        this.#handOn(missing);
      }
      if (entries.length < entriesPerRead) break;
    }
    this.#takeWaitingHints();
  }

  #follows(position: number): boolean {
    if (position === this.#cursor + 1) return true;
    return this.#epochs.some(
      (epoch) => position === epoch.startPosition + 1 && this.#cursor === epoch.previousEndPosition,
    );
  }

  async #reset(reason: string): Promise<void> {
    const { pool, log, onReset } = this.#options;
    this.#epochs = await readEpochs(pool);
    this.#head = await readHead(pool);
    log.error({ cursor: this.#cursor, head: this.#head }, reason);
    this.#cursor = this.#head.endPosition;
    this.#waitingHints.clear();
    onReset(this.#head, this.#epochs);
  }

  #scheduleHeadCheck(): void {
    if (this.#stopped) return;
    this.#headTimer = setTimeout(() => {
      void this.checkHead().finally(() => this.#scheduleHeadCheck());
    }, this.#headCheckIntervalMs);
  }

  /**
   * Compares the cursor with Postgres' head, now.
   *
   * @returns the head, or undefined when Postgres did not answer
   */
  async checkHead(): Promise<LogHead | undefined> {
    const askedAtMs = performance.now();
    try {
      const head = await readHead(this.#options.pool);
      if (head.epoch !== this.#head.epoch) {
        this.#epochs = await readEpochs(this.#options.pool);
        const opened = this.#epochs.find((epoch) => epoch.epoch === head.epoch);
        if (
          opened === undefined ||
          this.#cursor > opened.previousEndPosition ||
          head.epoch !== this.#head.epoch + 1
        ) {
          await this.#reset('a new epoch of the log lost entries that this follower had read');
        }
      }
      this.#head = head;
      this.#heardFromPostgresAtMs = askedAtMs;
      if (head.endPosition > this.#cursor) this.#scheduleRepair('head');
      return head;
    } catch (error) {
      this.#options.log.warn({ err: error }, 'the head of the log could not be read');
      return undefined;
    }
  }
}
