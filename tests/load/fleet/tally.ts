import { Latencies } from '../latencies.ts';
import { isWithin } from './protocol.ts';
import type { TallyReport, Window } from './protocol.ts';

const bitsPerByte = 8;

/** Counts the messages that the followers of one process receive, and checks that each arrives at each of them once. */
export class Tally {
  polls = 0;
  received = 0;
  readonly #firstMessage: number;
  readonly #messagesMax: number;
  readonly #window: Window;
  /** For each follower a row of bits, one for each possible message. */
  readonly #seen: Uint8Array;
  readonly #rowBytes: number;
  readonly #latencies = new Latencies();
  readonly #fault: (text: string) => void;
  #receivedInWindow = 0;
  #lastReceivedAtMs = 0;

  constructor(
    followers: number,
    options: {
      readonly firstMessage: number;
      readonly messagesMax: number;
      readonly window: Window;
    },
    fault: (text: string) => void,
  ) {
    this.#fault = fault;
    this.#firstMessage = options.firstMessage;
    this.#messagesMax = options.messagesMax;
    this.#window = options.window;
    this.#rowBytes = Math.ceil(options.messagesMax / bitsPerByte);
    this.#seen = new Uint8Array(followers * this.#rowBytes);
  }

  /** @param dueAtMs when the message was due, by the machine's monotonic clock */
  receive(follower: number, message: number, dueAtMs: number, receivedAtMs: number): void {
    const place = message - this.#firstMessage;
    if (place < 0 || place >= this.#messagesMax) {
      this.#fault(`follower ${follower}: message ${message} is none of this run`);
      return;
    }
    const byte = follower * this.#rowBytes + Math.floor(place / bitsPerByte);
    const bit = 1 << (place % bitsPerByte);
    const seen = this.#seen[byte] ?? 0;
    if ((seen & bit) !== 0) {
      this.#fault(`follower ${follower}: message ${message} came again`);
      return;
    }
    this.#seen[byte] = seen | bit;
    this.received += 1;
    this.#lastReceivedAtMs = receivedAtMs;
    if (isWithin(this.#window, receivedAtMs)) this.#receivedInWindow += 1;
    if (isWithin(this.#window, dueAtMs)) this.#latencies.record(receivedAtMs - dueAtMs);
  }

  report(): TallyReport {
    return {
      received: this.received,
      receivedInWindow: this.#receivedInWindow,
      lastReceivedAtMs: this.#lastReceivedAtMs,
      polls: this.polls,
      latencies: this.#latencies.encode(),
    };
  }
}
