/** Both ends of a link, over a real connection. */
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

import { identityHeaderName } from '@parley/api';
import { MovedClock } from '@parley/clock';
import { signIdentity } from '@parley/identity';
import { waitUntil } from '@parley/test-kit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { caller, listenForLinks, secret } from '../tests/link-server.ts';
import { GatewayLink } from './gateway-link.ts';
import { LinkLost, LinkUnreachable } from './link.ts';
import type { LinkFault } from './link.ts';
import { NodeLinks } from './node-links.ts';
import type { ReceivedRequest } from './received-request.ts';
import { textOf } from './body.ts';
import { linkPath, linkProtocol, linkRequestId } from './protocol.ts';
import type { LinkAnswer, LinkedRequest } from './protocol.ts';

const connectTimeoutMs = 5_000;
const checkIntervalMs = 60_000;
const answer = { status: 200, kind: 'json', headers: {}, shared: 'x', own: 'y' } as const;

let server: Server;
let clock: MovedClock;
let links: NodeLinks;
let port: string;
let polled: ReceivedRequest[];
let calls: string[];
let reply: (poll: ReceivedRequest) => Promise<LinkAnswer>;
let closeGatewayLink: () => void;

beforeEach(async () => {
  clock = new MovedClock();
  polled = [];
  calls = [];
  reply = () => Promise.resolve(answer);
  closeGatewayLink = () => undefined;
  links = new NodeLinks({
    clock,
    identitySecrets: [secret],
    answer: (poll, replyWith) => {
      polled.push(poll);
      void reply(poll).then(replyWith);
    },
    onFault: () => undefined,
  });
  server = await listenForLinks(links);
  port = String((server.address() as AddressInfo).port);
});

