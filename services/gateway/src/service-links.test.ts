/** Which link the requests for a node use. */
import { createServer } from 'node:net';
import type { AddressInfo, Server } from 'node:net';

import { MovedClock } from '@parley/clock';
import { LinkUnreachable } from '@parley/server/links';
import type { Link, LinkFault } from '@parley/server/links';
import { afterEach, beforeEach, expect, it } from 'vitest';

import { ServiceLinks } from './service-links.ts';

const caller = {
  userId: 7,
  email: 'a@example.com',
  role: 'member',
  botType: null,
  botOwnerId: null,
} as const;

const request = {
  requestId: 'r',
  endpoint: 'e',
  wants: 'whole',
  path: {},
  query: [],
  caller,
  headers: {},
  body: Buffer.alloc(0),
} as const;

let server: Server;
let clock: MovedClock;
let links: ServiceLinks;

beforeEach(async () => {
  clock = new MovedClock();
  links = new ServiceLinks({
    clock,
    localNodes: new Map(),
    signIdentity: () => 'identity',
    onLeaving: () => undefined,
  });
  // Accepts connections and stays silent.
  server = createServer((socket) => socket.on('error', () => undefined).resume());
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
});

afterEach(async () => {
  links.closeAll();
  await new Promise((resolve) => server.close(resolve));
});

it('a node at a new address gets one link, even if a lost request opens it first', () => {
  const { port } = server.address() as AddressInfo;
  const before = { nodeId: 'n', service: 'events', address: `127.0.0.1:${port}` };
  const after = { nodeId: 'n', service: 'events', address: `localhost:${port}` };
  let opened: Link | undefined;
  links.find(before)?.send(request, {
    onLinkAnswer: () => undefined,
    onLinkFault: () => {
      opened = links.find(after);
    },
  });
  const found = links.find(after);
  expect(opened).toBeDefined();
  expect(found).toBe(opened);
  expect(links.size).toBe(1);
});

it('a node that does not answer in time is not reached', async () => {
  const { port } = server.address() as AddressInfo;
  const faults: LinkFault[] = [];
  links
    .find({ nodeId: 'n', service: 'events', address: `127.0.0.1:${port}` })
    ?.send(request, { onLinkAnswer: () => undefined, onLinkFault: (fault) => faults.push(fault) });
  await clock.advance(1_499);
  expect(faults).toEqual([]);
  await clock.advance(1);
  expect(faults).toEqual([expect.any(LinkUnreachable)]);
});
