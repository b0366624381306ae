import { setTimeout as pause } from 'node:timers/promises';

import type { ApiClient } from '@parley/test-kit';

import type { Fleet, FleetReport, Receipt } from './fleet/fleet.ts';
import { messageMark, nowMs } from './fleet/protocol.ts';

const receiptDeadlineMs = 60_000;
const lookIntervalMs = 250;

/** Messages of a run, numbered in the order of their acknowledgement, so that followers can detect a lost or repeated one. */
export class NumberedSends {
  readonly sendLatenciesMs: number[] = [];
  readonly #client: ApiClient;
  readonly #sentAtMs: number[] = [];

  constructor(client: ApiClient) {
    this.#client = client;
  }

  get count(): number {
    return this.#sentAtMs.length;
  }

  /** @returns the message's number */
  async send(stream: string): Promise<number> {
    const number = this.#sentAtMs.length;
    const startedAt = nowMs();
    this.#sentAtMs.push(startedAt);
    await this.#client.sendToStream(stream, 'load', `${messageMark}${number}`);
    this.sendLatenciesMs.push(nowMs() - startedAt);
    return number;
  }

  /** Sends one after the other, at most at this rate per second. */
  async sendPaced(
    count: number,
    perSecond: number,
    streamOf: (n: number) => string,
    signal?: AbortSignal,
  ): Promise<void> {
    const beganAt = nowMs();
    for (let n = 0; n < count && signal?.aborted !== true; n += 1) {
      await this.send(streamOf(n));
      const early = beganAt + ((n + 1) * 1_000) / perSecond - nowMs();
      if (early > 0) await pause(early);
    }
  }

  /** @returns the time from send to receipt of each message */
  latenciesOf(receipts: readonly Receipt[]): number[] {
    return receipts.map(
      ({ message, receivedAtMs }) => receivedAtMs - (this.#sentAtMs[message] ?? Number.NaN),
    );
  }
}

/**
 * Waits until followers have received this many messages.
 *
 * @returns the receipts, with the other figures
 * @throws Error if they do not arrive in time, if there are more, or if a follower observed a fault
 */
export async function collectReceipts(fleet: Fleet, count: number): Promise<FleetReport> {
  let receipts: Receipt[] = [];
  const giveUpAt = nowMs() + receiptDeadlineMs;
  for (;;) {
    const report = await fleet.report();
    // Spreading a hundred thousand arguments would overflow the stack.
    receipts = receipts.concat(report.receipts);
    if (receipts.length > count)
      throw new Error(`${receipts.length} messages were received where ${count} were sent`);
    if (receipts.length === count) return { ...report, receipts };
    if (nowMs() > giveUpAt)
      throw new Error(`only ${receipts.length} of ${count} messages were received`);
    await pause(lookIntervalMs);
  }
}
