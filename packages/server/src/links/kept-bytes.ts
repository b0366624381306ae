/**
 * Bytes that occur in many answers. Each of them is sent once over a link. While both ends keep them, answers only say where their parts
 * begin and end.
 */
import { bytesOf, ownCopy } from './body.ts';
import { BrokenFrame } from './frames.ts';
import { keptMaxBytes, partBytes } from './protocol.ts';
import type { LayoutText } from './protocol.ts';

/** The declared bytes, by the memory that each has for itself. */
const declared = new WeakMap<ArrayBufferLike, Buffer>();

/**
 * Declares bytes that many answers will contain parts of. Such parts must be cut out of the returned bytes with `subarray`.
 *
 * @returns a copy, in pieces that are short enough for a frame
 */
export function keepBytes(pieces: readonly Buffer[]): readonly Buffer[] {
  const whole = Buffer.concat(pieces);
  const count = Math.ceil(whole.length / partBytes);
  return Array.from({ length: count }, (_, n) => {
    const piece = whole.subarray(n * partBytes, (n + 1) * partBytes);
    // Memory that is shared with nothing else.
    const kept = Buffer.from(new Uint8Array(piece).buffer);
    declared.set(kept.buffer, kept);
    return kept;
  });
}

/** What a node sends before and with an answer. */
export type LaidOut = {
  /** Bytes that the gateway does not have yet, each under a number. */
  readonly added: readonly (readonly [id: number, bytes: Buffer])[];
  /** Numbers that are no longer used. */
  readonly dropped: readonly number[];
  readonly layout: LayoutText;
  /** The bytes of this answer alone. */
  readonly own: readonly Buffer[];
};

/** The bytes that one gateway keeps, as recorded by its node. */
export class KeptByGateway {
  /** The least recently used ones first. */
  readonly #ids = new Map<ArrayBufferLike, { readonly id: number; readonly bytes: number }>();
  #bytes = 0;
  #nextId = 0;

  /**
   * @returns the layout of an answer that contains parts of declared bytes; undefined if it contains none, or is too long for a frame or
   *   for the kept memory
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

  /** The parts of an answer are the most recently used and take at most half of the memory, so they stay. */
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

/** The bytes that a gateway keeps of one node. */
export class KeptOfNode {
  readonly #byId = new Map<number, Buffer>();
  #bytes = 0;

  /** @throws BrokenFrame if the node sends more to keep than agreed */
  keep(id: number, bytes: Buffer, dropped: readonly number[]): void {
    for (const old of dropped) {
      this.#bytes -= this.#byId.get(old)?.length ?? 0;
      this.#byId.delete(old);
    }
    this.#bytes += bytes.length;
    this.#byId.set(id, ownCopy([bytes]));
    if (this.#bytes > keptMaxBytes) throw new BrokenFrame('a node sends too much to keep');
  }

  /**
   * Puts an answer together.
   *
   * @param own the bytes that came with it
   * @throws BrokenFrame if it names bytes that are not kept
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
        throw new BrokenFrame('an answer names bytes that are not kept');
      return kept.subarray(from, to);
    });
    if (at !== own.length)
      throw new BrokenFrame('an answer does not have the length that it states');
    return pieces;
  }
}
