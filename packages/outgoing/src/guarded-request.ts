/**
 * One request whose address is checked at the connection. A host name is looked up once for each connection, its addresses are checked, and the
 * connection gets only these; so a name that changes its address meanwhile changes nothing. The final address of the socket is checked again,
 * for each request, as a connection may have been kept since an earlier one. No proxy of the environment is used, because a proxy would look up names by itself.
 */
import type { LookupAddress } from 'node:dns';
import { Agent as HttpAgent, request as requestHttp } from 'node:http';
import type { ClientRequest, IncomingMessage, RequestOptions } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import type { LookupFunction, Socket } from 'node:net';

import type { Clock } from '@parley/clock';

import type { AddressRules } from './address-rules.ts';
import { CallFault } from './call-fault.ts';
import { literalAddress } from './find-addresses.ts';
import type { FindAddresses } from './find-addresses.ts';
import type { KeptConnections } from './kept-connections.ts';

export type GuardedOptions = {
  readonly clock: Clock;
  readonly rules: AddressRules;
  readonly findAddresses: FindAddresses;
  /** For the head of the answer. */
  readonly timeoutMs: number;
  /** By which requests over TLS go; by default each gets a connection of its own. */
  readonly connections?: KeptConnections | undefined;
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

/** Without the address, which could reveal an internal network. */
function addressNotAllowed(): CallFault {
  return new CallFault('AddressNotAllowed', 'The address of this server may not be called.');
}

/** @throws CallFault if none of the addresses may be called */
function permittedOf(found: readonly string[], { rules }: GuardedOptions): readonly string[] {
  const permitted = found.filter((address) => rules.permits(address));
  if (permitted.length === 0) throw addressNotAllowed();
  return permitted;
}

/** A look-up that returns only addresses that may be called. A connection that is made asks it; one that was kept does not. */
function guardedLookup(options: GuardedOptions, signal: AbortSignal): LookupFunction {
  const find = async (host: string): Promise<LookupAddress[]> => {
    const found = await options.findAddresses(host, signal);
    signal.throwIfAborted();
    return permittedOf(found, options).map((address) => ({
      address,
      family: address.includes(':') ? 6 : 4,
    }));
  };
  const answer = async (...[host, { all }, done]: Parameters<LookupFunction>): Promise<void> => {
    let found: LookupAddress[];
    try {
      found = await find(host);
    } catch (error) {
      done(error instanceof Error ? error : new Error('no address was found'), []);
      return;
    }
    const [first] = found;
    if (all === true) done(null, found);
    else done(null, first?.address ?? '', first?.family);
  };
  return (...asked) => void answer(...asked);
}

/** @returns the answer when its head has arrived */
function exchange(
  start: (options: RequestOptions) => ClientRequest,
  options: RequestOptions,
  body: string | Buffer | undefined,
  { clock, rules, timeoutMs }: GuardedOptions,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const sent = start(options);
    const tooLate = clock.after(timeoutMs, () => sent.destroy(new CallFault('timeout')));
    const fail = (error: Error): void => {
      tooLate.cancel();
      reject(error);
    };
    sent.on('error', fail);
    sent.on('socket', (socket: Socket) => {
      const judge = (): void => {
        if (!rules.permits(socket.remoteAddress ?? '')) sent.destroy(addressNotAllowed());
      };
      if (socket.connecting) socket.once('connect', judge);
      else judge();
    });
    sent.on('upgrade', (_response, socket) => {
      socket.destroy();
      fail(new CallFault('UnexpectedUpgrade', 'The server wants to speak another protocol.'));
    });
    sent.on('response', (response) => {
      tooLate.cancel();
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
  const literal = literalAddress(url.hostname);
  // Node looks up no address that is written as one.
  if (literal !== undefined) permittedOf([literal], options);
  const isSecure = url.protocol === 'https:';
  // By default one agent for each request: nothing is shared, and the environment's proxies are not used.
  const agentOptions = { keepAlive: false, maxSockets: 1 };
  const agent = isSecure
    ? (options.connections ?? new HttpsAgent(agentOptions))
    : new HttpAgent(agentOptions);
  return exchange(
    isSecure ? requestHttps : requestHttp,
    {
      agent,
      protocol: url.protocol,
      host: literal ?? url.hostname,
      ...(port !== undefined && { port }),
      path: `${url.pathname}${url.search}`,
      method,
      headers: {
        ...headers,
        // The size of a compressed answer is not known before it is read.
        'accept-encoding': 'identity',
        ...(body !== undefined && { 'content-length': Buffer.byteLength(body) }),
      },
      lookup: guardedLookup(options, signal),
      maxHeaderSize: headMaxBytes,
      signal,
    },
    body,
    options,
  );
}
