import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

// Below the range of outgoing connections of Linux (32768 and up) and macOS (49152 and up). A store on a port of that range can lose it
// during a restart: to a client that tries to reconnect, or even to a connection of such a client with itself.
const lowestPort = 20_000;
const highestPort = 32_000;
const attemptsMax = 200;

/**
 * Whether a server could listen on the port now.
 *
 * @param port the TCP port
 * @param host the address to listen on
 */
export function isPortFree(port: number, host = '127.0.0.1'): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen({ port, host, exclusive: true }, () => server.close(() => resolve(true)));
  });
}

/**
 * Finds a TCP port of 127.0.0.1 that nothing listens on, outside the range of outgoing connections. It is not reserved, so the caller
 * should listen soon.
 *
 * @throws Error if no port of the range is free
 */
export async function findFreePort(): Promise<number> {
  for (let attempt = 0; attempt < attemptsMax; attempt += 1) {
    const port = randomInt(lowestPort, highestPort);
    if (await isPortFree(port)) return port;
  }
  throw new Error(`no free port between ${lowestPort} and ${highestPort}`);
}
