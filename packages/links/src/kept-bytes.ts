/**
 * Bytes that many answers hold parts of. On a link each of them crosses once, and answers say where their parts begin and end, for as long
 * as both ends keep them.
 */
import { bytesOf } from './body.ts';
import { BrokenFrame } from './frames.ts';
import { keptMaxBytes, partBytes } from './protocol.ts';
import type { LayoutText } from './protocol.ts';

/** Those that were declared, by the memory that each has for itself. */
const declared = new WeakMap<ArrayBufferLike, Buffer>();

/**
 * Declares bytes of which parts are to be in many answers. Such parts are cut out of what is returned, with `subarray`.
 *
 * @returns a copy, in pieces that are short enough for a frame
 */
export function keepBytes(pieces: readonly Buffer[]): readonly Buffer[] {
  const whole = Buffer.concat(pieces);
  const count = Math.ceil(whole.length / partBytes);
  return Array.from({ length: count }, (_, n) => {
    const piece = whole.subarray(n * partBytes, (n + 1) * partBytes);
    // Memory that it shares with nothing else.
    const kept = Buffer.from(new Uint8Array(piece).buffer);
    declared.set(kept.buffer, kept);
    return kept;
  });
}

/** What a node has to say before and with an answer. */
export type LaidOut = {
  /** Bytes that the gateway has not got yet, each under a number. */
  readonly added: readonly (readonly [id: number, bytes: Buffer])[];
  /** Numbers that are not used any more. */
  readonly dropped: readonly number[];
  readonly layout: LayoutText;
  /** What is in this answer alone. */
  readonly own: readonly Buffer[];
};

/** What one gateway keeps, as its node knows. */
export class KeptByGateway {
  /** Those used longest ago first. */
  readonly #ids = new Map<ArrayBufferLike, { readonly id: number; readonly bytes: number }>();
  #bytes = 0;
  #nextId = 0;

  /**
   * @returns how an answer goes that holds parts of declared bytes; undefined where it has none, or is too long for a frame or for what may
   *   be kept
   */
  layOut(body: readonly Buffer[]): LaidOut | undefined {
    const used = new Map<ArrayBufferLike, Buffer>();
    const own: Buffer[] = [];
    for (const piece of body) {
      const bytes = declared.get(piece.buffer);
      if (bytes === undefined) own.push(piece);
      else used.set(piece.buffer, bytes);
    }
    const isTooLong = bytesOf([...used.values()]) > keptMaxBytes / 2 || bytesOf(own) > partBytes;
    if (used.size === 0 || isTooLong) return undefined;
    const added = [...used].flatMap(([memory, bytes]) => this.#use(memory, bytes));
    const layout = body.map((piece): LayoutText[number] => {
      const id = this.#ids.get(piece.buffer)?.id;
      return id === undefined
        ? piece.length
        : [id, piece.byteOffset, piece.byteOffset + piece.length];
    });
    return { added, dropped: this.#dropOldest(), layout, own };
  }

  #use(memory: ArrayBufferLike, bytes: Buffer): [id: number, bytes: Buffer][] {
    const known = this.#ids.get(memory);
    const kept = known ?? { id: this.#nextId++, bytes: bytes.length };
    this.#ids.delete(memory);
    this.#ids.set(memory, kept);
    if (known !== undefined) return [];
    this.#bytes += kept.bytes;
    return [[kept.id, bytes]];
  }

  /** What an answer uses was used last and is half of all at most, so it stays. */
  #dropOldest(): number[] {
    const dropped: number[] = [];
    for (const [memory, { id, bytes }] of this.#ids) {
      if (this.#bytes <= keptMaxBytes) break;
      this.#ids.delete(memory);
      this.#bytes -= bytes;
      dropped.push(id);
    }
    return dropped;
  }
}

/** What a gateway keeps of one node. */
export class KeptOfNode {
  readonly #byId = new Map<number, Buffer>();
  #bytes = 0;

  /** @throws BrokenFrame where the node lets it keep more than is agreed */
  keep(id: number, bytes: Buffer, dropped: readonly number[]): void {
    for (const old of dropped) {
      this.#bytes -= this.#byId.get(old)?.length ?? 0;
      this.#byId.delete(old);
    }
    this.#bytes += bytes.length;
    // In memory of their own: a part of what was read from the connection would keep all of that.
    const kept = Buffer.allocUnsafeSlow(bytes.length);
    bytes.copy(kept);
    this.#byId.set(id, kept);
    if (this.#bytes > keptMaxBytes) throw new BrokenFrame('a node lets too much be kept');
  }

  /**
   * Puts an answer together.
   *
   * @param own what came with it
   * @throws BrokenFrame where it names what is not there
   */
  putTogether(layout: LayoutText, own: Buffer): readonly Buffer[] {
    let at = 0;
    const pieces = layout.map((part) => {
      if (typeof part === 'number') {
        at += part;
        return own.subarray(at - part, at);
      }
      const [id, from, to] = part;
      const kept = this.#byId.get(id);
      if (kept === undefined || from < 0 || from > to || to > kept.length)
        throw new BrokenFrame('an answer is of bytes that are not there');
      return kept.subarray(from, to);
    });
    if (at !== own.length) throw new BrokenFrame('an answer has another length than it says');
    return pieces;
  }
}
