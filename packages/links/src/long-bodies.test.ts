/** Bodies that are longer than a frame, from both ends. */
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { Socket } from 'node:net';

import { MovedClock, systemClock } from '@parley/clock';
import type { Clock } from '@parley/clock';
import { waitUntil } from '@parley/test-kit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import {
  caller,
  connectRaw,
  listenForLinks,
  requestText,
  openLink,
  secret,
  wholeFrame,
} from '../tests/link-server.ts';
import type { RawGateway } from '../tests/link-server.ts';
import { GatewayLink } from './gateway-link.ts';
import { LinkLost } from './link.ts';
import { NodeLinks } from './node-links.ts';
import type { ReceivedRequest } from './received-request.ts';
import { textOf } from './body.ts';
import type { LinkBody } from './body.ts';
import { answerMaxBytes, linkProtocol, linkRequestId, partBytes } from './protocol.ts';
import type { LinkAnswer } from './protocol.ts';

type Held = { readonly request: ReceivedRequest; readonly reply: (answer: LinkAnswer) => void };

let clock: Clock;
let links: NodeLinks;
let server: Server;
let held: Held[];
let faults: unknown[];
const closes: (() => void)[] = [];

beforeEach(async () => {
  held = [];
  faults = [];
  clock = new MovedClock();
  links = new NodeLinks({
    get clock() {
      return clock;
    },
    identitySecrets: [secret],
    answer: (request, reply) => held.push({ request, reply }),
    onFault: (error) => faults.push(error),
  });
  server = await listenForLinks(links);
});

