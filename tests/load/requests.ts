/** Requests as text, for generators on plain sockets. */
import { HttpConnection } from './fleet/http-connection.ts';
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
  return writeRequest('POST', url, path, account, new URLSearchParams(parameters).toString());
}

/**
 * @param form in ASCII, as it is sent
 * @returns the request as bytes on the wire
 */
export function writeRequest(
  method: string,
  url: string,
  path: string,
  account: FleetAccount,
  form: string,
): string {
  return `${method} ${path} HTTP/1.1\r\n${writeHead(url, account)}Content-Type: application/x-www-form-urlencoded\r\nContent-Length: ${form.length}\r\n\r\n${form}`;
}

/** @returns the path of the newest messages of a narrow */
export function pathOfPage(narrow: Narrow, length: number): string {
  const encoded = encodeURIComponent(JSON.stringify(narrow));
  return `/api/v1/messages?anchor=newest&num_before=${length}&num_after=0&narrow=${encoded}`;
}

export type Narrow = readonly { readonly operator: string; readonly operand: string }[];

/** @returns the answer to one request on a connection of its own */
export async function ask(url: string, request: string): Promise<string> {
  const bodies: string[] = [];
  await askAll(url, [request], 1, (body) => bodies.push(body));
  return bodies.join('');
}

/** @throws Error if an answer has a status other than 200 */
export async function askAll(
  url: string,
  requests: readonly string[],
  atOnce: number,
  take: (body: string) => void = () => undefined,
): Promise<void> {
  const left = requests.values();
  const askInTurn = async (): Promise<void> => {
    const connection = new HttpConnection(url);
    try {
      for (const request of left) {
        const { status, body } = await connection.request(request);
        if (status !== 200)
          throw new Error(`${request.split('\r\n')[0]}: ${status} ${body.slice(0, 300)}`);
        take(body);
      }
    } finally {
      connection.abort();
    }
  };
  await Promise.all(Array.from({ length: atOnce }, askInTurn));
}

/** Each person's first report of presence is an event for everybody, which does not occur in an organization at work. */
export function reportFirst(
  url: string,
  accounts: readonly FleetAccount[],
  atOnce: number,
): Promise<void> {
  const parameters = { status: 'active', ping_only: 'true' };
  const requests = accounts.map((account) =>
    writePost(url, '/api/v1/users/me/presence', account, parameters),
  );
  return askAll(url, requests, atOnce);
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
