/** Requests as text, for generators on plain sockets. */
import type { FleetAccount } from './fleet/protocol.ts';

/**
 * @param path with its query, such as `/api/v1/users/me`
 * @param account whose credentials are sent; none for a control
 * @returns the request as bytes on the wire
 */
export function writeGet(url: string, path: string, account?: FleetAccount): string {
  return `GET ${path} HTTP/1.1\r\n${writeHead(url, account)}\r\n`;
}

/**
 * @param parameters of the form
 * @returns the request as bytes on the wire
 */
export function writePost(
  url: string,
  path: string,
  account: FleetAccount,
  parameters: Readonly<Record<string, string>> = {},
): string {
  const body = new URLSearchParams(parameters).toString();
  return `POST ${path} HTTP/1.1\r\n${writeHead(url, account)}Content-Type: application/x-www-form-urlencoded\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
}

/** @returns the value of the header with the credentials */
export function writeAuthorization({ email, apiKey }: FleetAccount): string {
  return `Basic ${Buffer.from(`${email}:${apiKey}`).toString('base64')}`;
}

function writeHead(url: string, account: FleetAccount | undefined): string {
  const credentials =
    account === undefined ? '' : `Authorization: ${writeAuthorization(account)}\r\n`;
  return `Host: ${new URL(url).host}\r\n${credentials}User-Agent: ParleyLoad/1.0\r\n`;
}

/** @returns the request of a client that accepts compressed answers */
export function acceptGzip(request: string): string {
  return request.replace('\r\n', '\r\nAccept-Encoding: gzip\r\n');
}
