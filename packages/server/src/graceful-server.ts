import { createServer, STATUS_CODES } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';

import { duplicateHeader, withoutCode } from '@parley/api';
import type { ApiError } from '@parley/api';
import { limitMs } from '@parley/clock';
import type { Clock, Timer } from '@parley/clock';

import { writeRefusal } from './error-handler.ts';

/** Headers that may occur once, in the spelling of clients. Of two occurrences Node would use the first, the last, or both joined. */
const singleHeaders = [
  'Host',
  'Authorization',
  'Content-Type',
  'Content-Length',
  'Transfer-Encoding',
  'Idempotency-Key',
  'Last-Event-ID',
];

const nameOf = new Map(singleHeaders.map((name) => [name.toLowerCase(), name]));

/**
 * @param rawHeaders names and values in turn, as Node gives them
 * @returns the name of such a header that occurs twice
 */
function findDuplicateHeader(rawHeaders: readonly string[]): string | undefined {
  const seen = new Set<string>();
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = nameOf.get(rawHeaders[index]?.toLowerCase() ?? '');
    if (name === undefined) continue;
    if (seen.has(name)) return name;
    seen.add(name);
  }
  return undefined;
}

/** An HTTP server that can stop without breaking off answers. */
export type GracefulServer = {
  readonly server: Server;
  readonly port: number;
  /**
   * Stops accepting, waits for requests in flight, and closes the rest at the deadline.
   *
   * @param deadlineMs from now
   */
  readonly stop: (deadlineMs: number) => Promise<void>;
};

export type RequestHandler = (request: IncomingMessage, response: ServerResponse) => void;

/** Takes over a connection for another protocol on the client's request; `head` is its first bytes. */
export type UpgradeHandler = (request: IncomingMessage, socket: Duplex, head: Buffer) => void;

export type ListenOptions = {
  readonly clock: Clock;
  readonly host: string;
  /** 0 means any free port. */
  readonly port: number;
  /** The time within which a request must arrive, body included. Answers may take any time, because polls are held. */
  readonly requestTimeoutMs: number;
  /**
   * After this time without traffic a connection is closed. It is longer than any answer is held. Otherwise a client that reads nothing of
   * its answer could hold it for ever.
   */
  readonly silenceMaxMs: number;
  /** Without it, a request for another protocol is answered like any other. */
  readonly onUpgrade?: UpgradeHandler;
};

/**
 * How long an idle connection is kept. This is longer than in the gateway and usual proxies (60 s), so that a connection is never closed
 * here while a request is sent on it.
 */
const keepAliveTimeoutMs = 75_000;

/**
 * The most connections that wait to be accepted. A gateway whose event node died opens thousands at once to the next node. With Node's
 * default of 511, most of five thousand waited a second for the kernel's retry. The kernel's own bound (`somaxconn`, 4,096 on Linux) also
 * applies.
 */
const backlog = 4_096;

/** The time within which the headers of a request must arrive. */
const headersTimeoutMs = 30_000;

/** The interval of the check for slow requests. Node's default would give each half a minute more. */
const arrivalCheckMs = 5_000;

/**
 * Starts to listen.
 *
 * @throws Error of the operating system, such as EADDRINUSE
 */
export async function listen(
  handler: RequestHandler,
  options: ListenOptions,
): Promise<GracefulServer> {
  const { clock } = options;
  let isStopping = false;
  const refused = new WeakSet<Socket>();
  const server = createServer(
    {
      keepAlive: true,
      keepAliveTimeout: limitMs(clock, keepAliveTimeoutMs),
      headersTimeout: limitMs(clock, Math.min(headersTimeoutMs, options.requestTimeoutMs)),
      requestTimeout: limitMs(clock, options.requestTimeoutMs),
      connectionsCheckingInterval: Math.min(arrivalCheckMs, options.requestTimeoutMs),
      // Node's own refusal has no body; every answer is JSON.
      requireHostHeader: false,
    },
    (request, response) => {
      // It was sent together with a refused request, before the connection could end.
      if (refused.has(request.socket)) return;
      const refusal = findHeaderFault(request);
      if (refusal !== undefined) {
        refused.add(request.socket);
        refuseUnread(response, refusal);
        return;
      }
      // A kept connection would bring more requests to a stopping server.
      if (isStopping) response.setHeader('Connection', 'close');
      handler(request, response);
    },
  );
  server.setTimeout(limitMs(clock, options.silenceMaxMs));
  if (options.onUpgrade !== undefined) server.on('upgrade', options.onUpgrade);
  server.on('clientError', refuseMalformed);
  server.on('checkExpectation', (_request: IncomingMessage, response: ServerResponse) =>
    refuseUnread(response, withoutCode('Expectation Failed', 417)),
  );
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port: options.port, host: options.host, backlog }, () => {
      server.removeListener('error', reject);
      resolve();
    });
  });
  return {
    server,
    port: (server.address() as AddressInfo).port,
    stop: (deadlineMs) => {
      isStopping = true;
      return stopServer(server, deadlineMs, clock);
    },
  };
}

/** @returns the refusal of a request that two parsers could read differently */
function findHeaderFault({
  httpVersion,
  headers,
  rawHeaders,
}: IncomingMessage): ApiError | undefined {
  if (httpVersion === '1.1' && headers.host === undefined)
    return withoutCode('Missing Host header');
  const duplicate = findDuplicateHeader(rawHeaders);
  return duplicate === undefined ? undefined : duplicateHeader(duplicate);
}

/** Refuses a request before any handler. Its body is not read, so the connection ends. */
function refuseUnread(response: ServerResponse, refusal: ApiError): void {
  writeRefusal(response, refusal, { Connection: 'close' });
}

type ClientError = Error & { readonly code?: string; readonly rawPacket?: Buffer };

/**
 * @returns whether unreadable bytes began as a HEAD request, whose answer must have no body. A request that arrived in pieces no longer
 *   shows its method
 */
function asksForHeadersOnly({ rawPacket }: ClientError): boolean {
  return rawPacket?.toString('latin1', 0, 5) === 'HEAD ';
}

/**
 * Answers bytes that Node cannot read as HTTP. No handler sees them, but every answer must be JSON (contract, Conventions).
 */
function refuseMalformed(error: ClientError, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const isLate = error.code === 'ERR_HTTP_REQUEST_TIMEOUT';
  const status = isLate ? 408 : error.code === 'HPE_HEADER_OVERFLOW' ? 431 : 400;
  const reason = STATUS_CODES[status] ?? 'Bad Request';
  const body = JSON.stringify(withoutCode(reason, status).toBody());
  socket.end(
    `HTTP/1.1 ${status} ${reason}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n` +
      `Connection: close\r\n\r\n${asksForHeadersOnly(error) ? '' : body}`,
  );
}

// Connections that become idle while the server waits are closed within this time.
const idleSweepMs = 50;

function stopServer(server: Server, deadlineMs: number, clock: Clock): Promise<void> {
  return new Promise((resolve) => {
    const deadline = clock.after(deadlineMs, () => server.closeAllConnections());
    let nextSweep: Timer | undefined;
    const sweep = (): void => {
      server.closeIdleConnections();
      nextSweep = clock.shortly(idleSweepMs, sweep);
    };
    server.close(() => {
      nextSweep?.cancel();
      deadline.cancel();
      resolve();
    });
    sweep();
  });
}
