/**
 * A gateway's view of the other processes: the nodes with leases, and the accounts whose credentials changed. One small statement reads
 * both three times a second, and at once after a hint on Redis, on a separate connection, so that it never waits for requests.
 *
 * - Leases are judged by Postgres' clock at the moment of the read.
 * - While Postgres is down, the last list stays in use and connection failures decide.
 * - `heardWithinMs` returns the age of the view: caches that account changes invalidate are used only while it is recent, and otherwise the
 * store is asked (architecture, The log).
 */
import type { Clock, Timer } from '@parley/clock';
import type { Pool } from '@parley/database';
import { TimelyReads, createPool } from '@parley/database';
import { accountsChannel, leasesChannel } from '../redis/index.ts';

import type { HintSubscriber } from './lease-hint.ts';
import { readLeasesAndAccountChanges } from './leases-table.ts';
import type { LiveNode } from './live-node.ts';

const readIntervalMs = 300;

/** A longer read counts as failed. */
const readTimeoutMs = 1_000;

/** By then a read is of no use, but its answer shows that Postgres is slow and not away. */
const lateReadMaxMs = 15_000;

/** This long without an answer of Postgres counts as an outage, during which services could not renew either. */
const outageMs = 1_500;

/** After an outage, a node that had a lease before it has this long to renew it. */
const graceAfterOutageMs = 3_000;

type LiveServicesLog = {
  warn(fields: Record<string, unknown>, text: string): void;
  info(fields: Record<string, unknown>, text: string): void;
};

export type LiveServicesOptions = {
  readonly clock: Clock;
  readonly databaseUrl: string;
  /** Its loss costs a third of a second per change. */
  readonly subscriber: HintSubscriber;
  readonly keyPrefix: string;
  readonly applicationName?: string;
  readonly log: LiveServicesLog;
};

/** live: holds its lease; lapsed: lost it without giving it up (dead, paused or cut off); gone: gave it up, or long dead. */
export type LeaseState = 'live' | 'lapsed' | 'gone';

