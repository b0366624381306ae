import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

// Below the range that Linux (32768 and up) and macOS (49152 and up) take outgoing connections
// from. A store on a port of that range can lose it while it is restarted: to a client that
// tries to reconnect, or even to a connection of such a client with itself.
const lowestPort = 20_000;
const highestPort = 32_000;
const attemptsMax = 200;

/**
 * Tells whether a server could listen on the port now.
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
 * Finds a TCP port of 127.0.0.1 that nothing listens on, outside the range of outgoing
 * connections. It is not reserved: whoever needs it should listen soon.
 *
 * @throws Error when no port of the range is free
 */
export async function findFreePort(): Promise<number> {
  for (let attempt = 0; attempt < attemptsMax; attempt += 1) {
    const port = randomInt(lowestPort, highestPort);
    if (await isPortFree(port)) return port;
  }
  throw new Error(`no free port between ${lowestPort} and ${highestPort}`);
}
