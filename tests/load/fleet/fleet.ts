import { setTimeout as pause } from 'node:timers/promises';

import { GeneratorProcess } from '../generator-process.ts';
import { Latencies } from '../latencies.ts';
import { messagesOnly, nowMs } from './protocol.ts';
import type {
  Answer,
  Command,
  Counts,
  FleetAccount,
  Followed,
  Outcome,
  TallyReport,
  Window,
} from './protocol.ts';

// Below a process' limit of 20,000 open files, and as many as one core can feed.
const followersPerProcessMax = 9_000;
const receiptDeadlineMs = 60_000;
const lookIntervalMs = 10;
const looksPerCheck = 50;

/** What the followers of all processes counted since the tally began. */
export type FleetTally = Omit<TallyReport, 'latencies'> & { readonly latencies: Latencies };

/** Followers in separate processes, so that their work does not slow down the measuring process. */
export class Fleet {
  readonly followerCount: number;
  readonly #processes: readonly GeneratorProcess<Command, Answer>[];

  /**
   * Starts the processes and registers a queue for each account, of messages unless `parameters` (a form) says otherwise. Followers
   * of the control use no accounts, but need as many entries.
   */
  static async register(
    urls: readonly string[],
    accounts: readonly FleetAccount[],
    atOnce: number,
    of: Followed = 'polls',
    parameters: string = messagesOnly,
  ): Promise<Fleet> {
    const parts: FleetAccount[][] = [];
    for (let from = 0; from < accounts.length; from += followersPerProcessMax)
      parts.push(accounts.slice(from, from + followersPerProcessMax));
    const fleet = new Fleet(parts.length, accounts.length);
    try {
      await fleet.#each((index) => ({
        act: 'register',
        of,
        urls,
        accounts: parts[index] ?? [],
        atOnce: fleet.#shareOf(atOnce),
        parameters,
      }));
      return fleet;
    } catch (error) {
      fleet.stop();
      throw error;
    }
  }

  private constructor(processes: number, followers: number) {
    this.followerCount = followers;
    this.#processes = Array.from(
      { length: processes },
      () => new GeneratorProcess('follower-process.ts'),
    );
  }

  get pids(): readonly number[] {
    return this.#processes.flatMap(({ pids }) => pids);
  }

  /** From now on followers count messages, each of which has to come once. */
  async startTally(firstMessage: number, messagesMax: number, window: Window): Promise<void> {
    await this.#each(() => ({ act: 'tally', firstMessage, messagesMax, window }));
  }

  /** @throws Error if a client observed a fault */
  async readTally(): Promise<FleetTally> {
    const reports = (await this.#each(() => ({ act: 'read-tally' }))) as TallyReport[];
    await this.check();
    return {
      received: sumOf(reports, ({ received }) => received),
      receivedInWindow: sumOf(reports, ({ receivedInWindow }) => receivedInWindow),
      lastReceivedAtMs: Math.max(...reports.map(({ lastReceivedAtMs }) => lastReceivedAtMs)),
      polls: sumOf(reports, ({ polls }) => polls),
      latencies: Latencies.join(reports.map(({ latencies }) => latencies)),
    };
  }

  /** Holds a poll for each follower, and returns when each poll has been sent. */
  async hold(atOnce: number): Promise<Outcome> {
    return this.#join({ act: 'hold', atOnce: this.#shareOf(atOnce) });
  }

  /** Makes all followers hang up. They can be held again when the system has noticed. */
  async release(): Promise<void> {
    await this.#each(() => ({ act: 'release' }));
  }

  /**
   * Waits until the followers together have received this many messages since the tally began.
   *
   * @throws Error if they do not arrive in time, if there are more, or if a follower observed a fault
   */
  async waitForReceived(count: number): Promise<void> {
    const giveUpAtMs = nowMs() + receiptDeadlineMs;
    for (let looks = 0; ; looks += 1) {
      const counts = (await this.#each(() => ({ act: 'count-received' }))) as number[];
      const received = sumOf(counts, (each) => each);
      if (received >= count || looks % looksPerCheck === 0) await this.check();
      if (received > count)
        throw new Error(`${received} messages were received where ${count} were to be`);
      if (received === count) return;
      if (nowMs() > giveUpAtMs)
        throw new Error(`only ${received} of ${count} messages were received`);
      await pause(lookIntervalMs);
    }
  }

  /** Makes all hang up and delete their queues. */
  async leave(atOnce: number): Promise<void> {
    await this.#each(() => ({ act: 'leave', atOnce: this.#shareOf(atOnce) }));
  }

  /**
   * Makes all connect and register at once, and poll from then on.
   *
   * @param parameters of the registers, as a form
   * @returns when all are registered
   */
  async storm(parameters: string): Promise<Outcome> {
    return this.#join({ act: 'storm', parameters });
  }

  async startChurn(holdMaxMs: number): Promise<void> {
    await this.#each(() => ({ act: 'churn', holdMaxMs }));
  }

  async stopChurn(): Promise<void> {
    await this.#each(() => ({ act: 'calm' }));
  }

  /** @throws Error if a client observed a fault */
  async check(): Promise<void> {
    const faults = ((await this.#each(() => ({ act: 'check' }))) as string[][]).flat();
    if (faults.length > 0) throw new Error(`faults of followers:\n${faults.join('\n')}`);
  }

  /** @throws Error if a client observed a fault */
  async readCounts(): Promise<Counts> {
    await this.check();
    const counts = (await this.#each(() => ({ act: 'read-counts' }))) as Counts[];
    return {
      repeated: sumOf(counts, ({ repeated }) => repeated),
      failures: counts.flatMap(({ failures }) => failures),
      heartbeats: sumOf(counts, ({ heartbeats }) => heartbeats),
      abandoned: sumOf(counts, ({ abandoned }) => abandoned),
      deleted: sumOf(counts, ({ deleted }) => deleted),
    };
  }

  /** Ends the processes of all followers at once, with their connections. */
  stop(): void {
    for (const each of this.#processes) each.stop();
  }

  #shareOf(count: number): number {
    return Math.max(1, Math.ceil(count / this.#processes.length));
  }

  async #join(command: Command): Promise<Outcome> {
    const outcomes = (await this.#each(() => command)) as Outcome[];
    return {
      tookMs: Math.max(...outcomes.map(({ tookMs }) => tookMs)),
      latenciesMs: outcomes.flatMap(({ latenciesMs }) => latenciesMs),
    };
  }

  #each(commandOf: (index: number) => Command): Promise<Answer[]> {
    return Promise.all(this.#processes.map((each, index) => each.ask(commandOf(index))));
  }
}

function sumOf<Item>(items: readonly Item[], read: (item: Item) => number): number {
  return items.reduce((sum, item) => sum + read(item), 0);
}
