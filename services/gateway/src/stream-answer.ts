/**
 * Streams of events on their way to clients. What comes in one turn of the event loop is written to each of them once, as bytes that are put
 * together once for all that get the same. Parts end between two events, so a stream can end behind any of them.
 */
import type { ServerResponse } from 'node:http';

import type { ApiError } from '@parley/api';
import { bytesOf, joined } from '@parley/links';

/** A client that does not take the end of its stream is left after so long. */
const endingMaxMs = 10_000;

/** Clients that are sent away together come back spread over so long. */
const reconnectSpreadMs = 2_000;

const endOfLine = Buffer.from('\r\n');

/** Says when to come back. */
export function comeBack(): string {
  return `retry: ${Math.round(500 + Math.random() * reconnectSpreadMs)}\n\n`;
}

/** A refusal where the answer has begun: the last event of the stream, with the JSON that the answer would have been. */
export function refusalEvent(error: ApiError): string {
  return `event: error\ndata: ${JSON.stringify(error.toBody())}\n\n`;
}

/** What comes to a stream in one turn of the event loop. */
export class StreamBytes {
  readonly length: number;
  readonly #pieces: readonly Buffer[];
  #plain: Buffer | undefined;
  #chunk: Buffer | undefined;
  /** What the streams got that went on from here: mostly the same. */
  #next: { readonly piece: StreamBytes; readonly all: StreamBytes } | undefined;

  constructor(pieces: readonly Buffer[]) {
    this.#pieces = pieces;
    this.length = bytesOf(pieces);
  }

  /** @returns these bytes and those behind them */
  with(piece: StreamBytes): StreamBytes {
    if (this.#next?.piece !== piece)
      this.#next = { piece, all: new StreamBytes([...this.#pieces, ...piece.#pieces]) };
    return this.#next.all;
  }

  get plain(): Buffer {
    this.#plain ??= joined(this.#pieces);
    return this.#plain;
  }

  /** As `node:http` sends a part of a body whose length is not known; it would make each anew. */
  get chunk(): Buffer {
    if (this.#chunk === undefined) {
      const size = Buffer.from(`${this.length.toString(16)}\r\n`);
      this.#chunk = Buffer.concat([size, ...this.#pieces, endOfLine]);
    }
    return this.#chunk;
  }
}

export type StreamSettings = {
  /** A client that has left more than so many bytes when more comes is cut off. */
  readonly unreadMaxBytes: number;
  /** One that takes nothing of what it was sent for so long is, too. */
  readonly stallMs: number;
  readonly onBytes: (count: number) => void;
  readonly onCutOff: () => void;
};

/** The writes of one turn of the event loop. */
export class StreamWrites {
  readonly settings: StreamSettings;
  #streams: StreamAnswer[] = [];
  /** What the last part was made into. */
  #last: { readonly part: readonly Buffer[]; readonly bytes: StreamBytes } | undefined;

  constructor(settings: StreamSettings) {
    this.settings = settings;
  }

  /** @param part the same object for all streams that get the same */
  bytesOf(part: readonly Buffer[]): StreamBytes {
    if (this.#last?.part !== part) this.#last = { part, bytes: new StreamBytes(part) };
    return this.#last.bytes;
  }

  /** Lets a stream write when all has come that comes in this turn. */
  add(stream: StreamAnswer): void {
    if (this.#streams.push(stream) > 1) return;
    setImmediate(() => {
      const streams = this.#streams;
      this.#streams = [];
      this.#last = undefined;
      for (const each of streams) each.flush();
    });
  }
}

export class StreamAnswer {
  readonly #response: ServerResponse;
  readonly #writes: StreamWrites;
  /** Of this turn. */
  #pending: StreamBytes | undefined;
  #onTaken: (() => void) | undefined;
  #hasBegun = false;
  #writtenBytes = 0;
  /** What the client's connection had taken at the last look, and since when. */
  #takenBytes = 0;
  #takenSinceMs = 0;

  /** @param response whose head was written */
  constructor(response: ServerResponse, writes: StreamWrites) {
    this.#response = response;
    this.#writes = writes;
  }

  get unreadBytes(): number {
    return this.#response.writableLength;
  }

  /** @param onTaken told once the client's connection has taken it, if it ever does */
  write(part: readonly Buffer[], onTaken?: () => void): void {
    const bytes = this.#writes.bytesOf(part);
    this.#onTaken = onTaken ?? this.#onTaken;
    if (this.#pending !== undefined) {
      this.#pending = this.#pending.with(bytes);
      return;
    }
    this.#pending = bytes;
    this.#writes.add(this);
  }

  /** Writes what has come. */
  flush(): void {
    const pending = this.#pending;
    this.#pending = undefined;
    if (pending === undefined || this.#isOver) return;
    const { unreadMaxBytes, onBytes } = this.#writes.settings;
    if (this.unreadBytes > unreadMaxBytes) {
      this.#cutOff();
      return;
    }
    const onTaken = this.#onTaken;
    this.#onTaken = undefined;
    onBytes(pending.length);
    this.#writtenBytes += pending.length;
    const response = this.#response;
    const { socket } = response;
    // With the head, which `node:http` writes at the end of the turn, or behind an answer that is still to come on this connection.
    if (!this.#hasBegun || socket === null) {
      this.#hasBegun = true;
      response.write(pending.plain, onTaken);
    } else socket.write(response.chunkedEncoding ? pending.chunk : pending.plain, onTaken);
  }

  /** Ends the stream behind what has come, with these words. */
  end(lastWords: string): void {
    if (this.#isOver) return;
    this.flush();
    this.#writes.settings.onBytes(Buffer.byteLength(lastWords));
    this.#response.end(lastWords);
    // Who reads nothing would hold the connection as long as it likes.
    const timer = setTimeout(() => this.#response.destroy(), endingMaxMs);
    this.#response.once('close', () => clearTimeout(timer));
  }

  /** Cuts the client off where it takes nothing; to be called now and then. */
  checkProgress(nowMs: number): void {
    const { unreadBytes } = this;
    const takenBytes = this.#writtenBytes - unreadBytes;
    if (unreadBytes === 0 || takenBytes !== this.#takenBytes) {
      this.#takenBytes = takenBytes;
      this.#takenSinceMs = nowMs;
    } else if (nowMs - this.#takenSinceMs >= this.#writes.settings.stallMs) this.#cutOff();
  }

  get #isOver(): boolean {
    return this.#response.writableEnded || this.#response.destroyed;
  }

  /** It comes back with the last id that it has. */
  #cutOff(): void {
    if (this.#isOver) return;
    this.#writes.settings.onCutOff();
    this.#response.destroy();
  }
}
