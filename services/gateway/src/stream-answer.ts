/**
 * Sends streams of events to clients. Everything that arrives for a stream in one turn of the event loop is written at once. Streams that
 * get the same share one copy of the bytes. Parts end between two events, so a stream can end after any part.
 */
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

import { limitMs } from '@parley/clock';
import type { Clock } from '@parley/clock';
import { bytesOf, ownCopy } from '@parley/server/links';

/** A client that does not read the end of its stream is disconnected after this time. */
const endingMaxMs = 10_000;

const endOfLine = Buffer.from('\r\n');

/** The bytes for a stream in one turn of the event loop. What is written is copied, because a slow client holds it until it is read. */
export class StreamBytes {
  readonly length: number;
  readonly #pieces: readonly Buffer[];
  #plain: Buffer | undefined;
  #chunk: Buffer | undefined;
  /** The continuation of the streams that continued from here; most continue alike. */
  #next: { readonly piece: StreamBytes; readonly all: StreamBytes } | undefined;

  constructor(pieces: readonly Buffer[]) {
    this.#pieces = pieces;
    this.length = bytesOf(pieces);
  }

  /** @returns these bytes followed by those of the piece */
  with(piece: StreamBytes): StreamBytes {
    if (this.#next?.piece !== piece)
      this.#next = { piece, all: new StreamBytes([...this.#pieces, ...piece.#pieces]) };
    return this.#next.all;
  }

  get plain(): Buffer {
    this.#plain ??= ownCopy(this.#pieces);
    return this.#plain;
  }

  /** The chunk that `node:http` sends for a part of a body of unknown length; it would make each chunk anew. */
  get chunk(): Buffer {
    if (this.#chunk === undefined) {
      const size = Buffer.from(`${this.length.toString(16)}\r\n`);
      this.#chunk = ownCopy([size, ...this.#pieces, endOfLine]);
    }
    return this.#chunk;
  }
}

export type StreamSettings = {
  readonly clock: Clock;
  /** A client with more unread bytes than this is disconnected when more come. */
  readonly unreadMaxBytes: number;
  /** A client that reads nothing for this time is disconnected too, at the latest after twice as long. */
  readonly stallMs: number;
  readonly onBytes: (count: number) => void;
  readonly onCutOff: () => void;
};

/** The writes of one turn of the event loop. */
export class StreamWrites {
  readonly settings: StreamSettings;
  #streams: StreamAnswer[] = [];
  /** The bytes made from the last part. */
  #last: { readonly part: readonly Buffer[]; readonly bytes: StreamBytes } | undefined;

  constructor(settings: StreamSettings) {
    this.settings = settings;
  }

  /** @param part the same object for all streams that get the same */
  bytesOf(part: readonly Buffer[]): StreamBytes {
    if (this.#last?.part !== part) this.#last = { part, bytes: new StreamBytes(part) };
    return this.#last.bytes;
  }

  /** Lets a stream write at the end of this turn, when all its bytes have arrived. */
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
  /** The bytes of this turn. */
  #pending: StreamBytes | undefined;
  #onTaken: (() => void) | undefined;
  #hasBegun = false;
  #stopWatching: (() => void) | undefined;

  /** @param response whose head has been written */
  constructor(response: ServerResponse, writes: StreamWrites) {
    this.#response = response;
    this.#writes = writes;
    response.on('timeout', () => this.#cutOffIfUnread());
    if (response.socket === null) response.once('socket', (socket: Socket) => this.#watch(socket));
    else this.#watch(response.socket);
  }

  get unreadBytes(): number {
    return this.#response.writableLength;
  }

  /** @param onTaken called once the client's connection has taken the part, which may never happen */
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

  /** Writes the bytes of this turn. */
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
    const response = this.#response;
    const { socket } = response;
    // The bytes go together with the head, which `node:http` writes at the end of the turn, or after an earlier answer on this connection.
    if (!this.#hasBegun || socket === null) {
      this.#hasBegun = true;
      response.write(pending.plain, onTaken);
    } else socket.write(response.chunkedEncoding ? pending.chunk : pending.plain, onTaken);
  }

  /** Ends the stream after the bytes that have arrived, with this text. */
  end(lastWords: string): void {
    if (this.#isOver) return;
    this.flush();
    this.#stopWatching?.();
    const { clock, onBytes } = this.#writes.settings;
    onBytes(Buffer.byteLength(lastWords));
    this.#response.end(lastWords);
    // A client that reads nothing could otherwise hold the connection for ever.
    const timer = clock.after(endingMaxMs, () => this.#response.destroy());
    this.#response.once('close', timer.cancel);
  }

  get #isOver(): boolean {
    return this.#response.writableEnded || this.#response.destroyed;
  }

  /** Uses Node's timer, because only it sees how much of a long write the client has read. What waits behind that write does not restart it. */
  #watch(socket: Socket): void {
    if (this.#isOver) return;
    const { timeout = 0 } = socket;
    const { clock, stallMs } = this.#writes.settings;
    socket.setTimeout(limitMs(clock, stallMs));
    // The connection may have other answers later.
    this.#stopWatching = () => socket.setTimeout(timeout);
  }

  #cutOffIfUnread(): void {
    // After a pause of this process, what was read meanwhile is seen before.
    setImmediate(() => {
      if (this.unreadBytes > 0) this.#cutOff();
    });
  }

  /** Its client reconnects with the last id that it has. */
  #cutOff(): void {
    if (this.#isOver) return;
    this.#writes.settings.onCutOff();
    this.#response.destroy();
  }
}
