import type { Clock } from '@parley/clock';
import { audienceKey, changeEntry } from '@parley/event-log';
import type { EventLog, EventPart } from '@parley/event-log';
import type { Client, Pool } from '@parley/database';
import type { Logger } from '@parley/telemetry/logging';
import { GatheredRuns } from '@parley/server';
import {
  clientPresence,
  serverTimestamp,
  staleAfterMs,
  takeStates,
} from '@parley/store/presence-state';
import type { ClientState, ClientStates } from '@parley/store/presence-state';
import { findSupersededPresence, lockUsersInUse, trimPresence, writePresence } from '@parley/store';
import type { PresenceRow, User } from '@parley/store';

/** Reports that arrive within this time after a transaction are written by the next one. */
const gatherMs = 1_000;

/** The most events in one entry of the log, so that an entry can be read at once. */
const eventsPerEntry = 200;

/** The most rows that one transaction writes. */
const rowsPerRun = 5_000;

type StatesToWrite = Map<number, ClientStates>;

/** A report that was taken. */
export type TakenReport = {
  readonly userId: number;
  readonly client: string;
  readonly state: ClientState;
  /** Other people receive an event of it. */
  readonly isNews: boolean;
  /** The generation of Redis that contains it, or empty if Redis was down. */
  readonly generation: string;
};

/** The result of a transaction. */
export type Written = {
  readonly userIds: readonly number[];
  /** Of the reports in it. */
  readonly generations: ReadonlySet<string>;
};

/**
 * Writes reports to Postgres, and those that are news to the log, one second of them per transaction. So a register finds in the table
 * everything that earlier entries of the log announced. If the process dies, acknowledged reports of its last second are lost; clients
 * report every minute.
 */
export class WriteBack {
  readonly #pool: Pool;
  readonly #eventLog: EventLog;
  readonly #afterCommit: (written: Written) => Promise<void>;
  readonly #runs: GatheredRuns;
  // Bounded, because a person has a bounded number of clients and newer reports replace older ones while Postgres is down.
  readonly #states: StatesToWrite = new Map();
  #news: StatesToWrite = new Map();
  /** On their way to Postgres. */
  #writing: StatesToWrite = new Map();
  #generations = new Set<string>();
  #writingCount = 0;

