/** The node's end of a link, against a gateway scripted by the test. */
import { MovedClock, systemClock } from '@parley/clock';
import { waitUntil } from '@parley/test-kit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { LinkedNode, requestText, wholeFrame } from '../../tests/link-server.ts';
import type { RawGateway } from '../../tests/link-server.ts';
import { RequestSignal } from './received-request.ts';
import { linkRequestId } from './protocol.ts';
import type { LinkAnswer } from './protocol.ts';

const slots = 2 ** 24;
const upgraded = 'HTTP/1.1 101 Switching Protocols\r\n';

let node: LinkedNode;
beforeEach(async () => {
  node = await LinkedNode.start();
});
afterEach(() => node.stop());

async function open(): Promise<RawGateway> {
  const gateway = node.connectRaw();
  await waitUntil('the link is open', () => gateway.head().startsWith(upgraded));
  return gateway;
}

function say(gateway: RawGateway, text: unknown): void {
  gateway.socket.write(wholeFrame(JSON.stringify(text)));
}

const poll = requestText;
/** A frame of requests that state these lengths for their bodies. */
const withBodies = (lengths: readonly unknown[], body: string): Buffer =>
  wholeFrame(
    JSON.stringify([lengths.map((bytes, number) => [...poll(number).slice(0, -1), bytes]), [], []]),
    body,
  );
/** A frame of a request with this number. */
const withNumber = (number: number | null): Buffer =>
  wholeFrame(JSON.stringify([[[number, ...poll(0).slice(1)]], [], []]));
const answerOf = (own: string): LinkAnswer => ({
  status: 200,
  kind: 'json',
  headers: {},
  shared: '',
  own,
});

describe('a reused number', () => {
  it('ends its previous poll, also if both arrive at once', async () => {
    const gateway = await open();
    say(gateway, [[poll(3)], [], []]);
    await waitUntil('the first poll is held', () => node.held.length === 1);
    say(gateway, [[poll(3 + slots)], [3], []]);
    await waitUntil('the second poll is held', () => node.held.length === 2);
    expect(node.held.map(({ request: { signal } }) => signal.aborted)).toEqual([true, false]);
    node.held[0]?.reply(answerOf('first'));
    node.held[1]?.reply(answerOf('second'));
    await waitUntil('it is answered', () => gateway.said().length > 0);
    expect(gateway.said()).toEqual([
      { text: [200, 'json', {}, [[3 + slots, 'second']]], body: '' },
    ]);
  });

  it('is an error while its poll is held', async () => {
    const gateway = await open();
    say(gateway, [[poll(3), poll(3 + slots)], [], []]);
    await waitUntil('the link ends', () => gateway.isOver());
    expect(node.faults.length).toBe(1);
    expect(node.held[0]?.request.signal.aborted).toBe(true);
  });
});

describe('an invalid frame', () => {
  it.each([
    ['no JSON', wholeFrame('{')],
    ['no lists', wholeFrame('null')],
    ['an object', wholeFrame('{}')],
    ['no list of polls', wholeFrame('[7,[]]')],
    ['a poll without a number', withNumber(null)],
    ['a number with a fraction', withNumber(0.5)],
    ['a number below zero', withNumber(-1)],
    ['lengths beyond all limits', Buffer.alloc(8, 0xff)],
    ['a body beyond the frame', withBodies([2, 3], 'four')],
    ['a byte after the last body', withBodies([1, 2], 'four')],
    ['a body of a negative length', withBodies([4, -4, 4], 'four')],
    ['body lengths with fractions', withBodies([1.5, 2.5], 'four')],
    ['a body without a length', withBodies([0, null], '')],
    ['a length that is text', withBodies([0, '4'], 'four')],
  ])('%s ends the link, and no other', async (_case, bytes) => {
    const [other, gateway] = [await open(), await open()];
    say(other, [[poll(0)], [], []]);
    await waitUntil('the poll of the other is held', () => node.held.length === 1);
    gateway.socket.write(bytes);
    await waitUntil('the link ends', () => gateway.isOver());
    node.held[0]?.reply(answerOf('there'));
    await waitUntil('the other is answered', () => other.said().length === 1);
    expect([node.faults.length, node.links.size, node.held.length]).toEqual([1, 1, 1]);
  });

  it('a partial frame is awaited while answers continue', async () => {
    const gateway = await open();
    say(gateway, [[poll(0)], [], []]);
    const frame = wholeFrame(JSON.stringify([[poll(1)], [], []]));
    gateway.socket.write(frame.subarray(0, 11));
    await waitUntil('the first poll is held', () => node.held.length === 1);
    node.held[0]?.reply(answerOf('y'));
    await waitUntil('it is answered', () => gateway.said().length === 1);
    gateway.socket.write(frame.subarray(11));
    await waitUntil('the second poll is held', () => node.held.length === 2);
    expect(node.faults).toEqual([]);
  });
});

