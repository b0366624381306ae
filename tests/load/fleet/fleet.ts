import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

import { Latencies } from '../latencies.ts';
import { messagesOnly, nowMs } from './protocol.ts';
import type {
  Command,
  FleetAccount,
  Followed,
  Outcome,
  Reply,
  Report,
  TallyReport,
  Window,
} from './protocol.ts';

type Answer = Extract<Reply, { readonly ok: true }>['result'];

const program = fileURLToPath(new URL('follower-process.ts', import.meta.url));
// Below a process' limit of 20,000 open files, and as many as one core can feed.
const followersPerProcessMax = 9_000;
const receiptDeadlineMs = 60_000;
const lookIntervalMs = 10;
const looksPerCheck = 50;

/** A message of the run as one follower received it. */
export type Receipt = {
  /** Counts the followers of all processes, in the order of their accounts. */
  readonly follower: number;
  readonly message: number;
  readonly receivedAtMs: number;
};

export type FleetReport = Omit<Report, 'followers' | 'messages' | 'receivedAtMs'> & {
  readonly receipts: readonly Receipt[];
};

/** What the followers of all processes counted since the tally began. */
export type FleetTally = Omit<TallyReport, 'latencies'> & {
  readonly latencies: Latencies;
};

/** Followers in separate processes, so that their work does not slow down the measuring process. */
export class Fleet {
  readonly #members: { readonly child: ChildProcess; readonly followers: number }[] = [];

