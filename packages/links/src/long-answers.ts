/**
 * The answers of one link that are too long for a frame. They are sent in parts, one answer after another, with other answers between the
 * parts.
 */
import type { Duplex } from 'node:stream';

import { bytesOf, cutAt } from './body.ts';
import type { LinkBody } from './body.ts';
import { frameOf, writeFrame } from './frames.ts';
import { partBytes } from './protocol.ts';
import type { AnswersText, PartText } from './protocol.ts';

type LongAnswer = {
  /** The first of its numbers, which identifies its parts. */
  readonly number: number;
  readonly text: string;
  /** The numbers of the requests that still wait for it. */
  readonly awaiting: Set<number>;
  left: readonly Buffer[];
  leftBytes: number;
  hasBegun: boolean;
};

export class LongAnswers {
  readonly #socket: Duplex;
  readonly #onEmpty: () => void;
  /** The first is being sent. */
  #answers: LongAnswer[] = [];
  #bytes = 0;
  #isSending = false;

  /** @param onEmpty called when no answer is left */
  constructor(socket: Duplex, onEmpty: () => void) {
    this.#socket = socket;
    this.#onEmpty = onEmpty;
  }

  /** @returns the number of answers that are not completely sent */
  get size(): number {
    return this.#answers.length;
  }

  /** @returns the number of their unsent bytes */
  get bytes(): number {
    return this.#bytes;
  }

  /** @param shared the common beginning of the answers to all numbers of the text; there is at least one number */
  add(text: AnswersText, shared: LinkBody): void {
    const numbers = text[3].map(([number]) => number);
    const body = typeof shared === 'string' ? [Buffer.from(shared)] : shared;
    const leftBytes = bytesOf(body);
    this.#answers.push({
      number: numbers[0] ?? 0,
      text: JSON.stringify(text),
      awaiting: new Set(numbers),
      left: body,
      leftBytes,
      hasBegun: false,
    });
    this.#bytes += leftBytes;
    this.#sendSoon();
  }

  /** Nobody waits any more for the answer to this number. */
  leave(number: number): void {
    const left = this.#answers.find(({ awaiting }) => awaiting.delete(number));
    if (left === undefined || left.awaiting.size > 0) return;
    this.#remove(left);
    if (left.hasBegun) this.#writePart(['part', left.number]);
  }

  /** Sends everything that is left, without a limit. */
  sendAll(): void {
    while (this.#answers.length > 0) this.#sendPart();
  }

  /** Drops everything, because the gateway is gone. */
  clear(): void {
    this.#answers = [];
    this.#bytes = 0;
  }

  #sendSoon(): void {
    if (this.#isSending || this.#answers.length === 0) return;
    this.#isSending = true;
    // In a separate turn, so that answers made meanwhile are sent before the next part.
    const send = (): void => {
      setImmediate(() => {
        this.#isSending = false;
        this.#sendPart();
        this.#sendSoon();
      });
    };
    if (this.#socket.writableNeedDrain) this.#socket.once('drain', send);
    else send();
  }

  #sendPart(): void {
    const [answer] = this.#answers;
    if (answer === undefined) return;
    if (answer.leftBytes <= partBytes) {
      this.#remove(answer);
      this.#write(answer.text, answer.left);
      return;
    }
    const [part, left] = cutAt(answer.left, partBytes);
    answer.left = left;
    answer.leftBytes -= partBytes;
    answer.hasBegun = true;
    this.#bytes -= partBytes;
    this.#writePart(['part', answer.number], part);
  }

  #remove(answer: LongAnswer): void {
    this.#answers = this.#answers.filter((each) => each !== answer);
    this.#bytes -= answer.leftBytes;
    if (this.#answers.length === 0) this.#onEmpty();
  }

  #writePart(text: PartText, body: readonly Buffer[] = []): void {
    this.#write(JSON.stringify(text), body);
  }

  #write(text: string, body: readonly Buffer[]): void {
    if (this.#socket.writable) writeFrame(this.#socket, frameOf(text, body));
  }
}
