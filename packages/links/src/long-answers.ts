/** Answers of one link that are too long for a frame: they go in parts, one answer after another, and others go between the parts. */
import type { Duplex } from 'node:stream';

import { bytesOf, cutAt } from './body.ts';
import type { LinkBody } from './body.ts';
import { frameOf, writeFrame } from './frames.ts';
import { partBytes } from './protocol.ts';
import type { AnswersText, PartText } from './protocol.ts';

type LongAnswer = {
  /** The first of its numbers, by which its parts are known. */
  readonly number: number;
  readonly text: string;
  /** The numbers of those who wait for it. */
  readonly awaiting: Set<number>;
  left: readonly Buffer[];
  leftBytes: number;
  hasBegun: boolean;
};

export class LongAnswers {
  readonly #socket: Duplex;
  readonly #onEmpty: () => void;
  /** The first is under way. */
  #answers: LongAnswer[] = [];
  #bytes = 0;
  #isSending = false;

  /** @param onEmpty told when none is left */
  constructor(socket: Duplex, onEmpty: () => void) {
    this.#socket = socket;
    this.#onEmpty = onEmpty;
  }

  /** @returns answers that are not sent to their end */
  get size(): number {
    return this.#answers.length;
  }

  /** @returns their bytes that are not sent */
  get bytes(): number {
    return this.#bytes;
  }

  /** @param shared what the answers to all of the text's numbers begin with; there is at least one */
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

  /** Nobody waits any more for the answer to a number, wherever that is. */
  leave(number: number): void {
    const left = this.#answers.find(({ awaiting }) => awaiting.delete(number));
    if (left === undefined || left.awaiting.size > 0) return;
    this.#remove(left);
    if (left.hasBegun) this.#say(['part', left.number]);
  }

  /** Sends all that is left, however long that is. */
  sendAll(): void {
    while (this.#answers.length > 0) this.#sendPart();
  }

  /** Nobody takes anything any more. */
  clear(): void {
    this.#answers = [];
    this.#bytes = 0;
  }

  #sendSoon(): void {
    if (this.#isSending || this.#answers.length === 0) return;
    this.#isSending = true;
    // In a turn of its own, so that what is answered meanwhile goes before the next part.
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
    this.#say(['part', answer.number], part);
  }

  #remove(answer: LongAnswer): void {
    this.#answers = this.#answers.filter((each) => each !== answer);
    this.#bytes -= answer.leftBytes;
    if (this.#answers.length === 0) this.#onEmpty();
  }

  #say(text: PartText, body: readonly Buffer[] = []): void {
    this.#write(JSON.stringify(text), body);
  }

  #write(text: string, body: readonly Buffer[]): void {
    if (this.#socket.writable) writeFrame(this.#socket, frameOf(text, body));
  }
}