  /**
   * Starts the processes and registers a queue for each account, of messages unless `parameters` (a form) says otherwise. Followers
   * of the control use no accounts, but need as many entries.
   *
   * @returns the fleet, and figures of the registering
   */
  static async register(
    urls: readonly string[],
    accounts: readonly FleetAccount[],
    atOnce: number,
    of: Followed = 'polls',
    parameters: string = messagesOnly,
  ): Promise<{ readonly fleet: Fleet; readonly registering: Outcome }> {
    const fleet = new Fleet();
    const parts: FleetAccount[][] = [];
    for (let from = 0; from < accounts.length; from += followersPerProcessMax)
      parts.push(accounts.slice(from, from + followersPerProcessMax));
    for (const part of parts) {
      const child = fork(program, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
      fleet.#members.push({ child, followers: part.length });
    }
    try {
      const outcomes = await fleet.#each((_followers, index) => {
        const part = parts[index] ?? [];
        const share = shareOf(atOnce, parts.length);
        return { act: 'register', of, urls, accounts: part, atOnce: share, parameters };
      });
      return { fleet, registering: joinOutcomes(outcomes) };
    } catch (error) {
      fleet.stop();
      throw error;
    }
  }

  get processCount(): number {
    return this.#members.length;
  }

  get followerCount(): number {
    return this.#members.reduce((sum, { followers }) => sum + followers, 0);
  }

  get pids(): readonly number[] {
    return this.#members.map(({ child }) => child.pid ?? 0);
  }

  /** From now on followers count messages instead of reporting each receipt. */
  async startTally(firstMessage: number, messagesMax: number, window: Window): Promise<void> {
    await this.#each(() => ({ act: 'tally', firstMessage, messagesMax, window }));
  }

  /** @returns how many messages all followers together received since the tally began */
  async countReceived(): Promise<number> {
    const counts = (await this.#each(() => ({ act: 'count-received' }))) as number[];
    return counts.reduce((sum, count) => sum + count, 0);
  }

  /** @throws Error if a client observed a fault */
  async readTally(): Promise<FleetTally> {
    const reports = (await this.#each(() => ({ act: 'read-tally' }))) as TallyReport[];
    await this.check();
    const sum = (read: (report: TallyReport) => number): number =>
      reports.reduce((total, report) => total + read(report), 0);
    const latencies = new Latencies();
    for (const report of reports) latencies.add(Latencies.decode(report.latencies));
    return {
      received: sum(({ received }) => received),
      receivedInWindow: sum(({ receivedInWindow }) => receivedInWindow),
      lastReceivedAtMs: Math.max(...reports.map(({ lastReceivedAtMs }) => lastReceivedAtMs)),
      polls: sum(({ polls }) => polls),
      latencies,
    };
  }

  /** Polls each queue of the first `count` followers once without waiting. */
  async touch(followers: number, atOnce: number): Promise<Outcome> {
    return joinOutcomes(
      await this.#eachShare(followers, (share) => ({
        act: 'touch',
        followers: share,
        atOnce: shareOf(atOnce, this.processCount),
      })),
    );
  }

  /** Holds polls for the first `count` followers, and returns when each poll has been sent. */
  async hold(followers: number, atOnce: number): Promise<Outcome> {
    return joinOutcomes(
      await this.#eachShare(followers, (share) => ({
        act: 'hold',
        followers: share,
        atOnce: shareOf(atOnce, this.processCount),
      })),
    );
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
      const received = await this.countReceived();
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
    await this.#each(() => ({ act: 'leave', atOnce: shareOf(atOnce, this.processCount) }));
  }

  /**
   * Makes all connect and register at once, and poll from then on.
   *
   * @param parameters of the registers, as a form
   * @returns when all are registered
   */
  async storm(parameters: string): Promise<Outcome> {
    return joinOutcomes(await this.#each(() => ({ act: 'storm', parameters })));
  }

  async startChurn(holdMaxMs: number): Promise<void> {
    await this.#each((followers) => ({ act: 'churn', clients: followers, holdMaxMs }));
  }

  async stopChurn(): Promise<void> {
    await this.#each(() => ({ act: 'calm' }));
  }

  /** @throws Error if a client observed a fault */
  async check(): Promise<void> {
    throwFaults(((await this.#each(() => ({ act: 'check' }))) as string[][]).flat());
  }

  /**
   * @returns the report; receipts only since the last report
   * @throws Error if a client observed a fault
   */
  async report(): Promise<FleetReport> {
    const reports = (await this.#each(() => ({ act: 'report' }))) as Report[];
    throwFaults(reports.flatMap((report) => report.faults));
    const sum = (read: (report: Report) => number): number =>
      reports.reduce((total, report) => total + read(report), 0);
    let first = 0;
    const receipts: Receipt[] = [];
    for (const report of reports) {
      for (const [index, follower] of report.followers.entries()) {
        receipts.push({
          follower: first + follower,
          message: report.messages[index] ?? 0,
          receivedAtMs: report.receivedAtMs[index] ?? 0,
        });
      }
      first += report.nodes.length;
    }
    return {
      faults: [],
      repeated: sum(({ repeated }) => repeated),
      failures: reports.flatMap(({ failures }) => failures),
      heartbeats: sum(({ heartbeats }) => heartbeats),
      emptyAnswers: sum(({ emptyAnswers }) => emptyAnswers),
      polls: sum(({ polls }) => polls),
      abandoned: sum(({ abandoned }) => abandoned),
      registered: sum(({ registered }) => registered),
      deleted: sum(({ deleted }) => deleted),
      receipts,
      nodes: reports.flatMap(({ nodes }) => nodes),
    };
  }

  /** Ends the processes of all followers at once, with their connections. */
  stop(): void {
    for (const { child } of this.#members) child.kill('SIGKILL');
  }

  [Symbol.dispose](): void {
    this.stop();
  }

  #eachShare(followers: number, commandOf: (share: number) => Command): Promise<Answer[]> {
    let left = followers;
    const shares = this.#members.map((member) => {
      const share = Math.min(left, member.followers);
      left -= share;
      return share;
    });
    return this.#each((_followers, index) => commandOf(shares[index] ?? 0));
  }

  #each(commandOf: (followers: number, index: number) => Command): Promise<Answer[]> {
    return Promise.all(
      this.#members.map(({ child, followers }, index) => ask(child, commandOf(followers, index))),
    );
  }
}

function throwFaults(faults: readonly string[]): void {
  if (faults.length > 0) throw new Error(`faults of followers:\n${faults.join('\n')}`);
}

function ask(child: ChildProcess, command: Command): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const onEnd = (): void => reject(new Error('a process of followers ended'));
    child.once('exit', onEnd);
    child.once('message', (reply: Reply) => {
      child.off('exit', onEnd);
      if (reply.ok) resolve(reply.result);
      else reject(new Error(`followers could not ${command.act}: ${reply.error}`));
    });
    child.send(command);
  });
}

function shareOf(count: number, parts: number): number {
  return Math.max(1, Math.ceil(count / parts));
}

function joinOutcomes(outcomes: readonly Answer[]): Outcome {
  const known = outcomes as Outcome[];
  return {
    tookMs: Math.max(...known.map(({ tookMs }) => tookMs)),
    latenciesMs: known.flatMap(({ latenciesMs }) => latenciesMs),
  };
}
