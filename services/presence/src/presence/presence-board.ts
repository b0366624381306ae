/**
 * The organization's presence in one replica. Redis has the state that all replicas share, and Postgres keeps a copy for when Redis loses
 * it. Redis is used only after it was filled. A replica that finds it empty, or reconnects to it, fills it from Postgres and from its own
 * waiting reports. While Redis is down, this replica judges reports by its own state and by what the others write to Postgres.
 */
import type { Clock, Timer } from '@parley/clock';
import type { Pool } from '@parley/database';
import type { EventLog } from '@parley/event-log';
import { faultLogger } from '@parley/server';
import type { Logger } from '@parley/telemetry/logging';
import {
  SharedPresence,
  applyReport,
  statesByUser,
  takeStates,
} from '@parley/store/presence-state';
import type { AppliedReport, ClientStates, Report } from '@parley/store/presence-state';
import { onMayBeBack, onMayHaveLost } from '@parley/cluster/redis';
import type { Redis } from '@parley/cluster/redis';
import { listPresence } from '@parley/store';
import type { PresencePerson } from '@parley/store';
import { Counter, Gauge } from 'prom-client';
import type { Registry } from 'prom-client';

import { PeopleList } from './people-list.ts';
import { RealmPresence } from './realm-presence.ts';
import type { RealmAnswer } from './realm-presence.ts';
import { WriteBack } from './write-back.ts';
import type { Written } from './write-back.ts';

export type PresenceBoardOptions = {
  readonly clock: Clock;
  readonly pool: Pool;
  readonly redis: Redis;
  readonly keyPrefix: string;
  readonly eventLog: EventLog;
  readonly log: Logger;
  readonly registry: Registry;
};

/** While Redis is down, the interval for reading the reports of other replicas from Postgres. */
const postgresReadIntervalMs = 1_000;

/**
 * In the data that answers to reports share, the times of reports may be this old. Who is present, with which address and status, is as of
 * the report (decision 0046).
 */
const sharedForMs = 1_000;

/**
 * How often, and for which time, the state in Redis is written to Postgres again: another replica may have died before it wrote its part.
 */
const sweepIntervalMs = 60_000;
const sweptMs = 300_000;

export class PresenceBoard {
  readonly #options: PresenceBoardOptions;
  readonly #shared: SharedPresence;
  readonly #writeBack: WriteBack;
  readonly #people: PeopleList;
  readonly #realm = new RealmPresence();
  readonly #withoutRedis: Counter;
  readonly #sweep: Timer;
  readonly #logFault: (error: unknown) => void;
  #renewing: Promise<void> | undefined;
  #renewedAtMs = -Infinity;
  /** The number of news that the shared parts contain. */
  #renewedNews = -1;
  /** The people in the shared parts. */
  #renewedPeople: ReadonlyMap<number, PresencePerson> | undefined;
  #mustFill = true;
  #filling: Promise<void> | undefined;
  #sweeping: Promise<void> | undefined;
  #postgresReadAtMs = -Infinity;
  #readingPostgres: Promise<void> | undefined;
  #isStopped = false;

