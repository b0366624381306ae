/**
 * The bodies of requests or answers that are too long for a frame. Each end of a link sends its own in parts, one after another, with other
 * frames between the parts.
 */
import type { Duplex } from 'node:stream';

import { bytesOf, cutAt } from './body.ts';
import type { LinkBody } from './body.ts';
import { BrokenFrame, frameOf, writeFrame } from './frames.ts';
import { answerMaxBytes, partBytes } from './protocol.ts';
import type { PartText } from './protocol.ts';

type LongBody = {
  /** The first of its numbers, which identifies its parts. */
  readonly number: number;
  /** The text of the frame with the last part. */
  readonly text: string;
  /** Its numbers that somebody still waits for. */
  readonly awaiting: Set<number>;
  left: readonly Buffer[];
  leftBytes: number;
  hasBegun: boolean;
};

/** The long bodies that one end sends. */
export class LongBodies {
  readonly #socket: Duplex;
  readonly #onEmpty: () => void;
  /** The first is being sent. */
  #bodies: LongBody[] = [];
  #bytes = 0;
  #isSending = false;

  /** @param onEmpty called when none is left */
  constructor(socket: Duplex, onEmpty: () => void = () => undefined) {
    this.#socket = socket;
    this.#onEmpty = onEmpty;
  }

  /** @returns the number of bodies that are not completely sent */
  get size(): number {
    return this.#bodies.length;
  }

  /** @returns the number of their unsent bytes */
  get bytes(): number {
    return this.#bytes;
  }

  /**
   * @param numbers those of the request or of the answers, at least one
   * @param text the text of the frame with the last part
   */
  add(numbers: readonly number[], text: string, body: LinkBody): void {
    const left = typeof body === 'string' ? [Buffer.from(body)] : body;
    const leftBytes = bytesOf(left);
    this.#bodies.push({
      number: numbers[0] ?? 0,
      text,
      awaiting: new Set(numbers),
      left,
      leftBytes,
      hasBegun: false,
    });
    this.#bytes += leftBytes;
    this.#sendSoon();
  }

  /** Nobody waits any more for what has this number. */
  leave(number: number): void {
    const left = this.#bodies.find(({ awaiting }) => awaiting.delete(number));
    if (left === undefined || left.awaiting.size > 0) return;
    this.#remove(left);
    if (left.hasBegun) this.#writePart(['part', left.number]);
  }

  /** Sends everything that is left, without a limit. */
  sendAll(): void {
    while (this.#bodies.length > 0) this.#sendPart();
  }

  /** Drops everything, because the peer is gone. */
  clear(): void {
    this.#bodies = [];
    this.#bytes = 0;
  }

  #sendSoon(): void {
    if (this.#isSending || this.#bodies.length === 0) return;
    this.#isSending = true;
    // In a separate turn, so that frames made meanwhile are sent before the next part.
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
    const [body] = this.#bodies;
    if (body === undefined) return;
    if (body.leftBytes <= partBytes) {
      this.#remove(body);
      this.#write(body.text, body.left);
      return;
    }
    const [part, left] = cutAt(body.left, partBytes);
    body.left = left;
    body.leftBytes -= partBytes;
    body.hasBegun = true;
    this.#bytes -= partBytes;
    this.#writePart(['part', body.number], part);
  }

  #remove(body: LongBody): void {
    this.#bodies = this.#bodies.filter((each) => each !== body);
    this.#bytes -= body.leftBytes;
    if (this.#bodies.length === 0) this.#onEmpty();
  }

  #writePart(text: PartText, body: readonly Buffer[] = []): void {
    this.#write(JSON.stringify(text), body);
  }

  #write(text: string, body: readonly Buffer[]): void {
    if (this.#socket.writable) writeFrame(this.#socket, frameOf(text, body));
  }
}

/** The long body that one end receives. */
export class PartialBody {
  #number: number | undefined;
  #pieces: Buffer[] = [];
  #bytes = 0;

  /** @throws BrokenFrame if it becomes too long */
  add(number: number, part: readonly Buffer[]): void {
    if (this.#number !== number || part.length === 0) this.clear();
    if (part.length === 0) return;
    this.#number = number;
    this.#pieces.push(...part);
    this.#bytes += bytesOf(part);
    if (this.#bytes > answerMaxBytes) throw new BrokenFrame('a body is too long');
  }

  get isEmpty(): boolean {
    return this.#number === undefined;
  }

  /** @returns the whole body, once its last part or a body that is not long has arrived */
  complete(number: number | undefined, lastPart: readonly Buffer[]): readonly Buffer[] {
    if (this.#number === undefined || this.#number !== number) return lastPart;
    const whole = [...this.#pieces, ...lastPart];
    this.clear();
    return whole;
  }

  clear(): void {
    this.#number = undefined;
    this.#pieces = [];
    this.#bytes = 0;
  }
}
