/** Streams over a link, from both ends: requests with several answers under one number. */
import { waitUntil } from '@parley/test-kit';
import { afterEach, beforeEach, expect, it } from 'vitest';

import { LinkedNode, requestText, requestWith, wholeFrame } from '../../tests/link-server.ts';
import { textOf } from './body.ts';
import type { GatewayLink } from './gateway-link.ts';
import { partBytes } from './protocol.ts';
import type { AnswerKind, LinkAnswer } from './protocol.ts';

let node: LinkedNode;
beforeEach(async () => {
  node = await LinkedNode.start();
});
afterEach(() => node.stop());

type Opened = {
  readonly number: number;
  readonly text: () => string;
};

async function openStream(link: GatewayLink): Promise<Opened> {
  const parts: LinkAnswer[] = [];
  const before = node.held.length;
  const number = link.send(requestWith(), {
    onLinkAnswer: (part) => parts.push(part),
    onLinkFault: () => undefined,
  });
  const text = (): string => parts.map(({ shared, own }) => textOf(shared) + own).join('');
  await waitUntil('the node has the request', () => node.held.length > before);
  return { number, text };
}

const headers = {};

function tell(to: number, shared: string, kind: AnswerKind = 'open'): void {
  node.held[to]?.reply({ status: 200, kind, headers, shared, own: '' });
}

it('equal parts of many streams cross the link once, with their numbers', async () => {
  const gateway = node.connectRaw();
  gateway.socket.write(wholeFrame(JSON.stringify([[0, 1, 2, 3].map(requestText), [], []])));
  await node.holds(4);
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
  const link = node.connect();
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
  const link = node.connect();
  const stream = await openStream(link);
  let timesTaken = 0;
  node.held[0]?.request.signal.whenTaken(() => {
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

it('a node that stops waits for the end of its streams', async () => {
  const link = node.connect();
  const stream = await openStream(link);
  let hasFinished = false;
  const finishing = node.links.finish().then(() => {
    hasFinished = true;
  });
  await waitUntil('the gateway knows', () => link.isLeaving);
  tell(0, 'a');
  await waitUntil('it goes on', () => stream.text() === 'a');
  expect(hasFinished).toBe(false);
  tell(0, 'end', 'raw');
  await finishing;
});
