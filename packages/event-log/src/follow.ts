/**
 * Follows the log. Hints on pub/sub carry the bytes and may be lost, late or out of order; an entry is taken only if it follows the cursor.
 * A later entry waits a moment, then the missing range is read from Postgres. A slow head check on a separate connection finds entries
 * without a hint. So every entry is passed on exactly once and in order, even if Redis or a writer fails.
 */
import { pauseShortly } from '@parley/clock';
import type { Clock, Timer } from '@parley/clock';
import type { PositionedEntry } from './log-entry.ts';
import { TimelyReads } from '@parley/database';
import type { Pool, Queryable } from '@parley/database';
import type { Logger } from '@parley/telemetry/logging';
import type { Redis } from '@parley/cluster/redis';
import { Counter, Histogram } from 'prom-client';

import { decodeHint, hintChannel } from './hint.ts';
import type { Hint } from './hint.ts';
import type { Epoch, LogHead } from './read-log.ts';
import { readEntriesAfter, readEpochs, readHead } from './read-log.ts';

const repairsTotal = new Counter({
  name: 'parley_log_repairs_total',
  help: 'Ranges of entries read from Postgres because hints were missing or late, by how the gap was found',
  labelNames: ['found_by'] as const,
});

// Starts at 0, because rates ignore the first event of a counter that starts with it.
for (const found_by of ['reorder', 'head', 'waiter']) repairsTotal.inc({ found_by }, 0);

const hintsDroppedTotal = new Counter({
  name: 'parley_log_waiting_hints_dropped_total',
  help: 'Entries from hints dropped because too many waited for an earlier entry; they are read from Postgres instead',
});

