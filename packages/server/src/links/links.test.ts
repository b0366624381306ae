/** Both ends of a link, over a real connection. */
import { createServer } from 'node:http';
import type { Socket } from 'node:net';

import { identityHeaderName } from '@parley/api';
import { waitUntil } from '@parley/test-kit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { LinkedNode, portOf, requestWith } from '../../tests/link-server.ts';
import { textOf } from './body.ts';
import type { GatewayLink } from './gateway-link.ts';
import { LinkLost, LinkUnreachable } from './link.ts';
import type { LinkFault } from './link.ts';
import { linkPath, linkProtocol, linkRequestId } from './protocol.ts';
import type { LinkAnswer, LinkedRequest } from './protocol.ts';

const connectTimeoutMs = 5_000;
const checkIntervalMs = 60_000;
const answer = { status: 200, kind: 'json', headers: {}, shared: 'x', own: 'y' } as const;

let node: LinkedNode;
beforeEach(async () => {
  node = await LinkedNode.start();
});
afterEach(() => node.stop());

const linkedRequest = (requestId: string, value = 'b'): LinkedRequest =>
  requestWith({ requestId, path: { id: '7' }, query: [['a', value]] });

function ask(link: GatewayLink, value = 'b'): Promise<LinkAnswer | LinkFault> {
  return new Promise((resolve) => {
    link.send(linkedRequest('r', value), {
      onLinkAnswer: ({ shared, ...rest }) => resolve({ ...rest, shared: textOf(shared) }),
      onLinkFault: (fault) => resolve(fault),
    });
  });
}

/** @returns the connection of the next link */
function nextUpgrade(): Promise<Socket> {
  return new Promise((resolve) => {
    node.server.on('upgrade', (_request, socket: Socket) => resolve(socket));
  });
}

describe('a link', () => {
  it('carries polls and their answers', async () => {
    node.answer = () => answer;
    const link = node.connect();
    expect(await ask(link)).toEqual(answer);
    expect(node.held).toMatchObject([{ request: linkedRequest('r') }]);
    expect(link.size).toBe(0);
  });

  it.each([
    ['no identity', () => ''],
    ['one by another secret', () => node.identityFor(linkRequestId, 'j'.repeat(40))],
    ['one of a request that needs no authentication', () => node.identityFor('0123456789abcdef')],
  ])('is not opened with %s', async (_case, make) => {
    expect(await ask(node.connect({ identity: make() }))).toBeInstanceOf(LinkUnreachable);
    expect([node.links.size, node.held.length]).toEqual([0, 0]);
  });

  it('is not opened for another protocol', async () => {
    const response = await fetch(`http://127.0.0.1:${portOf(node.server)}${linkPath}`, {
      headers: { [identityHeaderName]: node.identityFor(linkRequestId) },
    });
    expect(response.status).toBe(404);
    expect(linkProtocol).toMatch(/-\d+$/);
  });

  it('is refused by a server that knows no links', async () => {
    node.server.removeAllListeners('upgrade');
    expect(await ask(node.connect())).toBeInstanceOf(LinkUnreachable);
  });

  it('distinguishes unreached nodes from lost requests', async () => {
    const held = ask(node.connect());
    await node.holds(1);
    node.links.end();
    expect(await held).toBeInstanceOf(LinkLost);
    const closed = createServer();
    await new Promise<void>((resolve) => {
      closed.listen(0, '127.0.0.1', resolve);
    });
    const port = portOf(closed);
    await new Promise((resolve) => closed.close(resolve));
    expect(await ask(node.connect({ port }))).toBeInstanceOf(LinkUnreachable);
  });

  it('reports that its node stops before the answers caused by that', async () => {
    const calls: string[] = [];
    const link = node.connect({ onLeaving: () => calls.push('leaving') });
    const held = ask(link).then(() => calls.push('answer'));
    await node.holds(1);
    node.links.sayLeaving();
    node.held[0]?.reply(answer);
    await held;
    expect(calls).toEqual(['leaving', 'answer']);
  });

  it('sends the common beginning of many answers once', async () => {
    const shared = 'l'.repeat(100_000);
    const common = { status: 200, kind: 'json', headers: {}, shared } as const;
    node.answer = ({ query }) => ({ ...common, own: query[0]?.[1] ?? '' });
    const upgraded = nextUpgrade();
    const link = node.connect();
    const answers = await Promise.all(Array.from({ length: 100 }, (_, n) => ask(link, String(n))));
    expect(answers).toEqual(Array.from({ length: 100 }, (_, n) => ({ ...common, own: String(n) })));
    expect((await upgraded).bytesWritten).toBeLessThan(shared.length * 3);
  });

  it('tells the node about abandoned requests, even if the next poll reuses the slot at once', async () => {
    const link = node.connect();
    const listener = { onLinkAnswer: () => undefined, onLinkFault: () => undefined };
    const first = link.send(linkedRequest('first'), listener);
    await node.holds(1);
    link.leave(first);
    const second = link.send(linkedRequest('second'), listener);
    link.leave(second);
    link.send(linkedRequest('third'), listener);
    await node.holds(2);
    expect(
      node.held.map(({ request: { requestId, signal } }) => [requestId, signal.aborted]),
    ).toEqual([
      ['first', true],
      ['third', false],
    ]);
  });

  it('carries thousands of the longest polls that start at once', async () => {
    node.answer = () => answer;
    const link = node.connect();
    const query = 'q'.repeat(15_500);
    const answers = await Promise.all(Array.from({ length: 4_500 }, () => ask(link, query)));
    expect(answers.filter((each) => each instanceof Error)).toEqual([]);
  });

  it('is lost if the node is silent, even if the connection stays open', async () => {
    node.server.on('upgrade', (_request, socket: Socket) => socket.pause());
    const clock = node.moved;
    const link = node.connect();
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
  });

  it('reaches no node that accepts the connection and says nothing', async () => {
    node.server.removeAllListeners('upgrade');
    const upgraded = nextUpgrade();
    let fault: unknown;
    void ask(node.connect()).then((outcome) => {
      fault = outcome;
    });
    const socket = await upgraded;
    await node.moved.advance(connectTimeoutMs - 1);
    expect(fault).toBeUndefined();
    await node.moved.advance(1);
    expect(fault).toBeInstanceOf(LinkUnreachable);
    socket.destroy();
  });

  it('stays open without traffic', async () => {
    const upgraded = nextUpgrade();
    const held = ask(node.connect());
    await node.holds(1);
    const socket = await upgraded;
    for (let checks = 0; checks < 10; checks += 1) {
      const written = socket.bytesWritten;
      await node.moved.advance(checkIntervalMs);
      await waitUntil('the node answers', () => socket.bytesWritten > written);
    }
    node.held[0]?.reply(answer);
    expect(await held).toEqual(answer);
  });
});
