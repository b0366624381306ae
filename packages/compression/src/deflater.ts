import { deflatePiece, deflatePieceAside } from './gzip-member.ts';
import type { DeflatedPiece } from './gzip-member.ts';

/** What is no longer takes a fifth of a millisecond at most; another thread would cost half as much again, for handing it there and back. */
const atOnceMaxBytes = 65_536;

/** Of the four threads that there are, so that look-ups of names and reads of files find one. */
const asideMax = 2;

/** Compresses pieces for one process: short ones at once, the others in the thread pool, a few at a time. */
export class Deflater {
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  async deflate(plain: Buffer, level: number): Promise<DeflatedPiece> {
    if (plain.length <= atOnceMaxBytes) return deflatePiece(plain, level);
    if (this.#running >= asideMax)
      await new Promise<void>((resolve) => {
        this.#waiting.push(resolve);
      });
    else this.#running += 1;
    try {
      return await deflatePieceAside(plain, level);
    } finally {
      // The next one takes this one's place.
      const next = this.#waiting.shift();
      if (next === undefined) this.#running -= 1;
      else next();
    }
  }
}
