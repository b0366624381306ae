/**
 * One request whose address is checked at the connection. A host name is looked up once for each request, its addresses are checked, and the
 * connection gets only these; so a name that changes its address meanwhile changes nothing. The final address of the socket is checked again.
 * No proxy of the environment is used, because a proxy would look up names by itself.
 */
import { Agent as HttpAgent, request as requestHttp } from 'node:http';
import type { ClientRequest, IncomingMessage, RequestOptions } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import type { LookupFunction, Socket } from 'node:net';

import type { AddressRules } from './address-rules.ts';
import { CallFault } from './call-fault.ts';
import { literalAddress } from './find-addresses.ts';
import type { FindAddresses } from './find-addresses.ts';

export type GuardedOptions = {
  readonly rules: AddressRules;
  readonly findAddresses: FindAddresses;
  /** For the head of the answer. */
  readonly timeoutMs: number;
};

export type GuardedRequest = {
  /** Of http or https. */
  readonly url: URL;
  /** Where the server listens, if that is not the port of the URL. */
  readonly port?: number;
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Buffer | undefined;
};

const headMaxBytes = 16 * 1024;

/** @throws CallFault if there is no address that may be called */
async function findPermitted(
  host: string,
  { rules, findAddresses }: GuardedOptions,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const literal = literalAddress(host);
  const found = literal === undefined ? await findAddresses(host, signal) : [literal];
  signal.throwIfAborted();
  const permitted = found.filter((address) => rules.permits(address));
  // Without the address, which could reveal an internal network.
  if (permitted.length === 0)
    throw new CallFault('AddressNotAllowed', 'The address of this server may not be called.');
  return permitted;
}

/** A look-up that returns only these addresses. */
function fixedLookup(addresses: readonly string[]): LookupFunction {
  const found = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
  return (_host, options, done) => {
    const [first] = found;
    if (options.all === true) done(null, found);
    else done(null, first?.address ?? '', first?.family);
  };
}

/** @returns the answer when its head has arrived */
function exchange(
  start: (options: RequestOptions) => ClientRequest,
  options: RequestOptions,
  body: string | Buffer | undefined,
  { rules, timeoutMs }: GuardedOptions,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const sent = start(options);
    const tooLate = setTimeout(() => sent.destroy(new CallFault('timeout')), timeoutMs);
    const fail = (error: Error): void => {
      clearTimeout(tooLate);
      reject(error);
    };
    sent.on('error', fail);
    sent.on('socket', (socket: Socket) =>
      socket.once('connect', () => {
        if (!rules.permits(socket.remoteAddress ?? ''))
          sent.destroy(
            new CallFault('AddressNotAllowed', 'The address of this server may not be called.'),
          );
      }),
    );
    sent.on('upgrade', (_response, socket) => {
      socket.destroy();
      fail(new CallFault('UnexpectedUpgrade', 'The server wants to speak another protocol.'));
    });
    sent.on('response', (response) => {
      clearTimeout(tooLate);
      resolve(response);
    });
    sent.end(body);
  });
}

/**
 * Sends one request, and follows no redirect.
 *
 * @returns the answer when its head has arrived; the caller reads or destroys it
 * @throws CallFault, or an error of the connection
 */
export async function sendGuarded(
  {
    url,
    port = url.port === '' ? undefined : Number(url.port),
    method,
    headers,
    body,
  }: GuardedRequest,
  options: GuardedOptions,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const addresses = await findPermitted(url.hostname, options, signal);
  const isSecure = url.protocol === 'https:';
  const agentOptions = { keepAlive: false, maxSockets: 1 };
  return exchange(
    isSecure ? requestHttps : requestHttp,
    {
      // One agent for each request: nothing is shared, and the environment's proxies are not used.
      agent: isSecure ? new HttpsAgent(agentOptions) : new HttpAgent(agentOptions),
      protocol: url.protocol,
      host: literalAddress(url.hostname) ?? url.hostname,
      ...(port !== undefined && { port }),
      path: `${url.pathname}${url.search}`,
      method,
      headers: {
        ...headers,
        // The size of a compressed answer is not known before it is read.
        'accept-encoding': 'identity',
        ...(body !== undefined && { 'content-length': Buffer.byteLength(body) }),
      },
      lookup: fixedLookup(addresses),
      maxHeaderSize: headMaxBytes,
      signal,
    },
    body,
    options,
  );
}
