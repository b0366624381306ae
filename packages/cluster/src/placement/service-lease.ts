import type { Clock, Timer } from '@parley/clock';
import type { Queryable } from '@parley/database';
import { leasesChannel } from '../redis/index.ts';

import type { HintPublisher } from './lease-hint.ts';
import { deleteLease, renewLease } from './leases-table.ts';

/** Renewals, in milliseconds; see `leaseLifetimeMs`. */
const renewIntervalMs = 1_000;

/** The part of a logger that a lease uses; a pino logger fits. */
type LeaseLog = {
  warn(fields: Record<string, unknown>, text: string): void;
  info(fields: Record<string, unknown>, text: string): void;
};

export type ServiceLeaseOptions = {
  readonly clock: Clock;
  readonly database: Queryable;
  /** For hints of begin and end; a lost hint costs gateways a third of a second. */
  readonly redis: HintPublisher;
  readonly keyPrefix: string;
  readonly service: string;
  readonly nodeId: string;
  /** `host:port` under which gateways reach this process. */
  readonly address: string;
  /** Called before each renewal. While it returns false the lease is not renewed (for event nodes, while their follower is behind). */
  readonly isCurrent?: () => boolean;
  readonly log: LeaseLog;
};

/**
 * This process' row in `service_leases`. It is renewed every second while `isCurrent` is true, and lapses four seconds after the last
 * renewal by Postgres' clock. So a paused or disconnected process loses its lease automatically, and a draining process gives it up before
 * it stops accepting requests.
 */
export class ServiceLease {
  readonly #options: ServiceLeaseOptions;
  #timer: Timer | undefined;
  #renewal: Promise<void> = Promise.resolve();
  #isRenewing = false;
  #isEnded = false;
  #isFailing = false;

  constructor(options: ServiceLeaseOptions) {
    this.#options = options;
  }

  /**
   * Takes the lease (if the service is current) and keeps it until `end`. Called when the service already accepts requests.
   *
   * @throws what Postgres throws when the first row cannot be written
   */
  async start(): Promise<void> {
    if (this.#options.isCurrent?.() !== false)
      await renewLease(this.#options.database, this.#options);
    this.#hint();
    // The timer must not keep the process alive.
    this.#timer = this.#options.clock.every(renewIntervalMs, () => this.#renew()).unref();
  }

  /** @returns whether no renewal was under way; otherwise waits for it */
  async settle(): Promise<boolean> {
    const wasRenewing = this.#isRenewing;
    await this.#renewal;
    return !wasRenewing;
  }

  /**
   * Gives the lease up: gateways stop choosing this process. Called first when a service drains. Does not throw: a row that
   * cannot be deleted lapses by itself.
   */
  async end(): Promise<void> {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#timer?.cancel();
    // A running renewal would insert the row again after its deletion.
    await this.#renewal;
    try {
      await deleteLease(this.#options.database, this.#options.nodeId);
    } catch (error) {
      this.#options.log.warn({ err: error }, 'the lease could not be deleted and will expire');
    }
    this.#hint();
  }

  #renew(): void {
    const { clock, database, isCurrent, log } = this.#options;
    if (this.#isEnded || this.#isRenewing || isCurrent?.() === false) return;
    this.#isRenewing = true;
    const beganAtMs = clock.elapsedMs();
    this.#renewal = renewLease(database, this.#options)
      .then(() => {
        if (this.#isFailing) log.info({}, 'the lease is renewed again');
        this.#isFailing = false;
      })
      .catch((error: unknown) => {
        if (!this.#isFailing) log.warn({ err: error }, 'the lease cannot be renewed');
        this.#isFailing = true;
      })
      .finally(() => {
        this.#isRenewing = false;
        // The next one was due meanwhile, and nothing else would begin it before another interval has passed.
        if (clock.elapsedMs() - beganAtMs >= renewIntervalMs) this.#renew();
      });
  }

  #hint(): void {
    const { redis, keyPrefix, nodeId, log } = this.#options;
    redis.publish(leasesChannel(keyPrefix), nodeId).catch((error: unknown) => {
      log.info({ err: error }, 'the lease could not be hinted on Redis');
    });
  }
}
