/** A stream of which every message is followed up: senders, followers who have to get each once, and a history that has to have each once. */
import { setTimeout as pause } from 'node:timers/promises';

import type { Fleet, FleetTally } from './fleet/fleet.ts';
import { nowMs } from './fleet/protocol.ts';
import type { FleetAccount, Window } from './fleet/protocol.ts';
import { HistoryCheck } from './history-check.ts';
import type { LoadSystem } from './load-system.ts';
import { joinMeasured } from './rig.ts';
import type { Measured, Rig } from './rig.ts';
import type { Shot } from './scenario.ts';
import { Senders } from './senders.ts';
import type { SendOutcome } from './senders.ts';
import { findMedian } from './summary.ts';

const sendsBound = 1_000_000;
// More than are ever pending while the system keeps up.
const connectionsOfRate = 64;
// Within this time every follower's next poll has reached the node.
const settleMs = 300;
const warmUpRounds = 3;
const farAwayMs = Number.MAX_SAFE_INTEGER;

export class Talk implements Announcer {
  readonly #rig: Rig;
  readonly #urls: readonly string[];
  readonly #accounts: readonly FleetAccount[];
  readonly #streamName: string;
  readonly #fleet: Fleet | undefined;
  readonly #senders: Senders;
  readonly history: HistoryCheck;
  #expected = 0;

  /**
   * @param rig stops the senders and the fleet
   * @param parts.accounts of members of the stream, who send in turn
   */
  constructor(
    rig: Rig,
    system: LoadSystem,
    parts: {
      readonly accounts: readonly FleetAccount[];
      readonly streamName: string;
      readonly fleet?: Fleet | undefined;
      readonly senderProcesses?: number;
    },
  ) {
    const { accounts, streamName, fleet, senderProcesses = 1 } = parts;
    const [reader] = accounts;
    if (reader === undefined) throw new Error('there are no accounts');
    this.#rig = rig;
    this.#urls = system.urls;
    this.#accounts = accounts;
    this.#streamName = streamName;
    this.#fleet = fleet === undefined ? undefined : rig.addGenerators(fleet);
    this.#senders = rig.addGenerators(new Senders(senderProcesses));
    this.history = new HistoryCheck(system.urls[0] ?? '', reader, streamName);
  }

