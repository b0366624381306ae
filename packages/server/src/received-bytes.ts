const nothing = Buffer.alloc(0);
const roomMin = 4096;

/**
 * Collects bytes that arrive in pieces. The sender chooses the pieces, and a list of one-byte pieces takes two hundred times their size;
 * this class takes at most twice their size.
 */
export class ReceivedBytes {
  #buffer: Buffer = nothing;
  #length = 0;

  get length(): number {
    return this.#length;
  }

  add(piece: Buffer): void {
    if (this.#length === 0) {
      // Most bodies come in one piece, which is kept unchanged.
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

  /** @returns all received bytes */
  whole(): Buffer {
    return this.#buffer.subarray(0, this.#length);
  }

  /** Drops the received bytes. */
  clear(): void {
    this.#buffer = nothing;
    this.#length = 0;
  }
}
