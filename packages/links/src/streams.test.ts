/** Streams over a link, from both ends: requests with several answers under one number. */
import type { Server } from 'node:http';

import { MovedClock } from '@parley/clock';
import { waitUntil } from '@parley/test-kit';
import { afterEach, beforeEach, expect, it } from 'vitest';

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
import { textOf } from './body.ts';
import { GatewayLink } from './gateway-link.ts';
import { LinkLost } from './link.ts';
import type { LinkFault } from './link.ts';
import { NodeLinks } from './node-links.ts';
import type { ReceivedRequest } from './received-request.ts';
import { goesOn, linkRequestId, partBytes } from './protocol.ts';
import type { AnswerKind, LinkAnswer } from './protocol.ts';

type Held = { readonly request: ReceivedRequest; readonly reply: (answer: LinkAnswer) => void };

const clock = new MovedClock();
let links: NodeLinks;
let server: Server;
let held: Held[];
let closes: (() => void)[];

beforeEach(async () => {
  held = [];
  closes = [];
  links = new NodeLinks({
    clock,
    identitySecrets: [secret],
    answer: (request, reply) => held.push({ request, reply }),
    onFault: () => undefined,
  });
  server = await listenForLinks(links);
});

afterEach(async () => {
  for (const close of closes) close();
  links.end();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

function connect(): GatewayLink {
  const link = openLink(server, clock);
  closes.push(() => link.close());
  return link;
}

type Opened = {
  readonly number: number;
  readonly parts: LinkAnswer[];
  readonly text: () => string;
  fault: LinkFault | undefined;
};

async function openStream(link: GatewayLink): Promise<Opened> {
  const parts: LinkAnswer[] = [];
  const before = held.length;
  const number = link.send(
    {
      requestId: 'r',
      endpoint: 'e',
      wants: 'whole',
      path: {},
      query: [],
      caller,
      headers: { 'last-event-id': '5' },
      body: Buffer.alloc(0),
    },
    {
      onLinkAnswer: (part) => parts.push(part),
      onLinkFault: (fault) => {
        opened.fault = fault;
      },
    },
  );
  const text = (): string => parts.map(({ shared, own }) => textOf(shared) + own).join('');
  const opened: Opened = { number, parts, text, fault: undefined };
  await waitUntil('the node has the request', () => held.length > before);
  return opened;
}

const headers = {};

function tell(to: number, shared: string, kind: AnswerKind = 'open'): void {
  held[to]?.reply({ status: 200, kind, headers, shared, own: '' });
}

function open(gateway: RawGateway, numbers: readonly number[]): void {
  const requests = numbers.map((number) => requestText(number));
  gateway.socket.write(wholeFrame(JSON.stringify([requests, [], []])));
}

it('a stream continues until its end, and carries the resume position', async () => {
  const link = connect();
  const stream = await openStream(link);
  expect(held[0]?.request.headers).toEqual({ 'last-event-id': '5' });
  tell(0, 'a');
  await waitUntil('the first part came', () => stream.text() === 'a');
  expect(link.size).toBe(1);
  tell(0, 'b');
  tell(0, 'end', 'raw');
  tell(0, 'behind it');
  await waitUntil('the end came', () => stream.text() === 'abend');
  expect(stream.parts.map(({ kind }) => goesOn(kind))).toEqual([true, true, false]);
  expect(link.size).toBe(0);
});

it('equal parts of many streams cross the link once, with their numbers', async () => {
  const gateway = connectRaw(server, clock, linkRequestId);
  closes.push(() => gateway.socket.destroy());
  open(gateway, [0, 1, 2, 3]);
  await waitUntil('all are open', () => held.length === 4);
  for (const to of [0, 1, 3]) tell(to, 'shared');
  await waitUntil('it came', () => gateway.said().length === 1);
  expect(gateway.said()).toEqual([
    {
      text: [
        200,
        'open',
        {},
        [
          [0, ''],
          [1, ''],
          [3, ''],
        ],
      ],
      body: 'shared',
    },
  ]);
});

it('parts of one moment keep their order, whatever others get', async () => {
  const link = connect();
  const streams = [await openStream(link), await openStream(link), await openStream(link)];
  // The first stream got what the second still waits for, and equal parts are sent together.
  tell(0, 'b');
  tell(1, 'a');
  tell(1, 'b');
  tell(2, 'b');
  tell(2, 'end', 'raw');
  await waitUntil('all came', () => streams.map(({ text }) => text()).join() === 'b,ab,bend');
});

it('the next part comes when the step was taken', async () => {
  const link = connect();
  const stream = await openStream(link);
  let timesTaken = 0;
  held[0]?.request.signal.whenTaken(() => {
    timesTaken += 1;
    tell(0, 'next');
  });
  const long = 'x'.repeat(partBytes * 2);
  tell(0, long, 'step');
  await waitUntil('the step came', () => stream.text() === long);
  expect(timesTaken).toBe(0);
  link.take(stream.number);
  link.take(stream.number);
  await waitUntil('the next part came', () => stream.text() === `${long}next`);
  expect(timesTaken).toBe(1);
});

it('an abandoned stream gets nothing, and its node knows', async () => {
  const link = connect();
  const left = await openStream(link);
  const other = await openStream(link);
  link.leave(left.number);
  await waitUntil('the node knows', () => held[0]?.request.signal.aborted === true);
  link.take(left.number);
  tell(0, 'to nobody');
  tell(1, 'to the other');
  await waitUntil('the other goes on', () => other.text() === 'to the other');
  expect(left.parts).toEqual([]);
});

it('streams are lost with their link', async () => {
  const link = connect();
  const stream = await openStream(link);
  tell(0, 'a');
  await waitUntil('a part came', () => stream.text() === 'a');
  links.end();
  await waitUntil('the stream is lost', () => stream.fault instanceof LinkLost);
  expect(stream.text()).toBe('a');
});

it('a node that stops waits for the end of its streams', async () => {
  const link = connect();
  const stream = await openStream(link);
  let hasFinished = false;
  const finishing = links.finish().then(() => {
    hasFinished = true;
  });
  await waitUntil('the gateway knows', () => link.isLeaving);
  tell(0, 'a');
  await waitUntil('it goes on', () => stream.text() === 'a');
  expect(hasFinished).toBe(false);
  tell(0, 'end', 'raw');
  await finishing;
});
