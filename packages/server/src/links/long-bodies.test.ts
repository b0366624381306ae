/** Bodies that are longer than a frame, from both ends. */
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { Socket } from 'node:net';

import { systemClock } from '@parley/clock';
import { waitUntil } from '@parley/test-kit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import {
  LinkedNode,
  portOf,
  requestText,
  requestWith,
  wholeFrame,
} from '../../tests/link-server.ts';
import type { RawGateway } from '../../tests/link-server.ts';
import { textOf } from './body.ts';
import type { LinkBody } from './body.ts';
import type { GatewayLink } from './gateway-link.ts';
import { LinkLost } from './link.ts';
import { answerMaxBytes, linkProtocol, linkRequestId, partBytes } from './protocol.ts';
import type { LinkAnswer } from './protocol.ts';

let node: LinkedNode;
beforeEach(async () => {
  node = await LinkedNode.start();
});
afterEach(() => node.stop());

/** Sends a request. @returns its number, and its outcome: the text of its answer, or the fault */
function ask(link: GatewayLink, body = ''): { number: number; answer: Promise<string | Error> } {
  const { promise: answer, resolve } = Promise.withResolvers<string | Error>();
  const number = link.send(requestWith({ body: Buffer.from(body) }), {
    onLinkAnswer: ({ shared, own }) => resolve(textOf(shared) + own),
    onLinkFault: resolve,
  });
  return { number, answer };
}

function answerOf(shared: LinkBody, own = ''): LinkAnswer {
  return { status: 200, kind: 'json', headers: {}, shared, own };
}

describe('a long answer', () => {
  it.each([-1, 0, 1, partBytes, 3 * partBytes + 7])(
    'of a part and %i bytes arrives unchanged',
    async (more) => {
      const link = node.connect();
      const text = `${'x'.repeat(more < 0 ? 0 : more % 7)}${'ü🎉'.repeat((partBytes + more) / 6)}`;
      const requests = [ask(link), ask(link)];
      await node.holds(2);
      node.held[0]?.reply(answerOf(text));
      const bytes = Buffer.from(text);
      node.held[1]?.reply(
        answerOf([bytes.subarray(0, 7), bytes.subarray(7, 90_001), bytes.subarray(90_001)]),
      );
      for (const { answer } of requests) expect((await answer) === text).toBe(true);
      expect(link.size).toBe(0);
    },
  );

  it('lets short answers pass, and no other long ones', async () => {
    const link = node.connect();
    const order: string[] = [];
    const requests = ['long', 'second', 'short'].map((name) =>
      ask(link).answer.then(() => order.push(name)),
    );
    await node.holds(3);
    node.held[0]?.reply(answerOf('l'.repeat(8 * partBytes)));
    node.held[1]?.reply(answerOf('l'.repeat(partBytes + 1)));
    await new Promise(setImmediate);
    node.held[2]?.reply(answerOf('s'));
    await Promise.all(requests);
    expect(order).toEqual(['short', 'long', 'second']);
  });

  it('arrives at a gateway that reads, however much waits for it', async () => {
    node.clock = systemClock;
    const link = node.connect();
    const requests = Array.from({ length: 140 }, () => ask(link));
    await node.holds(requests.length);
    const text = Buffer.alloc(2_000_000, 'l');
    for (const { reply } of node.held) reply(answerOf([text]));
    for (const { answer } of requests) expect((await answer).toString().length).toBe(text.length);
    expect(node.faults).toEqual([]);
  });

  it('crosses the link once for all requests that share it', async () => {
    const sockets: Socket[] = [];
    node.server.on('upgrade', (_request, socket: Socket) => sockets.push(socket));
    const link = node.connect();
    const requests = Array.from({ length: 20 }, () => ask(link));
    await node.holds(20);
    const shared = 'ü'.repeat(partBytes + 1);
    const headers = {};
    for (const [at, { reply }] of node.held.entries())
      reply({ status: 200, kind: 'json', headers, shared, own: String(at) });
    const answer = await Promise.all(requests.map((each) => each.answer));
    expect(answer.map((text) => String(text).slice(partBytes + 1))).toEqual(
      requests.map((_, at) => `${at}`),
    );
    expect(sockets[0]?.bytesWritten).toBeLessThan(3 * partBytes);
  });

  it('delays the end of a node that stops', async () => {
    const link = node.connect();
    const { answer } = ask(link);
    await node.holds(1);
    const finished = node.links.finish();
    node.held[0]?.reply(answerOf('l'.repeat(50 * partBytes)));
    await finished;
    node.links.end();
    expect((await answer).toString().length).toBe(50 * partBytes);
  });

  it('arrives before the end of its link', async () => {
    const link = node.connect();
    const { answer } = ask(link);
    await node.holds(1);
    node.held[0]?.reply(answerOf('l'.repeat(20 * partBytes)));
    node.links.end();
    expect((await answer).toString().length).toBe(20 * partBytes);
  });
});