afterEach(async () => {
  closeGatewayLink();
  links.end();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

function identityFor(requestId: string, signedBy = secret): string {
  return signIdentity(signedBy, null, { requestId, nowMs: clock.nowMs() });
}

function connect(identity: string, toPort = port): GatewayLink {
  const link = new GatewayLink({
    clock,
    hostname: '127.0.0.1',
    port: toPort,
    identity,
    connectTimeoutMs,
    checkIntervalMs,
    onLeaving: () => calls.push('leaving'),
    onClosed: () => undefined,
  });
  closeGatewayLink = () => link.close();
  return link;
}

function requestOf(requestId: string, value = 'b', body = ''): LinkedRequest {
  return {
    requestId,
    endpoint: 'get-x',
    wants: 'whole',
    path: { id: '7' },
    query: [['a', value]],
    caller,
    headers: {},
    body: Buffer.from(body),
  };
}

function ask(link: GatewayLink, value = 'b', body = ''): Promise<LinkAnswer | LinkFault> {
  return new Promise((resolve) => {
    link.send(requestOf('r', value, body), {
      onLinkAnswer: ({ shared, ...rest }) => resolve({ ...rest, shared: textOf(shared) }),
      onLinkFault: (fault) => resolve(fault),
    });
  });
}

describe('a link', () => {
  it('carries polls and their answers', async () => {
    const link = connect(identityFor(linkRequestId));
    expect(await ask(link)).toEqual(answer);
    expect(polled).toMatchObject([requestOf('r')]);
    expect(link.size).toBe(0);
  });

  it.each([
    ['no identity', () => ''],
    ['one by another secret', () => identityFor(linkRequestId, 'j'.repeat(40))],
    ['one of a request that needs no authentication', () => identityFor('0123456789abcdef')],
  ])('is not opened with %s', async (_case, make) => {
    expect(await ask(connect(make()))).toBeInstanceOf(LinkUnreachable);
    expect([links.size, polled.length]).toEqual([0, 0]);
  });

  it('is not opened for another protocol', async () => {
    const response = await fetch(`http://127.0.0.1:${port}${linkPath}`, {
      headers: { [identityHeaderName]: identityFor(linkRequestId) },
    });
    expect(response.status).toBe(404);
    expect(linkProtocol).toMatch(/-\d+$/);
  });

  it('is refused by a server that knows no links', async () => {
    server.removeAllListeners('upgrade');
    expect(await ask(connect(identityFor(linkRequestId)))).toBeInstanceOf(LinkUnreachable);
  });

  it('distinguishes unreached nodes from lost requests', async () => {
    reply = () => new Promise(() => undefined);
    const link = connect(identityFor(linkRequestId));
    const held = ask(link);
    const begun = Promise.withResolvers<undefined>();
    reply = () => {
      begun.resolve(undefined);
      return new Promise(() => undefined);
    };
    await begun.promise;
    links.end();
    expect(await held).toBeInstanceOf(LinkLost);
    const closed = createServer();
    await new Promise<void>((resolve) => {
      closed.listen(0, '127.0.0.1', resolve);
    });
    const { port: closedPort } = closed.address() as AddressInfo;
    await new Promise((resolve) => closed.close(resolve));
    expect(await ask(connect(identityFor(linkRequestId), String(closedPort)))).toBeInstanceOf(
      LinkUnreachable,
    );
  });

  it('reports that its node stops before the answers caused by that', async () => {
    const release = Promise.withResolvers<undefined>();
    reply = async () => {
      await release.promise;
      return answer;
    };
    const link = connect(identityFor(linkRequestId));
    const begun = new Promise<void>((resolve) => {
      const { length } = polled;
      const check = (): void => {
        if (polled.length > length) resolve();
        else setImmediate(check);
      };
      check();
    });
    const held = ask(link).then(() => calls.push('answer'));
    await begun;
    links.sayLeaving();
    release.resolve(undefined);
    await held;
    expect(calls).toEqual(['leaving', 'answer']);
  });

  it('sends the common beginning of many answers once', async () => {
    const long = 'l'.repeat(100_000);
    const headers = {};
    reply = ({ query }) =>
      Promise.resolve({
        status: 200,
        kind: 'json',
        headers,
        shared: long,
        own: query[0]?.[1] ?? '',
      });
    let socket: Socket | undefined;
    server.on('upgrade', (_request, upgraded: Socket) => {
      socket = upgraded;
    });
    const link = connect(identityFor(linkRequestId));
    const answers = await Promise.all(Array.from({ length: 100 }, (_, n) => ask(link, String(n))));
    expect(answers).toEqual(
      Array.from({ length: 100 }, (_, n) => ({
        status: 200,
        kind: 'json',
        headers,
        shared: long,
        own: String(n),
      })),
    );
    expect(socket?.bytesWritten).toBeLessThan(long.length * 3);
  });

  it('tells the node about abandoned requests, even if the next poll reuses the slot at once', async () => {
    reply = () => new Promise(() => undefined);
    const link = connect(identityFor(linkRequestId));
    const listener = { onLinkAnswer: () => undefined, onLinkFault: () => undefined };
    const first = link.send(requestOf('first'), listener);
    await waitUntil('the first poll is held', () => polled.length === 1);
    link.leave(first);
    const second = link.send(requestOf('second'), listener);
    link.leave(second);
    link.send(requestOf('third'), listener);
    await waitUntil('the third poll is held', () => polled.length === 2);
    expect(polled.map(({ requestId, signal }) => [requestId, signal.aborted])).toEqual([
      ['first', true],
      ['third', false],
    ]);
  });

  it('carries thousands of the longest polls that start at once', async () => {
    reply = () => Promise.resolve(answer);
    const link = connect(identityFor(linkRequestId));
    const query = 'q'.repeat(15_500);
    const answers = await Promise.all(Array.from({ length: 4_500 }, () => ask(link, query)));
    expect(answers.filter((each) => each instanceof Error)).toEqual([]);
  });

  it('is lost if the node is silent, even if the connection stays open', async () => {
    let upgraded: Socket | undefined;
    server.on('upgrade', (_request, socket: Socket) => {
      upgraded = socket.pause();
    });
    const link = connect(identityFor(linkRequestId));
    let fault: unknown;
    void ask(link).then((outcome) => {
      fault = outcome;
    });
    await waitUntil('it is open', () => clock.nextInMs === checkIntervalMs);
    await clock.advance(2 * checkIntervalMs - 1);
    expect(link.isSilent).toBe(false);
    await clock.advance(1);
    expect(link.isSilent).toBe(true);
    await clock.advance(2 * checkIntervalMs - 1);
    expect(fault).toBeUndefined();
    await clock.advance(1);
    expect(fault).toBeInstanceOf(LinkLost);
    upgraded?.resume();
  });

  it('reaches no node that accepts the connection and says nothing', async () => {
    server.removeAllListeners('upgrade');
    const sockets: Socket[] = [];
    server.on('upgrade', (_request, socket: Socket) => sockets.push(socket));
    let fault: unknown;
    void ask(connect(identityFor(linkRequestId))).then((outcome) => {
      fault = outcome;
    });
    await waitUntil('it is connected', () => sockets.length === 1);
    await clock.advance(connectTimeoutMs - 1);
    expect(fault).toBeUndefined();
    await clock.advance(1);
    expect(fault).toBeInstanceOf(LinkUnreachable);
    sockets[0]?.destroy();
  });

  it('stays open without traffic', async () => {
    const release = Promise.withResolvers<undefined>();
    reply = async () => {
      await release.promise;
      return answer;
    };
    let upgraded: Socket | undefined;
    server.on('upgrade', (_request, socket: Socket) => {
      upgraded = socket;
    });
    const held = ask(connect(identityFor(linkRequestId)));
    await waitUntil('the poll is held', () => polled.length === 1);
    for (let checks = 0; checks < 10; checks += 1) {
      const written = upgraded?.bytesWritten ?? 0;
      await clock.advance(checkIntervalMs);
      await waitUntil('the node answers', () => (upgraded?.bytesWritten ?? 0) > written);
    }
    release.resolve(undefined);
    expect(await held).toEqual(answer);
  });
});