  get fleet(): Fleet {
    if (this.#fleet === undefined) throw new Error('nobody follows');
    return this.#fleet;
  }

  /** Measures clients that each wait for their answer before they send again, with the jobs that follow from their sends. */
  async sendInTurn(connections: number, topics = 1): Promise<Shot> {
    const window = this.#rig.planWindow();
    await this.#startTally(sendsBound, window);
    const [sends, measured] = await Promise.all([
      this.#send({ connections, topics, window, endAtMs: window.toMs }),
      this.#rig.measureSends(window),
    ]);
    if (sends.sent >= sendsBound) throw new Error('the run had more sends than it may have');
    await this.#expectAll(sends.sent);
    return {
      operation: 'send',
      operations: sends.sentInWindow,
      measured,
      figures: {
        sends_per_s: sends.sentInWindow / this.#rig.secs,
        longest_silence_ms: sends.longestSilenceMs,
        jobs_afterwards_ms: measured.jobsMs,
      },
      latencies: { send: sends.latencies },
    };
  }

  /**
   * Measures sends that are due at a rate, whether or not those before have arrived.
   *
   * @param beside something else to do in the window
   */
  async sendAtRate(
    ratePerSecond: number,
    topics = 1,
    beside: (window: Window) => Promise<void> = () => Promise.resolve(),
  ): Promise<RateOutcome> {
    const window = this.#rig.planWindow();
    await this.#startTally(sendsBound, window);
    const [sends, measured] = await Promise.all([
      this.#send({ connections: connectionsOfRate, topics, window, ratePerSecond }),
      this.#rig.measureWindow(window),
      beside(window),
    ]);
    await this.#expectAll(sends.sent);
    return { window, sends, measured, tally: await this.fleet.readTally() };
  }

  /** The same, measured for each delivery. */
  async deliverAtRate(ratePerSecond: number): Promise<Shot> {
    const { sends, measured, tally } = await this.sendAtRate(ratePerSecond);
    return {
      operation: 'delivery',
      operations: tally.receivedInWindow,
      measured,
      figures: {
        sends_per_s: sends.sentInWindow / this.#rig.secs,
        deliveries_per_s: tally.receivedInWindow / this.#rig.secs,
        late_p99_ms: sends.lateness.at(99),
      },
      latencies: { send: sends.latencies, send_to_receive: tally.latencies },
    };
  }

  async begin(rounds: number): Promise<void> {
    this.#expected = 0;
    await this.history.skip();
    await this.#startTally(rounds * 2, { fromMs: nowMs(), toMs: farAwayMs });
  }

  async sendOne(): Promise<void> {
    await this.sendMany(1);
    await this.fleet.waitForReceived((this.#expected += this.fleet.followerCount));
  }

  /** Sends one message after the other, and waits for nobody to receive them. */
  async sendMany(count: number): Promise<void> {
    const window = { fromMs: nowMs(), toMs: farAwayMs };
    await this.#send({ connections: 1, topics: 1, window, endAtMs: farAwayMs, sendsMax: count });
  }

  #send(plan: {
    readonly connections: number;
    readonly topics: number;
    readonly window: Window;
    readonly endAtMs?: number;
    readonly ratePerSecond?: number;
    readonly sendsMax?: number;
  }): Promise<SendOutcome> {
    const { topics, ...rest } = plan;
    return this.#senders.send({
      urls: this.#urls,
      accounts: this.#accounts,
      destinations: Array.from({ length: topics }, (_, n) => ({
        streamName: this.#streamName,
        topic: `topic ${n}`,
      })),
      sendsMax: sendsBound,
      ...rest,
    });
  }

  async #startTally(messages: number, window: Window): Promise<void> {
    // Each process of senders may leave one number out.
    const messagesMax = messages + this.#senders.pids.length;
    await this.#fleet?.startTally(this.#senders.nextMessage, messagesMax, window);
  }

  async #expectAll(sent: number): Promise<void> {
    await this.#fleet?.waitForReceived(sent * this.#fleet.followerCount);
    await this.history.expect(sent);
  }
}

type RateOutcome = {
  readonly window: Window;
  readonly sends: SendOutcome;
  readonly measured: Measured;
  readonly tally: FleetTally;
};

/** Sends one message at a time to a fleet. */
export type Announcer = {
  readonly fleet: Fleet;
  /** Begins to count as many messages at most. */
  readonly begin: (rounds: number) => Promise<void>;
  /** Sends a message, and waits until everybody has it. */
  readonly sendOne: () => Promise<void>;
};

/** Measures messages of which each is sent only when everybody has the previous one and polls again. */
export async function deliverOneByOne(
  rig: Rig,
  announcer: Announcer,
  rounds: number,
): Promise<Shot> {
  const { fleet } = announcer;
  await announcer.begin(warmUpRounds);
  for (let round = 0; round < warmUpRounds; round += 1) {
    await announcer.sendOne();
    await pause(settleMs);
  }
  await announcer.begin(rounds);
  const all: Measured[] = [];
  const tookMs: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    let beganAtMs = 0;
    all.push(
      await rig.measureAround(async () => {
        beganAtMs = nowMs();
        await announcer.sendOne();
        await pause(settleMs);
      }),
    );
    tookMs.push((await fleet.readTally()).lastReceivedAtMs - beganAtMs);
  }
  const tally = await fleet.readTally();
  return {
    operation: 'delivery',
    operations: tally.received,
    measured: joinMeasured(all),
    figures: {
      deliveries_per_s: (fleet.followerCount * 1_000) / findMedian(tookMs),
      until_all_have_it_ms: findMedian(tookMs),
    },
    latencies: { send_to_receive: tally.latencies },
  };
}
