import { deflatePiece, deflatePieceInPool } from './gzip-member.ts';
import type { DeflatedPiece } from './gzip-member.ts';

/**
 * A piece up to this size takes at most a fifth of a millisecond. Another thread would cost half as much again, because the piece has to be
 * handed there and back.
 */
const atOnceMaxBytes = 65_536;

/** Of the four threads of the pool, so that look-ups of names and reads of files find a free one. */
const inPoolMax = 2;

/** Compresses pieces for one process: short ones at once, others in the thread pool, a few at a time. */
export class Deflater {
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  async deflate(plain: Buffer, level: number): Promise<DeflatedPiece> {
    if (plain.length <= atOnceMaxBytes) return deflatePiece(plain, level);
    if (this.#running >= inPoolMax)
      await new Promise<void>((resolve) => {
        this.#waiting.push(resolve);
      });
    else this.#running += 1;
    try {
      return await deflatePieceInPool(plain, level);
    } finally {
      // The next one takes over the slot.
      const next = this.#waiting.shift();
      if (next === undefined) this.#running -= 1;
      else next();
    }
  }
}
