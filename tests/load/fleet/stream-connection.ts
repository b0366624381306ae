import { connect } from 'node:net';
import type { Socket } from 'node:net';

/** Gets an answer while it arrives. */
export type StreamListener = {
  readonly onHead: () => void;
  /** Gets the text that has arrived, up to the end of an event. */
  readonly onEvents: (text: string) => void;
};

const endOfHead = '\r\n\r\n';
const endOfEvent = Buffer.from('\n\n');
const endOfLine = Buffer.from('\r\n');

/** One client connection on a plain socket for one endless answer. It reads only Server-Sent Events in chunks. */
export class StreamConnection {
  readonly #socket: Socket;
  #received: Buffer = Buffer.alloc(0);
  /** The received part of an incomplete event. */
  #begun: Buffer = Buffer.alloc(0);
  #hasHead = false;

  constructor(url: string) {
    const { hostname, port } = new URL(url);
    this.#socket = connect({ host: hostname, port: Number(port), noDelay: true });
  }

  /**
   * Sends the request, and resolves when the answer has ended.
   *
   * @throws Error if the answer is not such a stream
   */
  read(request: string, listener: StreamListener): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#socket.on('data', (chunk: Buffer) => {
        try {
          this.#take(chunk, listener);
        } catch (error) {
          reject(new Error(`it cannot be read: ${String(error)}`, { cause: error }));
          this.#socket.destroy();
        }
      });
      this.#socket.on('error', reject);
      this.#socket.on('close', () => resolve());
      this.#socket.write(request);
    });
  }

  /** Closes the connection, like a client that hangs up. */
  abort(): void {
    this.#socket.destroy();
  }

  #take(bytes: Buffer, listener: StreamListener): void {
    this.#received = this.#received.length === 0 ? bytes : Buffer.concat([this.#received, bytes]);
    if (!this.#hasHead && !this.#takeHead(listener)) return;
    const events: Buffer[] = [];
    for (let chunk = this.#takeChunk(); chunk !== undefined; chunk = this.#takeChunk())
      events.push(chunk);
    if (events.length === 0) return;
    const [first] = events;
    const all =
      events.length === 1 && first !== undefined && this.#begun.length === 0
        ? first
        : Buffer.concat([this.#begun, ...events]);
    const last = all.lastIndexOf(endOfEvent);
    const end = last === -1 ? 0 : last + endOfEvent.length;
    this.#begun = all.subarray(end);
    if (end > 0) listener.onEvents(all.toString('utf8', 0, end));
  }

  /** @returns whether the headers have arrived */
  #takeHead(listener: StreamListener): boolean {
    const end = this.#received.indexOf(endOfHead);
    if (end === -1) return false;
    const head = this.#received.toString('latin1', 0, end);
    if (!head.startsWith('HTTP/1.1 200 ') || !/^transfer-encoding: chunked/im.test(head))
      throw new Error(`no stream: ${this.#received.toString('latin1', 0, 500)}`);
    this.#received = this.#received.subarray(end + endOfHead.length);
    this.#hasHead = true;
    listener.onHead();
    return true;
  }

  /** @returns the next chunk, or undefined before it has arrived; the end of the connection ends the answer */
  #takeChunk(): Buffer | undefined {
    const lineEnd = this.#received.indexOf(endOfLine);
    if (lineEnd === -1) return undefined;
    const begin = lineEnd + endOfLine.length;
    const end = begin + Number.parseInt(this.#received.toString('latin1', 0, lineEnd), 16);
    if (this.#received.length < end + endOfLine.length) return undefined;
    const chunk = this.#received.subarray(begin, end);
    this.#received = this.#received.subarray(end + endOfLine.length);
    if (chunk.length === 0) this.#socket.destroy();
    return chunk;
  }
}
