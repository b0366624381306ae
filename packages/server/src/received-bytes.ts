const nothing = Buffer.alloc(0);
const roomMin = 4096;

/**
 * Bytes that arrive in pieces, put together as they come. A sender chooses the pieces, and a list of pieces of one byte takes two hundred
 * times what they hold; this takes at most twice as much.
 */
export class ReceivedBytes {
  #buffer: Buffer = nothing;
  #length = 0;

  get length(): number {
    return this.#length;
  }

  add(piece: Buffer): void {
    if (this.#length === 0) {
      // Most bodies come in one piece, which stays as it is: it has no room for another.
      this.#buffer = piece;
      this.#length = piece.length;
      return;
    }
    const length = this.#length + piece.length;
    if (length > this.#buffer.length) {
      const grown = Buffer.allocUnsafeSlow(Math.max(length, 2 * this.#buffer.length, roomMin));
      this.#buffer.copy(grown, 0, 0, this.#length);
      this.#buffer = grown;
    }
    piece.copy(this.#buffer, this.#length);
    this.#length = length;
  }

  /** @returns all that has come */
  whole(): Buffer {
    return this.#buffer.subarray(0, this.#length);
  }

  /** Lets go of what has come. */
  clear(): void {
    this.#buffer = nothing;
    this.#length = 0;
  }
}
