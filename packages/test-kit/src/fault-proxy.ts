import { connect, createServer } from 'node:net';
import type { Server, Socket } from 'node:net';

/** The direction of bytes: from the side that connected to the server behind the proxy, or back. */
export type Direction = 'to-server' | 'to-client';

/** A rule that holds bytes back. */
export type HeldBytes = {
  /** Resolved when bytes are held for the first time. */
  readonly caught: Promise<void>;
  /** How many connections are held at the moment. */
  readonly heldConnections: () => number;
  /** Passes on the held bytes, in order, and everything after them. */
  readonly release: () => void;
};

type Hold = {
  readonly direction: Direction;
  readonly when: (bytes: Buffer) => boolean;
  readonly channels: Set<Channel>;
  readonly onCaught: () => void;
};

type Link = {
  readonly client: Socket;
  readonly server: Socket;
  readonly channels: readonly Channel[];
};

// The text that a rule searches may be split over two chunks.
const rememberedBytes = 64;

/** One direction of one connection. */
class Channel {
  readonly direction: Direction;
  readonly #from: Socket;
  readonly #to: Socket;
  readonly #proxy: { readonly holds: ReadonlySet<Hold>; readonly delayMs: () => number };
  readonly #held: Buffer[] = [];
  /** Chunks that are slowed, with the time at which each is due. */
  readonly #slowed: { readonly chunk: Buffer; readonly dueAtMs: number }[] = [];
  #recent: Buffer = Buffer.alloc(0);
  #hold: Hold | undefined;
  #ended = false;

