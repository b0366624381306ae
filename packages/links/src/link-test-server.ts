/** What the tests of links begin with: a server that takes links, and who asks for them. */
import { createServer } from 'node:http';
import type { Server } from 'node:http';

import type { NodeLinks } from './node-links.ts';

/** With which gateways sign. */
export const secret = 'i'.repeat(40);

export const caller = {
  userId: 7,
  email: 'a@example.com',
  role: 'member',
  botType: null,
  botOwnerId: null,
} as const;

/** @returns a server on a free port of the loopback address, which answers 404 to all but links */
export async function listenForLinks(links: NodeLinks): Promise<Server> {
  const server = createServer((_request, response) => response.writeHead(404).end());
  server.on('upgrade', (request, socket, head) => links.accept(request, socket, head));
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return server;
}