  constructor(options: PresenceBoardOptions) {
    this.#options = options;
    const { clock, pool, redis, eventLog, log, registry } = options;
    this.#shared = new SharedPresence(options);
    this.#people = new PeopleList(pool);
    this.#logFault = faultLogger(
      log,
      'presence is served without Redis, though Redis is there',
      clock,
    );
    this.#writeBack = new WriteBack({
      clock,
      pool,
      eventLog,
      log,
      afterCommit: (written) => this.#makeSureOf(written),
    });
    this.#withoutRedis = new Counter({
      name: 'parley_presence_without_redis_total',
      help: 'Reports and reads of presence served from memory and Postgres because Redis was unavailable',
      registers: [registry],
    });
    const waitingCount = (): number => this.#writeBack.waitingCount;
    new Gauge({
      name: 'parley_presence_people_waiting',
      help: 'People with reports not yet in Postgres; those reports are lost if this replica and Redis fail together',
      registers: [registry],
      collect() {
        this.set(waitingCount());
      },
    });
    onMayHaveLost(redis, () => {
      this.#mustFill = true;
    });
    onMayBeBack(redis, () => this.#fillInBackground());
    this.#sweep = clock.every(sweepIntervalMs, () => this.#sweepRecent());
  }

  /** Accepts a report of a person's client. */
  async report(userId: number, report: Report): Promise<void> {
    const { taken: state, ...judged } = await this.#judge(userId, report);
    if (state !== undefined)
      this.#writeBack.add({ userId, client: report.client, state, ...judged });
  }

  /** @returns what is known of a person's clients, as of the call */
  async read(userId: number): Promise<ClientStates | undefined> {
    await this.#refresh();
    return this.#shared.states.get(userId);
  }

  /** @returns the answer with everybody's presence, as of the call */
  async answerRealm(takesGzip: boolean): Promise<RealmAnswer> {
    await this.#refresh();
    await this.#renew();
    return this.#realm.answer(undefined, takesGzip, this.#options.clock.nowMs());
  }

  /**
   * @returns the answer to a report, with everybody's presence: the reporter's state and news about others are as of the report, the rest
   *   is at most `sharedForMs` older
   */
  async answerReport(userId: number, takesGzip: boolean): Promise<RealmAnswer> {
    const { clock } = this.#options;
    const isOld = clock.elapsedMs() - this.#renewedAtMs >= sharedForMs;
    const people = await this.#people.get(this.#shared.states);
    if (isOld || this.#renewedNews !== this.#shared.newsCount || this.#renewedPeople !== people)
      // A running renewal reads the states at its end, so it will contain this report.
      await (this.#renewing ??= this.#renew().finally(() => {
        this.#renewing = undefined;
      }));
    // A renewal that was already running may lack the newest change of an account.
    if (this.#renewedPeople !== people) await this.#renew();
    const states = this.#shared.states.get(userId);
    const reporter = states === undefined ? undefined : { userId, states };
    return this.#realm.answer(reporter, takesGzip, clock.nowMs());
  }

  /**
   * Writes what is waiting to Postgres, and to a Redis that has lost it.
   *
   * @returns whether there was nothing
   */
  async settle(): Promise<boolean> {
    const underWay = [this.#filling, this.#sweeping].filter((work) => work !== undefined);
    await Promise.allSettled(underWay);
    return (await this.#writeBack.settle()) && underWay.length === 0;
  }

  /** Writes what is waiting, and accepts nothing after that. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#sweep.cancel();
    await this.#filling?.catch(() => undefined);
    await this.#writeBack.stop();
  }

  /** Updates the shared data: presence as of the end of the renewal, addresses and activity as of the call. */
  async #renew(): Promise<void> {
    const { states } = this.#shared;
    const { clock } = this.#options;
    const calledAtMs = clock.elapsedMs();
    const people = await this.#people.get(states);
    this.#realm.renew(states, people, clock.nowMs());
    this.#renewedAtMs = calledAtMs;
    this.#renewedNews = this.#shared.newsCount;
    this.#renewedPeople = people;
  }

  async #judge(
    userId: number,
    report: Report,
  ): Promise<AppliedReport & { readonly generation: string }> {
    try {
      return await this.#filled(() => this.#shared.report(userId, report));
    } catch (error) {
      this.#logFault(error);
      await this.#readPostgres();
    }
    const { taken, isNews } = applyReport(this.#shared.states.get(userId) ?? new Map(), report);
    if (taken !== undefined)
      this.#shared.adopt(new Map([[userId, new Map([[report.client, taken]])]]));
    return { taken, isNews, generation: '' };
  }

  async #refresh(): Promise<void> {
    try {
      await this.#filled(async () => (await this.#shared.refresh()) || undefined);
    } catch (error) {
      this.#logFault(error);
      await this.#readPostgres();
    }
  }

  /** Asks Redis, after filling it if necessary. */
  async #filled<Answer>(ask: () => Promise<Answer | undefined>): Promise<Answer> {
    // A running filling may be for this Redis, which could otherwise answer before it has the reports from its downtime.
    if (this.#mustFill || this.#filling !== undefined) await this.#fill();
    const answer = await ask();
    if (answer !== undefined) return answer;
    this.#mustFill = true;
    await this.#fill();
    const second = await ask();
    if (second === undefined)
      throw new Error('Redis lost presence again right after it was filled');
    return second;
  }

  async #fill(): Promise<void> {
    this.#filling ??= this.#fillOnce().finally(() => {
      this.#filling = undefined;
    });
    await this.#filling;
  }

  async #fillOnce(): Promise<void> {
    this.#mustFill = false;
    try {
      // Waiting reports are copied before Postgres is read, so each report is in at least one of the two.
      const known = this.#writeBack.waiting;
      takeStates(known, statesByUser(await listPresence(this.#options.pool)));
      await this.#shared.merge(known, true);
    } catch (error) {
      this.#mustFill = true;
      throw error;
    }
  }

  /**
   * Gives Redis the written states, unless it already had them and has not lost them since: another replica may have filled it from
   * Postgres before the commit. The current rows of Postgres count, not the rows that were written.
   */
  async #makeSureOf({ userIds, generations }: Written): Promise<void> {
    // Redis will be filled from Postgres when it is reachable again.
    if (this.#mustFill) return;
    try {
      await this.#filled(async () => (await this.#shared.refresh()) || undefined);
      if ([...generations].every((generation) => generation === this.#shared.generation)) return;
      const rows = await listPresence(this.#options.pool, userIds);
      await this.#shared.merge(statesByUser(rows), false);
    } catch (error) {
      this.#logFault(error);
      this.#mustFill = true;
    }
  }

  #fillInBackground(): void {
    if (!this.#mustFill || this.#isStopped) return;
    // If this fails, the next report or read repeats it.
    this.#fill().catch((error: unknown) =>
      this.#options.log.warn({ err: error }, 'presence could not be written to Redis'),
    );
  }

  /** The state that is known without Redis. */
  async #readPostgres(): Promise<void> {
    this.#withoutRedis.inc();
    const { clock } = this.#options;
    if (clock.elapsedMs() - this.#postgresReadAtMs < postgresReadIntervalMs) return;
    this.#readingPostgres ??= this.#readPostgresOnce().finally(() => {
      this.#readingPostgres = undefined;
    });
    await this.#readingPostgres;
  }

  async #readPostgresOnce(): Promise<void> {
    const readAtMs = this.#options.clock.elapsedMs();
    this.#shared.adopt(statesByUser(await listPresence(this.#options.pool)));
    this.#postgresReadAtMs = readAtMs;
  }

  #sweepRecent(): void {
    // Needed only with Redis: without it, the local state is already being written to Postgres.
    this.#sweeping ??= this.#writeRecent()
      .catch(this.#logFault)
      .finally(() => {
        this.#sweeping = undefined;
      });
  }

  async #writeRecent(): Promise<void> {
    const sinceMs = this.#options.clock.nowMs() - sweptMs;
    if (!(await this.#shared.refresh()) || this.#isStopped) return;
    const { generation } = this.#shared;
    for (const [userId, states] of this.#shared.states)
      for (const [client, state] of states)
        if (state.reportedAtMs >= sinceMs)
          this.#writeBack.add({ userId, client, state, isNews: false, generation });
  }
}