afterEach(async () => {
  for (const close of closes.splice(0)) close();
  links.end();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

function connect(to: Server = server): GatewayLink {
  const link = openLink(to, clock);
  closes.push(() => link.close());
  return link;
}

/** Sends a request. @returns its number, and its outcome: the text of its answer, or the fault */
function ask(link: GatewayLink, body = ''): { number: number; answer: Promise<string | Error> } {
  const { promise: answer, resolve } = Promise.withResolvers<string | Error>();
  const number = link.send(
    {
      requestId: 'r',
      endpoint: 'e',
      wants: 'whole',
      path: {},
      query: [],
      caller,
      headers: {},
      body: Buffer.from(body),
    },
    {
      onLinkAnswer: ({ shared, own }) => resolve(textOf(shared) + own),
      onLinkFault: resolve,
    },
  );
  return { number, answer };
}

const holds = (count: number): Promise<unknown> =>
  waitUntil('the requests are held', () => held.length === count);

function answerOf(shared: LinkBody, own = ''): LinkAnswer {
  return { status: 200, kind: 'json', headers: {}, shared, own };
}

describe('a long answer', () => {
  it.each([-1, 0, 1, partBytes, 3 * partBytes + 7])(
    'of a part and %i bytes arrives unchanged',
    async (more) => {
      const link = connect();
      const text = `${'x'.repeat(more < 0 ? 0 : more % 7)}${'ü🎉'.repeat((partBytes + more) / 6)}`;
      const requests = [ask(link), ask(link)];
      await holds(2);
      held[0]?.reply(answerOf(text));
      const bytes = Buffer.from(text);
      held[1]?.reply(
        answerOf([bytes.subarray(0, 7), bytes.subarray(7, 90_001), bytes.subarray(90_001)]),
      );
      for (const { answer } of requests) expect((await answer) === text).toBe(true);
      expect(link.size).toBe(0);
    },
  );

  it('lets short answers pass, and no other long ones', async () => {
    const link = connect();
    const order: string[] = [];
    const requests = ['long', 'second', 'short'].map((name) =>
      ask(link).answer.then(() => order.push(name)),
    );
    await holds(3);
    held[0]?.reply(answerOf('l'.repeat(8 * partBytes)));
    held[1]?.reply(answerOf('l'.repeat(partBytes + 1)));
    await new Promise(setImmediate);
    held[2]?.reply(answerOf('s'));
    await Promise.all(requests);
    expect(order).toEqual(['short', 'long', 'second']);
  });

  it('arrives at a gateway that reads, however much waits for it', async () => {
    clock = systemClock;
    const link = connect();
    const requests = Array.from({ length: 140 }, () => ask(link));
    await holds(requests.length);
    const text = Buffer.alloc(2_000_000, 'l');
    for (const { reply } of held) reply(answerOf([text]));
    for (const { answer } of requests) expect((await answer).toString().length).toBe(text.length);
    expect(faults).toEqual([]);
  });

  it('crosses the link once for all requests that share it', async () => {
    const sockets: Socket[] = [];
    server.on('upgrade', (_request, socket: Socket) => sockets.push(socket));
    const link = connect();
    const requests = Array.from({ length: 20 }, () => ask(link));
    await holds(20);
    const shared = 'ü'.repeat(partBytes + 1);
    const headers = {};
    for (const [at, { reply }] of held.entries())
      reply({ status: 200, kind: 'json', headers, shared, own: String(at) });
    const answer = await Promise.all(requests.map((each) => each.answer));
    expect(answer.map((text) => String(text).slice(partBytes + 1))).toEqual(
      requests.map((_, at) => `${at}`),
    );
    expect(sockets[0]?.bytesWritten).toBeLessThan(3 * partBytes);
  });

  it('delays the end of a node that stops', async () => {
    const link = connect();
    const { answer } = ask(link);
    await holds(1);
    const finished = links.finish();
    held[0]?.reply(answerOf('l'.repeat(50 * partBytes)));
    await finished;
    links.end();
    expect((await answer).toString().length).toBe(50 * partBytes);
  });

  it('arrives before the end of its link', async () => {
    const link = connect();
    const { answer } = ask(link);
    await holds(1);
    held[0]?.reply(answerOf('l'.repeat(20 * partBytes)));
    links.end();
    expect((await answer).toString().length).toBe(20 * partBytes);
  });
});

describe('a long request', () => {
  it('arrives unchanged, and lets short ones pass', async () => {
    const link = connect();
    const long = 'ü🎉'.repeat(partBytes);
    const requests = [ask(link, long), ask(link, 'short'), ask(link, long.slice(3))];
    await holds(3);
    expect(held.map(({ request }) => request.body.toString())).toEqual([
      'short',
      long,
      long.slice(3),
    ]);
    for (const { reply } of held) reply(answerOf('answered'));
    for (const { answer } of requests) expect(await answer).toBe('answered');
  });

  it('that is given up while it is sent never begins, and does not mix with the next', async () => {
    // Larger than what the kernel takes while the node reads nothing.
    let upgraded: Socket | undefined;
    server.on('upgrade', (_request, socket: Socket) => {
      upgraded = socket.pause();
    });
    const link = connect();
    const givenUp = ask(link, 'x'.repeat(120 * partBytes));
    const { answer } = ask(link, 'y'.repeat(2 * partBytes));
    await waitUntil('parts have arrived', () => (upgraded?.readableLength ?? 0) > 0);
    link.leave(givenUp.number);
    upgraded?.resume();
    await holds(1);
    expect(held[0]?.request.body.toString()).toBe('y'.repeat(2 * partBytes));
    held[0]?.reply(answerOf('answered'));
    expect(await answer).toBe('answered');
  });
});

describe('a gateway that reads nothing', () => {
  // More than the kernel buffers between the two.
  const longBytes = 100 * 1_048_576;
  const long = [Buffer.alloc(longBytes, 'l')];

  async function open(requests: number): Promise<RawGateway> {
    const gateway = connectRaw(server, clock, linkRequestId);
    closes.push(() => gateway.socket.destroy());
    const texts = Array.from({ length: requests }, (_, at) => requestText(at));
    gateway.socket.write(wholeFrame(JSON.stringify([texts, [], []])));
    await holds(requests);
    gateway.socket.pause();
    return gateway;
  }

  it('learns only by the end of the parts about answers that nobody waits for', async () => {
    const gateway = await open(4);
    for (const { reply } of held.slice(0, 2)) reply(answerOf(long));
    held[2]?.reply(answerOf('short'));
    gateway.socket.write(wholeFrame(JSON.stringify([[], [3], []])));
    await waitUntil('the node has read on', () => held[3]?.request.signal.aborted === true);
    gateway.socket.write(wholeFrame(JSON.stringify([[requestText(4)], [0, 1], []])));
    await holds(5);
    held[4]?.reply(answerOf('last'));
    gateway.socket.resume();
    await waitUntil('all has come', () => gateway.said().some(({ body }) => body === 'last'));
    const said = gateway.said().filter(({ body }) => body.length < partBytes);
    expect(said).toContainEqual({ text: [200, 'json', {}, [[2, '']]], body: 'short' });
    expect(said).toContainEqual({ text: ['part', 0], body: '' });
    const texts = gateway.said().map(({ text }) => JSON.stringify(text));
    expect(texts).not.toContain('["part",1]');
    expect(gateway.said().length * partBytes).toBeLessThan(longBytes);
    expect(faults).toEqual([]);
  });

  it('loses its link when more than the limit waits for it', async () => {
    const moved = new MovedClock();
    clock = moved;
    const gateway = await open(4);
    for (const { reply } of held.slice(0, 3)) reply(answerOf(long));
    await waitUntil('the link is gone', async () => {
      // What the kernel takes at first counts as read.
      await moved.advance(2_000);
      return links.size === 0;
    });
    expect(faults.length).toBe(1);
    expect(held[3]?.request.signal.aborted).toBe(true);
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
    const link = connect(liar);
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
  const gateway = connectRaw(server, clock, linkRequestId, { protocol: 'parley-requests-1' });
  await waitUntil('it is refused', () => gateway.isOver());
  expect(gateway.head()).toMatch(/^HTTP\/1\.1 400 /);
});