describe('the end', () => {
  it('comes after the pending answers, and later answers are dropped', async () => {
    const gateway = await open();
    say(gateway, [[poll(0), poll(1)], [], []]);
    await waitUntil('both polls are held', () => node.held.length === 2);
    // More than the kernel buffers.
    const long = 'l'.repeat(20_000_000);
    node.held[0]?.reply(answerOf(long));
    node.links.end();
    node.held[1]?.reply(answerOf('late'));
    await waitUntil('the answer has come', () => gateway.said().length > 0);
    expect(gateway.said()).toEqual([{ text: [200, 'json', {}, [[0, long]]], body: '' }]);
  });

  it('waits for a gateway as long as it reads, however slowly', async () => {
    // Only the socket has the time of the machine, so that the limit of ten seconds is not reached where everything is slow.
    node.clock = { ...systemClock, after: new MovedClock().after };
    const gateway = await open();
    say(gateway, [[poll(0)], [], []]);
    await node.holds(1);
    gateway.socket.on('data', () => {
      gateway.socket.pause();
      setTimeout(() => gateway.socket.resume(), 5);
    });
    // Read for several times as long as a gateway that reads nothing is waited for.
    const long = 'l'.repeat(24_000_000);
    node.held[0]?.reply(answerOf(long));
    node.links.end();
    await waitUntil('the answer has come', () => gateway.said().length > 0);
    expect(gateway.said()).toEqual([{ text: [200, 'json', {}, [[0, long]]], body: '' }]);
  });

  it('ends a gateway that reads nothing', async () => {
    node.clock = systemClock;
    const gateway = await open();
    say(gateway, [[poll(0)], [], []]);
    await node.holds(1);
    gateway.socket.pause();
    node.held[0]?.reply(answerOf('l'.repeat(24_000_000)));
    node.links.end();
    await waitUntil('its link is gone', () => node.links.size === 0);
    expect(gateway.said()).toEqual([]);
  });

  it('comes after ten seconds, even if the gateway reads', async () => {
    const gateway = await open();
    say(gateway, [[poll(0)], [], []]);
    await node.holds(1);
    gateway.socket.pause();
    node.held[0]?.reply(answerOf('l'.repeat(24_000_000)));
    node.links.end();
    await node.moved.advance(9_999);
    expect(node.links.size).toBe(1);
    await node.moved.advance(1);
    await waitUntil('its link is gone', () => node.links.size === 0);
  });

  it.each([
    ['was refused', () => node.connectRaw(linkRequestId, { signedBy: 'j'.repeat(40) })],
    [
      'comes after the end of all links',
      () => {
        node.links.end();
        return node.connectRaw(linkRequestId);
      },
    ],
  ])('of the server waits for nobody who %s', async (_case, make) => {
    const gateway = make();
    await waitUntil('it is refused', () => gateway.isOver());
    expect(gateway.head()).not.toContain('101');
    // The gateway does not close its side of the connection.
    await new Promise((resolve) => node.server.close(resolve));
    expect(node.links.size).toBe(0);
  });
});

it('a node that stops also waits for a link that opens meanwhile', async () => {
  const before = await open();
  say(before, [[poll(0)], [], []]);
  await waitUntil('it holds a request', () => node.held.length === 1);
  let isFinished = false;
  const finished = node.links.finish().then(() => {
    isFinished = true;
  });
  const meanwhile = await open();
  say(meanwhile, [[poll(0)], [], []]);
  say(meanwhile, ['leaving']);
  say(before, ['leaving']);
  await waitUntil('it holds both', () => node.held.length === 2);
  node.held[0]?.reply(answerOf('first'));
  await waitUntil('the first is answered', () => before.said().length === 2);
  expect(isFinished).toBe(false);
  node.held[1]?.reply(answerOf('second'));
  await finished;
});

it('a node that stops waits a second for the last word of a gateway', async () => {
  await open();
  let isFinished = false;
  const finished = node.links.finish().then(() => {
    isFinished = true;
  });
  await node.moved.advance(999);
  expect(isFinished).toBe(false);
  await node.moved.advance(1);
  await finished;
});

it('a node that stops after a pause first reads what arrived', async () => {
  node.clock = systemClock;
  const gateway = await open();
  let isFinished = false;
  const finished = node.links.finish().then(() => {
    isFinished = true;
  });
  // In the next turn timers run before reads.
  await new Promise(setImmediate);
  say(gateway, [[poll(0)], [], []]);
  // Longer than it waits for a gateway's last word.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_500);
  await waitUntil('it holds the request', () => node.held.length === 1);
  expect(isFinished).toBe(false);
  node.held[0]?.reply(answerOf('x'));
  await finished;
});

it('a link that asks whether the node is alive gets an answer', async () => {
  const gateway = await open();
  say(gateway, [[], [], []]);
  await waitUntil('the node says so', () => gateway.said().length === 1);
  expect(gateway.said()).toEqual([{ text: [200, 'json', {}, []], body: '' }]);
});

describe('a signal', () => {
  it('tells its listener once when it is aborted', () => {
    const signal = new RequestSignal();
    let aborts = 0;
    const listener = (): void => {
      aborts += 1;
    };
    signal.addEventListener('abort', listener);
    expect([signal.aborted, aborts]).toEqual([false, 0]);
    signal.abort();
    expect([signal.aborted, aborts]).toEqual([true, 1]);
  });

  it('does not tell removed listeners, and accepts the next', () => {
    const signal = new RequestSignal();
    const called: string[] = [];
    const first = (): unknown => called.push('first');
    const second = (): unknown => called.push('second');
    signal.addEventListener('abort', first);
    signal.removeEventListener('abort', second);
    expect(() => signal.addEventListener('abort', second)).toThrow('one thing');
    signal.removeEventListener('abort', first);
    signal.addEventListener('abort', second);
    signal.abort();
    expect(called).toEqual(['second']);
  });
});
