import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { gunzipSync } from 'node:zlib';

export type WireAnswer = {
  readonly status: number;
  /** The headers as received, with the server's spelling of names. */
  readonly head: string;
  readonly isCompressed: boolean;
  /** Decompressed when it is read. */
  readonly body: string;
  /** The length of the body on the wire. */
  readonly bodyBytes: number;
};

const endOfHead = Buffer.from('\r\n\r\n');
const endOfLine = Buffer.from('\r\n');

/**
 * One client connection on a plain socket, one request at a time: cheap enough for a generator of thousands of polls beside the
 * system that it measures. It reads bodies of a declared length or in chunks, compressed by gzip or not.
 */
export class HttpConnection {
  readonly #hostname: string;
  readonly #port: number;
  #socket: Socket | undefined;
  #received: Buffer | undefined;
  #waiting: PromiseWithResolvers<WireAnswer> | undefined;

  /** @param url a base address; nothing is opened before the first request */
  constructor(url: string) {
    const { hostname, port } = new URL(url);
    this.#hostname = hostname;
    this.#port = Number(port);
  }

  /**
   * Sends a request, and opens the connection first if there is none.
   *
   * @param onWritten called when the request has been sent on an open connection
   * @throws Error when the connection ends before the answer is complete
   */
  request(text: string, onWritten?: () => void): Promise<WireAnswer> {
    if (this.#waiting !== undefined) throw new Error('one request at a time');
    const waiting = Promise.withResolvers<WireAnswer>();
    this.#waiting = waiting;
    const socket = this.#socket ?? this.#open();
    socket.write(text, () => onWritten?.());
    return waiting.promise;
  }

  /** Closes the connection, like a client that hangs up; a pending request fails. */
  abort(): void {
    this.#socket?.destroy();
  }

  #open(): Socket {
    const socket = connect({ host: this.#hostname, port: this.#port, noDelay: true });
    this.#socket = socket;
    this.#received = undefined;
    let fault = new Error('the connection ended before the answer');
    socket.on('data', (chunk: Buffer) => this.#read(chunk));
    socket.on('error', (error) => {
      fault = error;
    });
    // If the server closes the connection, this side closes it too.
    socket.on('close', () => {
      if (this.#socket !== socket) return;
      this.#socket = undefined;
      const waiting = this.#waiting;
      this.#waiting = undefined;
      waiting?.reject(fault);
    });
    return socket;
  }

  #read(chunk: Buffer): void {
    const received = this.#received === undefined ? chunk : Buffer.concat([this.#received, chunk]);
    const headEnd = received.indexOf(endOfHead);
    this.#received = received;
    if (headEnd === -1) return;
    const head = received.toString('latin1', 0, headEnd);
    const rest = received.subarray(headEnd + endOfHead.length);
    const length = /^content-length: (\d+)/im.exec(head)?.[1];
    if (length === undefined && !/^transfer-encoding: chunked/im.test(head)) {
      this.#socket?.destroy(new Error(`an answer without a length: ${head.slice(0, 200)}`));
      return;
    }
    const body = length === undefined ? readChunks(rest) : readLength(rest, Number(length));
    if (body === undefined) return;
    this.#received = undefined;
    const waiting = this.#waiting;
    this.#waiting = undefined;
    if (/^connection: close/im.test(head)) {
      this.#socket?.destroy();
      this.#socket = undefined;
    }
    const isCompressed = /^content-encoding: gzip/im.test(head);
    waiting?.resolve({
      status: Number(head.slice(9, 12)),
      head,
      isCompressed,
      bodyBytes: body.length,
      get body() {
        return (isCompressed ? gunzipSync(body) : body).toString('utf8');
      },
    });
  }
}

/** @returns undefined until it is complete */
function readLength(received: Buffer, length: number): Buffer | undefined {
  return received.length < length ? undefined : received.subarray(0, length);
}

/** Reads a chunked body, which servers other than ours send. @returns undefined until it is complete */
function readChunks(received: Buffer): Buffer | undefined {
  const chunks: Buffer[] = [];
  for (let at = 0; ;) {
    const sizeEnd = received.indexOf(endOfLine, at);
    if (sizeEnd === -1) return undefined;
    const size = Number.parseInt(received.toString('latin1', at, sizeEnd), 16);
    const from = sizeEnd + endOfLine.length;
    at = from + size + endOfLine.length;
    if (received.length < at) return undefined;
    if (size === 0) return Buffer.concat(chunks);
    chunks.push(received.subarray(from, from + size));
  }
}
