/** Shared parts of the tests of links: a node, and a gateway whose bytes a test writes. */
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import { connect } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';

import { identityHeaderName } from '@parley/api';
import { MovedClock } from '@parley/clock';
import type { Clock } from '@parley/clock';
import { signIdentity } from '@parley/auth/identity';
import { waitUntil } from '@parley/test-kit';

import { textOf } from '../src/links/body.ts';
import { FrameReader, frameOf } from '../src/links/frames.ts';
import { GatewayLink } from '../src/links/gateway-link.ts';
import { NodeLinks } from '../src/links/node-links.ts';
import { linkPath, linkProtocol, linkRequestId } from '../src/links/protocol.ts';
import type { LinkAnswer, LinkedRequest, RequestText } from '../src/links/protocol.ts';
import type { ReceivedRequest } from '../src/links/received-request.ts';

/** The secret of the gateways' signatures. */
const secret = 'i'.repeat(40);

const caller = {
  userId: 7,
  email: 'a@example.com',
  role: 'member',
  botType: null,
  botOwnerId: null,
} as const;

/** A request that waits for its answer. */
type Held = { readonly request: ReceivedRequest; readonly reply: (answer: LinkAnswer) => void };

/** A node that accepts links. */
export class LinkedNode {
  /** All requests so far. */
  readonly held: Held[] = [];
  /** Answers requests at once; without it they wait until the test does. */
  answer: ((request: ReceivedRequest) => LinkAnswer) | undefined;
  readonly faults: unknown[] = [];
  readonly moved = new MovedClock();
  /** Moved, but for tests of what a socket measures. */
  clock: Clock = this.moved;
  readonly links: NodeLinks;
  /** It answers 404 to everything except links. */
  readonly server: Server;
  readonly #closes: (() => void)[] = [];

  static async start(): Promise<LinkedNode> {
    const node = new LinkedNode();
    await new Promise<void>((resolve) => {
      node.server.listen(0, '127.0.0.1', resolve);
    });
    return node;
  }

  private constructor() {
    const clockNow = (): Clock => this.clock;
    this.links = new NodeLinks({
      get clock() {
        return clockNow();
      },
      identitySecrets: [secret],
      answer: (request, reply) => {
        this.held.push({ request, reply });
        if (this.answer !== undefined) reply(this.answer(request));
      },
      onFault: (error) => this.faults.push(error),
    });
    this.server = createServer((_request, response) => response.writeHead(404).end());
    this.server.on('upgrade', (request, socket, head) => {
      this.#closes.push(() => socket.destroy());
      this.links.accept(request, head);
    });
  }

  /** @returns a link of a gateway, to this node unless the options say otherwise */
  connect(options: Partial<ConstructorParameters<typeof GatewayLink>[0]> = {}): GatewayLink {
    const link = new GatewayLink({
      clock: this.clock,
      hostname: '127.0.0.1',
      port: portOf(this.server),
      identity: this.identityFor(linkRequestId),
      connectTimeoutMs: 5_000,
      checkIntervalMs: 60_000,
      onLeaving: () => undefined,
      onClosed: () => undefined,
      ...options,
    });
    this.#closes.push(() => link.close());
    return link;
  }

  identityFor(requestId: string, signedBy = secret): string {
    return signIdentity(signedBy, null, { requestId, nowMs: this.clock.nowMs() });
  }

  /** Requests a link, as a gateway whose bytes the test writes. */
  connectRaw(
    requestId = linkRequestId,
    { signedBy = secret, protocol = linkProtocol }: RawOptions = {},
  ): RawGateway {
    const port = Number(portOf(this.server));
    const gateway = rawGateway(port, protocol, this.identityFor(requestId, signedBy));
    this.#closes.push(() => gateway.socket.destroy());
    return gateway;
  }

  /** Waits until so many requests are held. */
  async holds(count: number): Promise<void> {
    await waitUntil('the requests are held', () => this.held.length === count);
  }

  async stop(): Promise<void> {
    for (const close of this.#closes) close();
    this.links.end();
    this.server.closeAllConnections();
    if (this.server.listening) await new Promise((resolve) => this.server.close(resolve));
  }
}

export function portOf(server: Server): string {
  return String((server.address() as AddressInfo).port);
}

export function requestWith(more: Partial<LinkedRequest> = {}): LinkedRequest {
  return {
    requestId: 'r',
    endpoint: 'e',
    wants: 'whole',
    path: {},
    query: [],
    caller,
    headers: {},
    body: Buffer.alloc(0),
    ...more,
  };
}

/** @returns the text of a request without a body */
export function requestText(number: number): RequestText {
  return [number, 'r', 'e', 'whole', {}, [], null, {}, 0];
}

/** @returns a frame in one piece */
export function wholeFrame(...frame: Parameters<typeof frameOf>): Buffer {
  return Buffer.concat(frameOf(...frame));
}

/** A gateway whose bytes the test writes. */
export type RawGateway = {
  readonly socket: Socket;
  readonly said: () => { readonly text: unknown; readonly body: string }[];
  /** The node's answer by HTTP. */
  readonly head: () => string;
  readonly isOver: () => boolean;
};

type RawOptions = {
  readonly signedBy?: string;
  readonly protocol?: string;
};

function rawGateway(port: number, protocol: string, identity: string): RawGateway {
  const socket = connect({ host: '127.0.0.1', port, allowHalfOpen: true });
  let head = '';
  let isOver = false;
  const said: { text: unknown; body: string }[] = [];
  const reader = new FrameReader((text, body) =>
    said.push({ text: JSON.parse(text) as unknown, body: textOf(body) }),
  );
  socket.on('data', (chunk: Buffer) => {
    if (head.includes('\r\n\r\n')) reader.push(chunk);
    else {
      const text = chunk.toString('latin1');
      const end = text.indexOf('\r\n\r\n') + 4;
      head += text.slice(0, end);
      if (end < text.length) reader.push(chunk.subarray(end));
    }
  });
  for (const event of ['error', 'close', 'end'])
    socket.on(event, () => {
      isOver = true;
    });
  socket.write(
    `GET ${linkPath} HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: ${protocol}\r\n${identityHeaderName}: ${identity}\r\n\r\n`,
  );
  return { socket, said: () => said, head: () => head, isOver: () => isOver };
}
