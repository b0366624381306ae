/** Frames of a link: two lengths of four bytes each, a text of JSON, and the bytes of a body, both of which may be empty. */

const headerBytes = 8;

/** A frame never comes near it: an answer holds at most a megabyte of events, and a gateway's frame is the polls of one moment. */
const frameMaxBytes = 64 * 1_048_576;

/** The other side does not keep to the protocol. */
export class BrokenFrame extends Error {}

/** @returns the bytes of a frame */
export function frameOf(text: string, body = ''): Buffer {
  const textBytes = Buffer.byteLength(text);
  const bodyBytes = Buffer.byteLength(body);
  const frame = Buffer.allocUnsafe(headerBytes + textBytes + bodyBytes);
  frame.writeUInt32BE(textBytes, 0);
  frame.writeUInt32BE(bodyBytes, 4);
  frame.write(text, headerBytes);
  frame.write(body, headerBytes + textBytes);
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