const hintDelay = new Histogram({
  name: 'parley_log_hint_delay_seconds',
  help: 'Time from the arrival of a hint until its entries are used; it grows while an earlier entry is missing',
  buckets: [0.0005, 0.001, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
});

const headCheckIntervalMs = 400;
/** How long an entry waits for a missing earlier one. */
const reorderWaitMs = 15;
/** A start waits this long for Redis. */
const subscribeMaxMs = 1_000;

const entriesPerRead = 500;
/** The most hints that wait for an earlier one. Beyond that they are dropped and read from Postgres. */
const waitingHintsMax = 10_000;
/** A later answer counts as none. */
const readTimeoutMs = 2_000;

export type FollowerOptions = {
  readonly clock: Clock;
  /** A separate pool with few connections, so that the head check never waits for requests. */
  readonly pool: Pool;
  /** A connection for subscriptions. */
  readonly subscriber: Redis;
  readonly keyPrefix: string;
  readonly log: Logger;
  /** Called once, before the first entry, with the head at which following begins. */
  readonly onStart?: (head: LogHead) => void;
  /** Takes the entries in order, exactly once each. Must not throw. */
  readonly onEntries: (entries: readonly PositionedEntry[]) => void;
  /**
   * Called if the log continued in another history or lost the entries that this follower needs next. Everything derived from the log is
   * void, and following continues after `head`.
   */
  readonly onReset: (head: LogHead, epochs: readonly Epoch[]) => void;
};

type WaitingHint = { readonly entry: PositionedEntry; readonly arrivedAtMs: number };
type Waiter = { readonly position: number; readonly resolve: () => void };

export class LogFollower {
  readonly #options: FollowerOptions;
  readonly #clock: Clock;
  readonly #reads: TimelyReads;
  readonly #channel: string;
  readonly #waitingHints = new Map<number, WaitingHint>();
  /** Hints that arrived before the head was known; undefined afterwards. */
  #earlyHints: Hint[] | undefined = [];
  readonly #waiters = new Set<Waiter>();
  #cursor = 0;
  #head: LogHead = { epoch: 0, endPosition: 0, beginPosition: 0, messageId: 0 };
  #epochs: readonly Epoch[] = [];
  #heardFromPostgresAtMs = -Infinity;
  #lastAwayAtMs = -Infinity;
  #headChecksRequested = 0;
  #headCheckTaken = 0;
  #enteringEpoch: Promise<void> | undefined;
  #repair: Promise<void> | undefined;
  #reorderTimer: Timer | undefined;
  #headTimer: Timer | undefined;
  /** The cursor when it was settled last. */
  #settledAt = 0;
  #stopped = false;
  readonly #onReady = (): void => {
    // Resolved when the connection is subscribed: later commits send hints, and earlier entries are read now, or with the first head.
    void this.#subscribe().then(() =>
      this.#stopped || this.#earlyHints !== undefined ? undefined : this.checkHead(),
    );
  };
  readonly #onMessage = (channel: string, text: string): void => {
    if (channel !== this.#channel) return;
    const hint = decodeHint(text);
    if (hint !== undefined) this.#takeHint(hint);
  };

  private constructor(options: FollowerOptions) {
    this.#options = options;
    this.#clock = options.clock;
    this.#reads = new TimelyReads(options.pool, readTimeoutMs);
    this.#channel = hintChannel(options.keyPrefix);
  }

  /**
   * Subscribes, reads the head and follows from there. It subscribes first and buffers hints, so nothing is missed between the two. It also
   * starts without Redis; the head check then works alone.
   *
   * @throws errors of the reads; then it has stopped
   */
  static async start(options: FollowerOptions): Promise<LogFollower> {
    const follower = new LogFollower(options);
    try {
      await follower.#begin();
    } catch (error) {
      await follower.stop();
      throw error;
    }
    return follower;
  }

  async #begin(): Promise<void> {
    const { clock, onStart, subscriber } = this.#options;
    subscriber.on('message', this.#onMessage);
    subscriber.on('ready', this.#onReady);
    const subscribed = this.#subscribe();
    await Promise.race([
      subscribed,
      new Promise<void>((resolve) => {
        clock.after(subscribeMaxMs, resolve).unref();
      }),
    ]);
    const askedAtMs = clock.elapsedMs();
    // The head is read first, so that the next head check enters an epoch that opens between the two reads.
    this.#head = await this.#read(readHead);
    this.#epochs = await this.#read(readEpochs);
    this.#cursor = this.#head.endPosition;
    this.#settledAt = this.#cursor;
    this.#heardFromPostgresAtMs = askedAtMs;
    onStart?.(this.#head);
    const early = this.#earlyHints ?? [];
    this.#earlyHints = undefined;
    for (const hint of early) this.#takeHint(hint);
    this.#scheduleHeadCheck();
  }

  /** The last position passed on. */
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

  /** @returns how long every head check has been answered, in milliseconds; Infinity if none ever failed */
  get answeredForMs(): number {
    return this.#clock.elapsedMs() - this.#lastAwayAtMs;
  }

  /** @returns whether Postgres confirmed this follower's knowledge of the head within `withinMs` */
  isCurrent(withinMs = 1_000): boolean {
    return this.heardAgoMs <= withinMs && !this.#stopped;
  }

  /** @returns how long ago the newest answered head check was sent, in milliseconds */
  get heardAgoMs(): number {
    return this.#clock.elapsedMs() - this.#heardFromPostgresAtMs;
  }

  /**
   * Waits until everything up to `position` was passed on, and reads entries without hints from Postgres.
   *
   * @returns false if that did not happen within `timeoutMs`
   */
  async waitFor(position: number, timeoutMs: number): Promise<boolean> {
    if (this.#cursor >= position) return true;
    let timer: Timer | undefined;
    const reached = await new Promise<boolean>((resolve) => {
      const waiter: Waiter = { position, resolve: () => resolve(true) };
      this.#waiters.add(waiter);
      timer = this.#clock.after(timeoutMs, () => {
        this.#waiters.delete(waiter);
        resolve(false);
      });
      this.#scheduleRepair('waiter');
    });
    timer?.cancel();
    return reached;
  }

  /**
   * Checks the head, and reads what is missing.
   *
   * @returns whether nothing is missing, and nothing was passed on since the last call
   */
  async settle(): Promise<boolean> {
    const head = await this.checkHead();
    const isBehind =
      head === undefined || head.endPosition > this.#cursor || this.#waitingHints.size > 0;
    if (isBehind) await pauseShortly(this.#clock, reorderWaitMs);
    await this.#repair;
    const wasSettled = !isBehind && this.#cursor === this.#settledAt;
    this.#settledAt = this.#cursor;
    return wasSettled;
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#headTimer?.cancel();
    this.#reorderTimer?.cancel();
    this.#options.subscriber.off('message', this.#onMessage);
    this.#options.subscriber.off('ready', this.#onReady);
    await this.#repair;
  }

  async #subscribe(): Promise<void> {
    const { subscriber, log } = this.#options;
    await subscriber.subscribe(this.#channel).catch((error: unknown) => {
      log.info({ err: error }, 'hints of the log cannot be followed on Redis for now');
    });
  }

  #takeHint(hint: Hint): void {
    if (this.#stopped) return;
    if (this.#earlyHints !== undefined) {
      this.#earlyHints.push(hint);
      // It is not known yet which hints are needed; the head that is read next is newer than the dropped ones.
      if (this.#earlyHints.length > waitingHintsMax) {
        hintsDroppedTotal.inc();
        this.#earlyHints.shift();
      }
      return;
    }
    // The head check handles other epochs, because it knows how epochs connect.
    if (hint.epoch !== this.#head.epoch) return;
    const arrivedAtMs = this.#clock.elapsedMs();
    for (const entry of hint.entries) {
      if (entry.position > this.#cursor)
        this.#waitingHints.set(entry.position, { entry, arrivedAtMs });
    }
    if (this.#waitingHints.size > waitingHintsMax) {
      hintsDroppedTotal.inc(this.#waitingHints.size);
      this.#waitingHints.clear();
    }
    this.#takeWaitingHints();
  }

  #takeWaitingHints(): void {
    const taken: PositionedEntry[] = [];
    let oldestArrivalMs = Infinity;
    let cursor = this.#cursor;
    for (
      let next = this.#waitingHints.get(cursor + 1);
      next !== undefined;
      next = this.#waitingHints.get(cursor + 1)
    ) {
      const { entry, arrivedAtMs } = next;
      this.#waitingHints.delete(entry.position);
      taken.push(entry);
      oldestArrivalMs = Math.min(oldestArrivalMs, arrivedAtMs);
      cursor = entry.position + entry.length - 1;
    }
    this.#passOn(taken, oldestArrivalMs);
    if (this.#waitingHints.size > 0) this.#scheduleRepair('reorder');
  }

  /** @param oldestArrivalMs when the first hint of them arrived; Infinity without a hint */
  #passOn(entries: readonly PositionedEntry[], oldestArrivalMs = Infinity): void {
    const last = entries.at(-1);
    if (last === undefined) return;
    this.#cursor = this.#skipEpochEnds(last.position + last.length - 1);
    this.#options.onEntries(entries);
    // They wait in the order of arrival, not of positions.
    let oldestMs = oldestArrivalMs;
    for (const [position, { arrivedAtMs }] of this.#waitingHints) {
      if (position > this.#cursor) continue;
      this.#waitingHints.delete(position);
      oldestMs = Math.min(oldestMs, arrivedAtMs);
    }
    if (oldestMs < Infinity) hintDelay.observe((this.#clock.elapsedMs() - oldestMs) / 1_000);
    this.#resolveWaiters();
  }

  #resolveWaiters(): void {
    for (const waiter of this.#waiters) {
      if (waiter.position > this.#cursor) continue;
      this.#waiters.delete(waiter);
      waiter.resolve();
    }
  }

  #scheduleRepair(foundBy: 'reorder' | 'head' | 'waiter'): void {
    if (this.#reorderTimer !== undefined || this.#stopped) return;
    const cursorBefore = this.#cursor;
    this.#reorderTimer = this.#clock.shortly(reorderWaitMs, () => {
      this.#reorderTimer = undefined;
      // In the meantime hints may have moved the cursor; the waiting ones have a separate timer.
      const isBehind =
        this.#waitingHints.size > 0 ||
        this.#head.endPosition > this.#cursor ||
        this.#waiters.size > 0;
      if (!isBehind) return;
      if (this.#cursor !== cursorBefore && foundBy === 'reorder') this.#scheduleRepair('reorder');
      else this.#startRepair(foundBy);
    });
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
    let gapAt: number | undefined;
    for (;;) {
      const after = this.#cursor;
      const entries = await this.#read(async (database) =>
        readEntriesAfter(database, after, entriesPerRead),
      );
      if (this.#stopped) return;
      // Hints may have moved the cursor during the read.
      const missing = entries.filter((entry) => entry.position > this.#cursor);
      const following = this.#following(missing);
      if (following.length > 0) {
        repairsTotal.inc({ found_by: foundBy });
        this.#passOn(following);
      }
      if (following.length < missing.length) {
        if (gapAt === this.#cursor) {
          this.#reset('the log does not continue at the position of this follower');
          return;
        }
        // The entry may begin an epoch that opened after the last head check.
        gapAt = this.#cursor;
        await this.#enterEpoch();
      } else if (entries.length < entriesPerRead) {
        break;
      }
    }
    this.#takeWaitingHints();
  }

  /** @returns the leading entries that follow the cursor without a gap */
  #following(entries: readonly PositionedEntry[]): PositionedEntry[] {
    let cursor = this.#cursor;
    const following: PositionedEntry[] = [];
    for (const entry of entries) {
      if (entry.position !== cursor + 1) break;
      following.push(entry);
      cursor = this.#skipEpochEnds(entry.position + entry.length - 1);
    }
    return following;
  }

  /** After the end of an epoch, the next position is the start of the next epoch. */
  #skipEpochEnds(position: number): number {
    let reached = position;
    for (const epoch of this.#epochs) {
      if (reached === epoch.previousEndPosition && epoch.startPosition > reached)
        reached = epoch.startPosition;
    }
    return reached;
  }

  /**
   * Enters epochs that opened since the last check, if they contain everything that this follower has read; otherwise everything derived
   * from the log is void.
   */
  async #enterEpoch(): Promise<void> {
    this.#enteringEpoch ??= this.#checkEpochs().finally(() => {
      this.#enteringEpoch = undefined;
    });
    return this.#enteringEpoch;
  }

  async #checkEpochs(): Promise<void> {
    // The head is read first, so that the epochs read next include its epoch.
    const head = await this.#read(readHead);
    const epochs = await this.#read(readEpochs);
    const isAmong = (epoch: Epoch, others: readonly Epoch[]): boolean =>
      others.some(
        (other) =>
          other.epoch === epoch.epoch &&
          other.startPosition === epoch.startPosition &&
          other.previousEndPosition === epoch.previousEndPosition,
      );
    // A backup from before this epoch numbers its epochs again.
    const isSameHistory = this.#epochs.every((epoch) => isAmong(epoch, epochs));
    const hasKeptAll = epochs.every(
      (epoch) => isAmong(epoch, this.#epochs) || this.#cursor <= epoch.previousEndPosition,
    );
    // Waiting hints of the old epoch may belong to its lost end.
    if (head.epoch !== this.#head.epoch) this.#waitingHints.clear();
    this.#head = head;
    this.#epochs = epochs;
    if (!isSameHistory || !hasKeptAll) {
      this.#reset('a new epoch of the log lost entries that this follower had read');
      return;
    }
    this.#cursor = this.#skipEpochEnds(this.#cursor);
    this.#resolveWaiters();
  }

  #reset(reason: string): void {
    const { log, onReset } = this.#options;
    log.error({ cursor: this.#cursor, head: this.#head }, reason);
    this.#cursor = this.#head.endPosition;
    this.#waitingHints.clear();
    onReset(this.#head, this.#epochs);
    this.#resolveWaiters();
  }

  #read<Result>(read: (database: Queryable) => Promise<Result>): Promise<Result> {
    return this.#reads.read(read);
  }

  #scheduleHeadCheck(): void {
    if (this.#stopped) return;
    this.#headTimer = this.#clock.after(headCheckIntervalMs, () => {
      void this.checkHead().finally(() => this.#scheduleHeadCheck());
    });
  }

  /**
   * Compares the cursor with Postgres' head, now.
   *
   * @returns the head, or undefined if Postgres did not answer
   */
  async checkHead(): Promise<LogHead | undefined> {
    const askedAtMs = this.#clock.elapsedMs();
    this.#headChecksRequested += 1;
    const requested = this.#headChecksRequested;
    try {
      const head = await this.#read(readHead);
      // If a later check was answered first, this answer is outdated and must not set the epoch back.
      if (requested < this.#headCheckTaken) return this.#head;
      this.#headCheckTaken = requested;
      if (head.epoch !== this.#head.epoch) await this.#enterEpoch();
      if (head.epoch === this.#head.epoch) this.#head = head;
      this.#heardFromPostgresAtMs = Math.max(this.#heardFromPostgresAtMs, askedAtMs);
      if (this.#head.endPosition > this.#cursor) this.#scheduleRepair('head');
      return this.#head;
    } catch (error) {
      this.#lastAwayAtMs = this.#clock.elapsedMs();
      this.#options.log.warn({ err: error }, 'the head of the log could not be read');
      return undefined;
    }
  }
}
