import { connect } from 'node:net';
import type { Socket } from 'node:net';

/** A connection on which the test controls every byte. */
export class Wire {
  heard = '';
  isClosed = false;
  readonly #socket: Socket;

  static open(url: string): Promise<Wire> {
    const { hostname, port } = new URL(url);
    return new Promise((resolve, reject) => {
      const socket = connect({ host: hostname, port: Number(port) });
      socket.once('error', reject);
      socket.once('connect', () => resolve(new Wire(socket)));
    });
  }

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.on('error', () => undefined);
    socket.on('data', (chunk: Buffer) => {
      this.heard += chunk.toString('latin1');
    });
    socket.on('close', () => {
      this.isClosed = true;
    });
  }

  /** The statuses of the answers so far. */
  get statuses(): number[] {
    return [...this.heard.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
  }

  say(text: string | Buffer): void {
    if (this.#socket.writable) this.#socket.write(text);
  }

  hangUp(): void {
    this.#socket.destroy();
  }
}

/** @returns the first lines of a request, to which more headers can be added */
export const head = (line: string): string => `${line} HTTP/1.1\r\nHost: chat.example\r\n`;