  constructor(
    direction: Direction,
    from: Socket,
    to: Socket,
    proxy: { readonly holds: ReadonlySet<Hold>; readonly delayMs: () => number },
  ) {
    this.direction = direction;
    this.#from = from;
    this.#to = to;
    this.#proxy = proxy;
    from.on('data', (chunk: Buffer) => this.#receive(chunk));
    from.on('end', () => this.#end());
  }

  get isHeld(): boolean {
    return this.#hold !== undefined;
  }

  release(): void {
    this.#hold = undefined;
    for (const chunk of this.#held.splice(0)) this.#forward(chunk);
    this.#endWhenDone();
  }

  #receive(chunk: Buffer): void {
    if (this.#hold !== undefined) {
      this.#held.push(chunk);
      return;
    }
    const seen = Buffer.concat([this.#recent, chunk]);
    for (const hold of this.#proxy.holds) {
      if (hold.direction !== this.direction || !hold.when(seen)) continue;
      this.#hold = hold;
      hold.channels.add(this);
      this.#held.push(chunk);
      hold.onCaught();
      return;
    }
    this.#recent = seen.subarray(Math.max(0, seen.length - rememberedBytes));
    this.#forward(chunk);
  }

  #forward(chunk: Buffer): void {
    const delayMs = this.#proxy.delayMs();
    // New bytes go behind waiting ones, even if the delay was reduced since.
    if (delayMs === 0 && this.#slowed.length === 0) {
      this.#write(chunk);
      return;
    }
    this.#slowed.push({ chunk, dueAtMs: performance.now() + delayMs });
    if (this.#slowed.length === 1) setTimeout(() => this.#writeSlowed(), delayMs);
  }

  #writeSlowed(): void {
    const first = this.#slowed.shift();
    if (first !== undefined) this.#write(first.chunk);
    const next = this.#slowed[0];
    if (next === undefined) this.#endWhenDone();
    else setTimeout(() => this.#writeSlowed(), Math.max(0, next.dueAtMs - performance.now()));
  }

  #write(chunk: Buffer): void {
    if (this.#to.destroyed || this.#to.writableEnded) return;
    if (this.#to.write(chunk)) return;
    this.#from.pause();
    this.#to.once('drain', () => this.#from.resume());
  }

  #end(): void {
    this.#ended = true;
    this.#endWhenDone();
  }

  #endWhenDone(): void {
    if (!this.#ended || this.#hold !== undefined || this.#slowed.length > 0) return;
    const delayMs = this.#proxy.delayMs();
    if (delayMs > 0) setTimeout(() => this.#to.end(), delayMs);
    else this.#to.end();
  }
}

/**
 * A TCP proxy on a free port of 127.0.0.1 that can hold bytes back, cut connections, refuse new ones and slow all down. It stands in front
 * of a store or a service, and the code under test does not know it.
 */
export class FaultProxy {
  readonly #server: Server;
  readonly #links = new Set<Link>();
  readonly #holds = new Set<Hold>();
  #target: { readonly host: string; readonly port: number };
  #refuses = false;
  #opened = 0;
  #delayMs = 0;
  #openingDelayMs = 0;

  /**
   * @param targetUrl any URL with host and port
   * @param listen where to listen; by default on a free port of 127.0.0.1
   */
  static async start(
    targetUrl: string,
    listen: { readonly host: string; readonly port: number } = { host: '127.0.0.1', port: 0 },
  ): Promise<FaultProxy> {
    const proxy = new FaultProxy(targetUrl);
    await new Promise<void>((resolve, reject) => {
      proxy.#server.once('error', reject);
      proxy.#server.listen(listen.port, listen.host, resolve);
    });
    return proxy;
  }

  private constructor(targetUrl: string) {
    this.#target = parseTarget(targetUrl);
    this.#server = createServer({ allowHalfOpen: true, noDelay: true }, (client) =>
      this.#accept(client),
    );
  }

  get port(): number {
    const address = this.#server.address();
    if (address === null || typeof address === 'string')
      throw new Error('the proxy does not listen');
    return address.port;
  }

  /** The same URL with this proxy's host and port. */
  through(url: string): string {
    const changed = new URL(url);
    changed.hostname = '127.0.0.1';
    changed.port = String(this.port);
    return changed.href;
  }

  /** The number of open connections. */
  get connectionCount(): number {
    return this.#links.size;
  }

  /** The number of connections that were ever opened. */
  get openedCount(): number {
    return this.#opened;
  }

  /** Sends new connections to another address. */
  retarget(targetUrl: string): void {
    this.#target = parseTarget(targetUrl);
  }

  /**
   * Holds back, separately on every connection, the first bytes that match and all after them, until released. The connection stays open.
   *
   * @param when called with each chunk after the last 64 bytes before it; by default everything is held
   */
  holdBack(direction: Direction, when: (bytes: Buffer) => boolean = () => true): HeldBytes {
    const { promise: caught, resolve: onCaught } = Promise.withResolvers<void>();
    const hold: Hold = { direction, when, channels: new Set(), onCaught };
    this.#holds.add(hold);
    return {
      caught,
      heldConnections: () => [...hold.channels].filter((channel) => channel.isHeld).length,
      release: () => {
        this.#holds.delete(hold);
        for (const channel of hold.channels) channel.release();
        hold.channels.clear();
      },
    };
  }

  /** Holds back Redis' PUBLISH commands, and all later commands on their connections. */
  holdBackPublish(): HeldBytes {
    return this.holdBack('to-server', (bytes) =>
      bytes.toString('latin1').toLowerCase().includes('\r\npublish\r\n'),
    );
  }

  /** Resets all open connections. New ones are accepted unless `refuse` is set. */
  cut(): void {
    for (const link of this.#links) {
      link.client.resetAndDestroy();
      link.server.resetAndDestroy();
    }
  }

  /** Whether new connections are reset at once. */
  refuse(refuses: boolean): void {
    this.#refuses = refuses;
  }

  /** Lets new connections wait before anything on them is answered, as a busy server does; 0 for no wait. */
  delayOpening(delayMs: number): void {
    this.#openingDelayMs = delayMs;
  }

  /** Delays every chunk in both directions; 0 passes it on at once. */
  delay(delayMs: number): void {
    this.#delayMs = delayMs;
  }

  async stop(): Promise<void> {
    const closed = new Promise<void>((resolve) => {
      this.#server.close(() => resolve());
    });
    this.cut();
    await closed;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  #accept(client: Socket): void {
    client.on('error', () => client.destroy());
    if (this.#refuses) {
      client.resetAndDestroy();
      return;
    }
    this.#opened += 1;
    if (this.#openingDelayMs === 0) this.#join(client);
    else setTimeout(() => this.#join(client), this.#openingDelayMs);
  }

  #join(client: Socket): void {
    if (client.destroyed) return;
    const server = connect({ ...this.#target, allowHalfOpen: true, noDelay: true });
    const shared = { holds: this.#holds, delayMs: () => this.#delayMs };
    const link: Link = {
      client,
      server,
      channels: [
        new Channel('to-server', client, server, shared),
        new Channel('to-client', server, client, shared),
      ],
    };
    this.#links.add(link);
    // The end of one side is passed on in the same form: a reset as a reset.
    server.on('error', () => client.resetAndDestroy());
    const forget = (): void => {
      this.#links.delete(link);
      for (const hold of this.#holds) {
        for (const channel of link.channels) hold.channels.delete(channel);
      }
    };
    client.on('close', () => {
      server.destroy();
      forget();
    });
    // The server's last bytes still go to the client. The link stays in the list, so that a client that does not read is cut off with the
    // others.
    server.on('close', () => client.destroySoon());
  }
}

function parseTarget(targetUrl: string): { readonly host: string; readonly port: number } {
  const { hostname, port } = new URL(targetUrl);
  if (port === '') throw new Error('the target of a proxy needs a port');
  return { host: hostname, port: Number(port) };
}
