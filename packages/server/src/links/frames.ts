/** Frames of a link: two lengths of four bytes each, a JSON text, and the bytes of a body. Text and body may be empty. */
import type { Writable } from 'node:stream';

import { bytesOf, cutAt, joined } from './body.ts';
import type { LinkBody } from './body.ts';

const headerBytes = 8;

/** No frame comes near this size, because nodes split long answers into parts, and a gateway splits many requests over frames. */
const frameMaxBytes = 64 * 1_048_576;

/** A shorter body is copied into the frame, which costs less than a separate write. */
const copiedMaxBytes = 16_384;

/** The peer violates the protocol. */
export class BrokenFrame extends Error {}

/** @returns the bytes of a frame, in one piece if they are few */
export function frameOf(text: string, body: LinkBody = ''): readonly Buffer[] {
  const bodyBytes = bytesOf(body);
  const isCopied = typeof body === 'string' || bodyBytes <= copiedMaxBytes;
  const textBytes = Buffer.byteLength(text);
  const frame = Buffer.allocUnsafe(headerBytes + textBytes + (isCopied ? bodyBytes : 0));
  frame.writeUInt32BE(textBytes, 0);
  frame.writeUInt32BE(bodyBytes, 4);
  let at = headerBytes + frame.write(text, headerBytes);
  if (typeof body === 'string') frame.write(body, at);
  else if (isCopied) for (const piece of body) at += piece.copy(frame, at);
  else return [frame, ...body];
  return [frame];
}

/** Writes a frame at once. */
export function writeFrame(socket: Writable, frame: readonly Buffer[]): void {
  socket.cork();
  for (const piece of frame) socket.write(piece);
  socket.uncork();
}

/** Reads frames from the bytes of a connection, wherever these are split. Bodies are not copied. */
export class FrameReader {
  readonly #onFrame: (text: string, body: readonly Buffer[]) => void;
  /** The beginning of a frame. */
  #chunks: Buffer[] = [];
  #bytes = 0;
  /** The next frame cannot be read with fewer bytes than this. */
  #bytesWanted = headerBytes;

  constructor(onFrame: (text: string, body: readonly Buffer[]) => void) {
    this.#onFrame = onFrame;
  }

  /** @throws BrokenFrame */
  push(chunk: Buffer): void {
    if (this.#bytes === 0) {
      this.#readAll(chunk);
      return;
    }
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    if (this.#bytes < this.#bytesWanted) return;
    const chunks = this.#chunks;
    const bytesWanted = this.#bytesWanted;
    this.#chunks = [];
    this.#bytes = 0;
    this.#bytesWanted = headerBytes;
    if (bytesWanted === headerBytes) {
      this.#readAll(Buffer.concat(chunks));
      return;
    }
    const [frame, behind] = cutAt(chunks, bytesWanted);
    const [header] = cutAt(frame, headerBytes);
    const [head, body] = cutAt(frame, headerBytes + joined(header).readUInt32BE(0));
    this.#onFrame(joined(head).toString('utf8', headerBytes), body);
    for (const rest of behind) this.#readAll(rest);
  }

  /** Reads the frames of a chunk that begins with one, and keeps the first that is not complete. */
  #readAll(bytes: Buffer): void {
    let begin = 0;
    for (;;) {
      const left = bytes.length - begin;
      if (left < headerBytes) {
        this.#keep(bytes, begin, headerBytes);
        return;
      }
      const textEnd = begin + headerBytes + bytes.readUInt32BE(begin);
      const end = textEnd + bytes.readUInt32BE(begin + 4);
      if (end - begin > frameMaxBytes) throw new BrokenFrame('a frame is too long');
      if (end > bytes.length) {
        this.#keep(bytes, begin, end - begin);
        return;
      }
      this.#onFrame(
        bytes.toString('utf8', begin + headerBytes, textEnd),
        end > textEnd ? [bytes.subarray(textEnd, end)] : [],
      );
      begin = end;
    }
  }

  #keep(bytes: Buffer, begin: number, bytesWanted: number): void {
    if (begin === bytes.length) return;
    this.#chunks = [bytes.subarray(begin)];
    this.#bytes = bytes.length - begin;
    this.#bytesWanted = bytesWanted;
  }
}
