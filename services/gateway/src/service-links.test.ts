/** Which link the requests for a node use. */
import { createServer } from 'node:net';
import type { AddressInfo, Server } from 'node:net';

import type { GatewayLink } from '@parley/links';
import { afterEach, beforeEach, expect, it } from 'vitest';

import { ServiceLinks } from './service-links.ts';

const caller = {
  userId: 7,
  email: 'a@example.com',
  role: 'member',
  botType: null,
  botOwnerId: null,
} as const;

let server: Server;
let links: ServiceLinks;

beforeEach(async () => {
  links = new ServiceLinks(
    () => 'identity',
    () => undefined,
  );
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
  let opened: GatewayLink | undefined;
  const request = { requestId: 'r', method: 'GET', address: '/x', caller, headers: {} };
  links.find(before)?.send(
    { ...request, body: Buffer.alloc(0) },
    {
      onLinkAnswer: () => undefined,
      onLinkFault: () => {
        opened = links.find(after);
      },
    },
  );
  const found = links.find(after);
  expect(opened).toBeDefined();
  expect(found).toBe(opened);
  expect(links.size).toBe(1);
});
