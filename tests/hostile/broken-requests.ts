/** Bytes that are no request, or not the one that they announce. */
import { connect } from 'node:net';

const head = 'POST /api/v1/messages HTTP/1.1\r\nHost: x\r\n';

export const brokenRequests: readonly (readonly [what: string, text: string])[] = [
  ['nothing', '\r\n\r\n'],
  ['noise', '\u0000\u0001\u00ff\u0016\u0003\u0001 GET'],
  ['another protocol', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
  ['an unknown method', 'BREW /api/v1/users HTTP/1.1\r\nHost: x\r\n\r\n'],
  ['a path with a control character', 'GET /api/v1/us\u0001ers HTTP/1.1\r\nHost: x\r\n\r\n'],
  ['a path with bytes beyond ASCII', 'GET /api/v1/\u00ff HTTP/1.1\r\nHost: x\r\n\r\n'],
  ['a request without a host', 'GET /api/v1/users HTTP/1.1\r\n\r\n'],
  ['a negative length', `${head}Content-Length: -1\r\n\r\nx`],
  ['a length that is not a number', `${head}Content-Length: 1e3\r\n\r\nx`],
  ['two lengths', `${head}Content-Length: 1\r\nContent-Length: 2\r\n\r\nx`],
  [
    'a length and chunks',
    `${head}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
  ],
  ['chunks without a size', `${head}Transfer-Encoding: chunked\r\n\r\nzz\r\nx\r\n0\r\n\r\n`],
  ['an unknown transfer encoding', `${head}Transfer-Encoding: x\r\n\r\nx`],
  ['huge headers', `GET /api/v1/users HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(100_000)}\r\n\r\n`],
  ['many headers', `GET /api/v1/users HTTP/1.1\r\nHost: x\r\n${'X: y\r\n'.repeat(5_000)}\r\n`],
  ['a header with a NUL', 'GET /api/v1/users HTTP/1.1\r\nHost: x\r\nAuthorization: \u0000\r\n\r\n'],
  [
    'a smuggled request',
    `${head}Content-Length: 0\r\nContent-Length : 30\r\n\r\nGET / HTTP/1.1\r\n\r\n`,
  ],
  ['a body that ends early', `${head}Content-Length: 100\r\n\r\nx`],
];

/**
 * Sends bytes, closes this side, and waits until the server has closed the connection.
 *
 * @returns the server's answer
 */
export function sendBytes(url: string, bytes: Buffer): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    const socket = connect({ host: hostname, port: Number(port) });
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    // A server that refuses early may close the connection before it has read everything.
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(Buffer.concat(chunks).toString('latin1')));
    socket.end(bytes);
  });
}