  /** @param options.afterCommit receives what is in Postgres now */
  constructor(options: {
    readonly clock: Clock;
    readonly pool: Pool;
    readonly eventLog: EventLog;
    readonly log: Logger;
    readonly afterCommit: (written: Written) => Promise<void>;
  }) {
    this.#pool = options.pool;
    this.#eventLog = options.eventLog;
    this.#afterCommit = options.afterCommit;
    this.#runs = new GatheredRuns({
      clock: options.clock,
      gatherMs,
      run: () => this.#write(),
      log: options.log,
      name: 'writing presence; it is tried again',
    });
  }

  /** What may not be in Postgres yet. */
  get waiting(): Map<number, ClientStates> {
    const waiting = new Map(this.#states);
    takeStates(waiting, this.#writing);
    return waiting;
  }

  /** The number of people with reports that are not written yet, or that may be missing in Redis. */
  get waitingCount(): number {
    return this.#states.size + this.#writingCount;
  }

  add({ userId, client, state, isNews, generation }: TakenReport): void {
    const reported = new Map([[userId, new Map([[client, state]])]]);
    takeStates(this.#states, reported);
    if (isNews) takeStates(this.#news, reported);
    this.#generations.add(generation);
    this.#runs.request();
  }

  /**
   * Writes what is waiting, without gathering more.
   *
   * @returns whether there was nothing
   */
  settle(): Promise<boolean> {
    return this.#runs.settle();
  }

  /** Writes what is waiting, and accepts nothing after that. */
  async stop(): Promise<void> {
    await this.#runs.stop();
  }

  async #write(): Promise<void> {
    const states = takeSome(this.#states, rowsPerRun);
    this.#writingCount = states.size;
    try {
      await this.#writeStates(states);
    } finally {
      this.#writingCount = 0;
    }
  }

  async #writeStates(states: StatesToWrite): Promise<void> {
    const news = this.#news;
    const generations = this.#generations;
    this.#news = new Map();
    this.#writing = states;
    // It is not known to which generation the remaining reports belong.
    this.#generations = new Set(this.#states.size > 0 ? generations : []);
    try {
      await this.#commit(states, news);
    } catch (error) {
      takeStates(this.#states, states);
      takeStates(this.#news, news);
      for (const generation of generations) this.#generations.add(generation);
      this.#runs.request();
      throw error;
    } finally {
      this.#writing = new Map();
    }
    if (this.#states.size > 0) this.#runs.request();
    const userIds = [...states.keys()];
    await this.#afterCommit({ userIds, generations });
    // After the commit: of two replicas that wrote for one person, the later one then sees what both wrote.
    await trimPresence(this.#pool, userIds);
  }

  async #commit(
    states: ReadonlyMap<number, ClientStates>,
    news: ReadonlyMap<number, ClientStates>,
  ): Promise<void> {
    await this.#eventLog.transaction(async (client) => {
      // Locked, so that addresses and activity stay the same until the entry has its position.
      const people =
        news.size === 0 ? [] : await lockUsersInUse(client, { userIds: [...news.keys()] });
      await writePresence(client, rowsOf(states));
      const current = await withoutSuperseded(client, news);
      const events = people
        .filter((person) => person.isActive)
        .flatMap((person) => eventsOf(person, current.get(person.id) ?? new Map()));
      if (events.length === 0) return { result: undefined };
      const entries = Array.from({ length: Math.ceil(events.length / eventsPerEntry) }, (_, n) => ({
        audience: audienceKey.everyone,
        entry: changeEntry({
          events: events.slice(n * eventsPerEntry, (n + 1) * eventsPerEntry),
        }),
      }));
      return { result: undefined, append: { entries } };
    });
  }
}

function rowsOf(states: ReadonlyMap<number, ClientStates>): PresenceRow[] {
  return [...states].flatMap(([userId, clients]) =>
    [...clients].map(([client, state]): PresenceRow => ({ userId, client, ...state })),
  );
}

/** If a client reported to two replicas, the later writer may have the earlier report. It must not be announced after the later report. */
async function withoutSuperseded(
  client: Client,
  news: ReadonlyMap<number, ClientStates>,
): Promise<ReadonlyMap<number, ClientStates>> {
  if (news.size === 0) return news;
  const superseded = await findSupersededPresence(client, rowsOf(news), staleAfterMs);
  const byUser = Map.groupBy(superseded, ({ userId }) => userId);
  return new Map(
    [...news].map(([userId, clients]) => {
      const names = new Set(byUser.get(userId)?.map(({ client: name }) => name));
      return [userId, new Map([...clients].filter(([name]) => !names.has(name)))];
    }),
  );
}

/** Events as the reference facts, events 13.4, have them. */
function eventsOf(person: User, news: ClientStates): EventPart[] {
  return [...news].map(([client, state]): EventPart => ({
    form: 'same',
    audience: { to: 'everyone' },
    event: {
      type: 'presence',
      email: person.email,
      user_id: person.id,
      server_timestamp: serverTimestamp(state.reportedAtMs),
      presence: Object.fromEntries([[client, clientPresence(client, state)]]),
    },
  }));
}

/** Takes people out of a map until they have this many rows. */
function takeSome(source: Map<number, ClientStates>, rowsMax: number): Map<number, ClientStates> {
  const taken = new Map<number, ClientStates>();
  let rows = 0;
  for (const [userId, clients] of source) {
    if (rows >= rowsMax) break;
    rows += clients.size;
    taken.set(userId, clients);
    source.delete(userId);
  }
  return taken;
}
