import { request as sendRequest } from 'node:http';
import type { IncomingHttpHeaders } from 'node:http';
import { buffer } from 'node:stream/consumers';

import type { GatewayUnderTest } from './gateway-under-test.ts';

export type Got = {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
};

/** Sends a request whose path and headers are exactly as given. */
export function sendAsGiven(
  { running }: GatewayUnderTest,
  path: string,
  headers: Readonly<Record<string, string>> = {},
  method = 'GET',
): Promise<Got> {
  const { port } = running.address;
  return new Promise((resolve, reject) => {
    const request = sendRequest({ host: '127.0.0.1', port, method, path, headers }, (response) => {
      const { statusCode: status = 0, headers: given } = response;
      buffer(response).then((body) => resolve({ status, headers: given, body }), reject);
    });
    request.on('error', reject);
    request.end();
  });
}
