/** Shared parts of the tests of links: a server that accepts links, and a raw gateway. */
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import { connect } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';

import { identityHeaderName } from '@parley/api';
import type { Clock } from '@parley/clock';
import { signIdentity } from '@parley/identity';

import { textOf } from '../src/body.ts';
import { FrameReader, frameOf } from '../src/frames.ts';
import { GatewayLink } from '../src/gateway-link.ts';
import type { NodeLinks } from '../src/node-links.ts';
import { linkPath, linkProtocol, linkRequestId } from '../src/protocol.ts';
import type { RequestText } from '../src/protocol.ts';

/** The secret of the gateways' signatures. */
export const secret = 'i'.repeat(40);

export const caller = {
  userId: 7,
  email: 'a@example.com',
  role: 'member',
  botType: null,
  botOwnerId: null,
} as const;

/** @returns a server on a free port of the loopback address, which answers 404 to everything except links */
export async function listenForLinks(links: NodeLinks): Promise<Server> {
  const server = createServer((_request, response) => response.writeHead(404).end());
  server.on('upgrade', (request, _socket, head) => links.accept(request, head));
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return server;
}

/** @returns a link of a gateway to the server; the test closes it */
export function openLink(to: Server, clock: Clock): GatewayLink {
  return new GatewayLink({
    clock,
    hostname: '127.0.0.1',
    port: String((to.address() as AddressInfo).port),
    identity: signIdentity(secret, null, { requestId: linkRequestId, nowMs: clock.nowMs() }),
    connectTimeoutMs: 5_000,
    checkIntervalMs: 60_000,
    onLeaving: () => undefined,
    onClosed: () => undefined,
  });
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

/** Requests a link from a server. */
export function connectRaw(
  server: Server,
  clock: Clock,
  requestId: string,
  { signedBy = secret, protocol = linkProtocol }: RawOptions = {},
): RawGateway {
  const { port } = server.address() as AddressInfo;
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
  const identity = signIdentity(signedBy, null, { requestId, nowMs: clock.nowMs() });
  socket.write(
    `GET ${linkPath} HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: ${protocol}\r\n${identityHeaderName}: ${identity}\r\n\r\n`,
  );
  return { socket, said: () => said, head: () => head, isOver: () => isOver };
}