export class LiveServices {
  readonly #options: LiveServicesOptions;
  readonly #clock: Clock;
  readonly #pool: Pool;
  readonly #reads: TimelyReads;
  readonly #channels: readonly string[];
  readonly #leaseListeners = new Set<() => void>();
  readonly #accountListeners = new Set<(userIds: readonly number[]) => void>();
  #byService = new Map<string, readonly LiveNode[]>();
  #states = new Map<string, LeaseState>();
  #accountPosition: number | null = null;
  #heardAtMs = Number.NEGATIVE_INFINITY;
  #graceUntilMs = Number.NEGATIVE_INFINITY;
  #timer: Timer | undefined;
  #reading: Promise<void> | undefined;
  #isHinted = false;
  #isStopped = false;
  #isFailing = false;
  /** Whether something has changed since it was settled last. */
  #hasChanged = false;
  readonly #onHint: (channel: string) => void;
  readonly #subscribe = (): void => {
    const { subscriber, log } = this.#options;
    subscriber.subscribe(...this.#channels).catch((error: unknown) => {
      log.info({ err: error }, 'hints of leases and accounts cannot be followed on Redis for now');
    });
  };

  constructor(options: LiveServicesOptions) {
    this.#options = options;
    this.#clock = options.clock;
    this.#pool = createPool({
      databaseUrl: options.databaseUrl,
      clock: options.clock,
      applicationName: options.applicationName ?? 'parley-live-services',
      connectionsMax: 1,
      connectTimeoutMs: readTimeoutMs,
      statementTimeoutMs: lateReadMaxMs,
      onError: (error) => options.log.info({ err: error }, 'the connection for leases was lost'),
    });
    this.#reads = new TimelyReads(this.#pool, readTimeoutMs);
    this.#channels = [leasesChannel(options.keyPrefix), accountsChannel(options.keyPrefix)];
    this.#onHint = (channel) => {
      if (this.#channels.includes(channel)) this.#readSoon();
    };
  }

  /**
   * Reads once and keeps reading. If the first read fails, the list is empty until Postgres answers.
   */
  async start(): Promise<void> {
    const { subscriber } = this.#options;
    subscriber.on('message', this.#onHint);
    subscriber.on('ready', this.#subscribe);
    this.#subscribe();
    await this.#read();
  }

  /** Stops reading and closes the connection. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#timer?.cancel();
    const { subscriber } = this.#options;
    subscriber.off('message', this.#onHint);
    subscriber.off('ready', this.#subscribe);
    await this.#reading;
    await this.#pool.end();
  }

  /** The nodes of a service that hold leases, ordered by node id. */
  nodes(service: string): readonly LiveNode[] {
    return this.#byService.get(service) ?? [];
  }

  stateOf(nodeId: string): LeaseState {
    return this.#states.get(nodeId) ?? 'gone';
  }

  /** Whether Postgres has answered a read that began within the last `ms` milliseconds. */
  heardWithinMs(ms: number): boolean {
    return this.#clock.elapsedMs() - this.#heardAtMs < ms;
  }

  /** Calls `listener` after each read that changed the list or a state. Returns a function that stops it. */
  onLeasesChanged(listener: () => void): () => void {
    this.#leaseListeners.add(listener);
    return () => this.#leaseListeners.delete(listener);
  }

  /** Calls `listener` with users whose key, role or activity changed. Returns how to stop that. */
  onAccountsChanged(listener: (userIds: readonly number[]) => void): () => void {
    this.#accountListeners.add(listener);
    return () => this.#accountListeners.delete(listener);
  }

  /**
   * Waits for a read that began after this call. If Postgres is down, it gives up after the time limit of two reads, and the last list stays
   * in use.
   */
  async readAgain(): Promise<void> {
    await this.#reading;
    if (this.#reading === undefined) this.#readSoon();
    await this.#reading;
  }

  /**
   * Reads now.
   *
   * @returns whether that succeeded, and nothing has changed since the last call
   */
  async settle(): Promise<boolean> {
    await this.readAgain();
    const wasSettled = !this.#isFailing && !this.#hasChanged;
    this.#hasChanged = false;
    return wasSettled;
  }

  #readSoon(): void {
    if (this.#isStopped) return;
    if (this.#reading !== undefined) {
      // The running read may have begun before the hinted change was committed.
      this.#isHinted = true;
      return;
    }
    this.#timer?.cancel();
    void this.#read();
  }

  async #read(): Promise<void> {
    this.#isHinted = false;
    this.#reading = this.#readOnce();
    await this.#reading;
    this.#reading = undefined;
    if (this.#isStopped) return;
    if (this.#isHinted) void this.#read();
    else this.#timer = this.#clock.after(readIntervalMs, () => void this.#read()).unref();
  }

  async #readOnce(): Promise<void> {
    const beganAtMs = this.#clock.elapsedMs();
    try {
      const found = await this.#reads.read((database) =>
        readLeasesAndAccountChanges(database, this.#accountPosition),
      );
      if (this.#isFailing) this.#options.log.info({}, 'leases are read again');
      this.#isFailing = false;
      if (beganAtMs - this.#heardAtMs > outageMs)
        this.#graceUntilMs = beganAtMs + graceAfterOutageMs;
      this.#takeLeases(found.leases, beganAtMs < this.#graceUntilMs);
      this.#accountPosition = found.newestPosition;
      if (found.changedUserIds.length > 0) {
        this.#hasChanged = true;
        for (const listener of this.#accountListeners) listener(found.changedUserIds);
      }
      // Set last: until here, entries that listeners drop could have been served as current.
      this.#heardAtMs = beganAtMs;
    } catch (error) {
      if (!this.#isFailing) {
        this.#options.log.warn(
          { err: error },
          'leases cannot be read; the last known ones stay in use',
        );
      }
      this.#isFailing = true;
    }
  }

  #takeLeases(
    rows: readonly { node_id: string; service: string; address: string; is_live: boolean }[],
    inGrace: boolean,
  ): void {
    const states = new Map<string, LeaseState>();
    const byService = new Map<string, LiveNode[]>();
    for (const row of rows) {
      const isLive = row.is_live || (inGrace && this.stateOf(row.node_id) === 'live');
      states.set(row.node_id, isLive ? 'live' : 'lapsed');
      if (!isLive) continue;
      const nodes = byService.get(row.service) ?? [];
      nodes.push({ nodeId: row.node_id, service: row.service, address: row.address });
      byService.set(row.service, nodes);
    }
    const hasChanged =
      states.size !== this.#states.size ||
      states.entries().some(([nodeId, state]) => this.#states.get(nodeId) !== state) ||
      rows.some(
        (row) =>
          this.#addressOf(row.service, row.node_id) !== row.address &&
          states.get(row.node_id) === 'live',
      );
    if (!hasChanged) return;
    this.#states = states;
    this.#byService = byService;
    this.#hasChanged = true;
    for (const listener of this.#leaseListeners) listener();
  }

  #addressOf(service: string, nodeId: string): string | undefined {
    return this.nodes(service).find((node) => node.nodeId === nodeId)?.address;
  }
}
