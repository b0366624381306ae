/** Frames of a link: two lengths of four bytes each, a text of JSON, and the bytes of a body, both of which may be empty. */

const headerBytes = 8;

/** A frame never comes near it: nodes send what is long in parts, and a gateway what is much in several. */
const frameMaxBytes = 64 * 1_048_576;

/** The other side does not keep to the protocol. */
export class BrokenFrame extends Error {}

/** @returns the bytes of a frame whose body is all the parts, one after the other */
export function frameOf(text: string, ...parts: readonly (string | Buffer)[]): Buffer {
  const textBytes = Buffer.byteLength(text);
  const bodyBytes = parts.reduce((sum, part) => sum + Buffer.byteLength(part), 0);
  const frame = Buffer.allocUnsafe(headerBytes + textBytes + bodyBytes);
  frame.writeUInt32BE(textBytes, 0);
  frame.writeUInt32BE(bodyBytes, 4);
  let at = headerBytes + frame.write(text, headerBytes);
  for (const part of parts)
    at += typeof part === 'string' ? frame.write(part, at) : part.copy(frame, at);
  return frame;
}

/** Takes frames out of the bytes of a connection, wherever those are cut. */
export class FrameReader {
  readonly #onFrame: (text: string, body: Buffer) => void;
  #chunks: Buffer[] = [];
  #bytes = 0;
  /** With fewer bytes no frame is complete, so nothing is put together before. */
  #bytesWanted = headerBytes;

  constructor(onFrame: (text: string, body: Buffer) => void) {
    this.#onFrame = onFrame;
  }

  /** @throws BrokenFrame */
  push(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    if (this.#bytes < this.#bytesWanted) return;
    const bytes = this.#chunks.length === 1 ? chunk : Buffer.concat(this.#chunks, this.#bytes);
    const begin = this.#readAll(bytes);
    this.#bytes = bytes.length - begin;
    this.#chunks = this.#bytes === 0 ? [] : [bytes.subarray(begin)];
  }

  /** @returns where the first incomplete frame begins */
  #readAll(bytes: Buffer): number {
    let begin = 0;
    for (;;) {
      const left = bytes.length - begin;
      if (left < headerBytes) {
        this.#bytesWanted = headerBytes;
        return begin;
      }
      const textEnd = begin + headerBytes + bytes.readUInt32BE(begin);
      const end = textEnd + bytes.readUInt32BE(begin + 4);
      if (end - begin > frameMaxBytes) throw new BrokenFrame('a frame is too long');
      if (end > bytes.length) {
        this.#bytesWanted = end - begin;
        return begin;
      }
      this.#onFrame(
        bytes.toString('utf8', begin + headerBytes, textEnd),
        bytes.subarray(textEnd, end),
      );
      begin = end;
    }
  }
}