describe('a long request', () => {
  it('arrives unchanged, and lets short ones pass', async () => {
    const link = node.connect();
    const long = 'ü🎉'.repeat(partBytes);
    const requests = [ask(link, long), ask(link, 'short'), ask(link, long.slice(3))];
    await node.holds(3);
    expect(node.held.map(({ request }) => request.body.toString())).toEqual([
      'short',
      long,
      long.slice(3),
    ]);
    for (const { reply } of node.held) reply(answerOf('answered'));
    for (const { answer } of requests) expect(await answer).toBe('answered');
  });

  it('that is given up while it is sent never begins, and does not mix with the next', async () => {
    // Larger than what the kernel takes while the node reads nothing.
    let upgraded: Socket | undefined;
    node.server.on('upgrade', (_request, socket: Socket) => {
      upgraded = socket.pause();
    });
    const link = node.connect();
    const givenUp = ask(link, 'x'.repeat(120 * partBytes));
    const { answer } = ask(link, 'y'.repeat(2 * partBytes));
    await waitUntil('parts have arrived', () => (upgraded?.readableLength ?? 0) > 0);
    link.leave(givenUp.number);
    upgraded?.resume();
    await node.holds(1);
    expect(node.held[0]?.request.body.toString()).toBe('y'.repeat(2 * partBytes));
    node.held[0]?.reply(answerOf('answered'));
    expect(await answer).toBe('answered');
  });
});

describe('a gateway that reads nothing', () => {
  // More than the kernel buffers between the two.
  const longBytes = 100 * 1_048_576;
  const long = [Buffer.alloc(longBytes, 'l')];

  async function open(requests: number): Promise<RawGateway> {
    const gateway = node.connectRaw();
    const texts = Array.from({ length: requests }, (_, at) => requestText(at));
    gateway.socket.write(wholeFrame(JSON.stringify([texts, [], []])));
    await node.holds(requests);
    gateway.socket.pause();
    return gateway;
  }

  it('learns only by the end of the parts about answers that nobody waits for', async () => {
    const gateway = await open(4);
    for (const { reply } of node.held.slice(0, 2)) reply(answerOf(long));
    node.held[2]?.reply(answerOf('short'));
    gateway.socket.write(wholeFrame(JSON.stringify([[], [3], []])));
    await waitUntil('the node has read on', () => node.held[3]?.request.signal.aborted === true);
    gateway.socket.write(wholeFrame(JSON.stringify([[requestText(4)], [0, 1], []])));
    await node.holds(5);
    node.held[4]?.reply(answerOf('last'));
    gateway.socket.resume();
    await waitUntil('all has come', () => gateway.said().some(({ body }) => body === 'last'));
    const said = gateway.said().filter(({ body }) => body.length < partBytes);
    expect(said).toContainEqual({ text: [200, 'json', {}, [[2, '']]], body: 'short' });
    expect(said).toContainEqual({ text: ['part', 0], body: '' });
    const texts = gateway.said().map(({ text }) => JSON.stringify(text));
    expect(texts).not.toContain('["part",1]');
    expect(gateway.said().length * partBytes).toBeLessThan(longBytes);
    expect(node.faults).toEqual([]);
  });

  it('loses its link when more than the limit waits for it', async () => {
    const gateway = await open(4);
    for (const { reply } of node.held.slice(0, 3)) reply(answerOf(long));
    await waitUntil('the link is gone', async () => {
      // What the kernel takes at first counts as read.
      await node.moved.advance(2_000);
      return node.links.size === 0;
    });
    expect(node.faults.length).toBe(1);
    expect(node.held[3]?.request.signal.aborted).toBe(true);
    gateway.socket.resume();
    await waitUntil('the gateway sees it', () => gateway.isOver());
  });
});

describe('a node that fails or is invalid', () => {
  let liar: Server;
  let socket: Socket | undefined;

  beforeEach(async () => {
    socket = undefined;
    liar = createServer();
    liar.on('upgrade', (_request, upgraded: Socket) => {
      upgraded.on('error', () => undefined);
      upgraded.write(
        `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: ${linkProtocol}\r\n\r\n`,
      );
      socket = upgraded.resume();
    });
    await new Promise<void>((resolve) => {
      liar.listen(0, '127.0.0.1', resolve);
    });
  });

  afterEach(async () => {
    socket?.destroy();
    await new Promise((resolve) => liar.close(resolve));
  });

  async function open(): Promise<GatewayLink> {
    const link = node.connect({ port: portOf(liar) });
    await waitUntil('the link is open', () => socket !== undefined);
    return link;
  }

  const say = (text: unknown, body: LinkBody = ''): unknown =>
    socket?.write(wholeFrame(JSON.stringify(text), body));

  it('within an answer loses that answer', async () => {
    const { number, answer } = ask(await open());
    say(['part', number], 'begun');
    socket?.end();
    expect(await answer).toBeInstanceOf(LinkLost);
  });

  it('with an answer of unlimited length loses its link at the limit', async () => {
    const { number, answer } = ask(await open());
    const part = Buffer.alloc(4 * 1_048_576);
    for (let sent = 0; sent <= answerMaxBytes; sent += part.length) say(['part', number], [part]);
    expect(await answer).toBeInstanceOf(LinkLost);
  });

  it('that abandons an answer does not mix it with the next', async () => {
    const link = await open();
    const [first, second, third] = [ask(link), ask(link), ask(link)];
    say(['part', first.number], 'of the first');
    say(['part', second.number], 'second, ');
    say(['part', second.number], 'and ');
    say([200, 'json', {}, [[second.number, '']]], 'last');
    say(['part', third.number], 'given up');
    say(['part', third.number]);
    say([200, 'json', {}, [[third.number, '']]], 'whole');
    say([200, 'json', {}, [[first.number, '']]], 'new');
    expect(await Promise.all([first, second, third].map(({ answer }) => answer))).toEqual([
      'new',
      'second, and last',
      'whole',
    ]);
  });
});

it('a link is refused to gateways of another protocol', async () => {
  const gateway = node.connectRaw(linkRequestId, { protocol: 'parley-requests-1' });
  await waitUntil('it is refused', () => gateway.isOver());
  expect(gateway.head()).toMatch(/^HTTP\/1\.1 400 /);
});
