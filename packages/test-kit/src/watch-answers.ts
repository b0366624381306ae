/** Compares every answer of the servers in this process with the OpenAPI document. */
import { subscribe } from 'node:diagnostics_channel';
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { StringDecoder } from 'node:string_decoder';
import { gunzipSync } from 'node:zlib';

import { limits } from '@parley/api';

import { answerDocument, namedMethodIn } from './answer-document.ts';

/** Enough of a multipart form for the fields before its files, which are too large to keep. */
const partsMaxBytes = 65_536;

/** On the gateway's internal port, which is not part of the interface. */
const internalPaths = /^\/(?:health\/|metrics$)/;

/** Called with the deviations of an answer from the document, on one line. */
export type AnswerFaultHandler = (fault: string) => void;

function report(onFault: AnswerFaultHandler, check: () => void): void {
  try {
    check();
  } catch (error) {
    onFault((error as Error).message.replaceAll('\n', ' '));
  }
}

/** Keeps the body of a POST while it is read, because a form may name another method after its longest value. */
function watchNamedMethod(request: IncomingMessage): () => string | undefined {
  const chunks: Buffer[] = [];
  const hasParts = request.headers['content-type']?.startsWith('multipart/') === true;
  const keptMaxBytes = hasParts ? partsMaxBytes : limits.anyBodyMaxBytes;
  let size = 0;
  const push = request.push.bind(request);
  request.push = (chunk: unknown, encoding?: BufferEncoding) => {
    if (chunk instanceof Buffer && size < keptMaxBytes) {
      chunks.push(Buffer.from(chunk));
      size += chunk.length;
    }
    return push(chunk, encoding);
  };
  return () => namedMethodIn(Buffer.concat(chunks).toString('latin1'));
}

function headersIn(given: readonly unknown[]): Record<string, unknown> {
  const headers = given.findLast((argument) => typeof argument === 'object' && argument !== null);
  const entries = Array.isArray(headers)
    ? headers.flatMap((_item, index) =>
        index % 2 === 0 ? [[headers[index], headers[index + 1]]] : [],
      )
    : Object.entries((headers ?? {}) as OutgoingHttpHeaders);
  return Object.fromEntries(entries.map(([name, value]) => [String(name).toLowerCase(), value]));
}

/** Splits a stream into its messages and checks each complete one. */
class StreamWatch {
  readonly #path: string;
  readonly #onFault: AnswerFaultHandler;
  readonly #decoder = new StringDecoder('utf8');
  #rest = '';

  constructor(path: string, onFault: AnswerFaultHandler) {
    this.#path = path;
    this.#onFault = onFault;
  }

  add(bytes: Buffer): void {
    const parts = (this.#rest + this.#decoder.write(bytes)).split('\n\n');
    this.#rest = parts.pop() ?? '';
    for (const part of parts) {
      const fields = Object.fromEntries(
        part
          .split('\n')
          .filter((line) => /^(?:event|data): /.test(line))
          .map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]),
      ) as { event?: string; data?: string };
      const { data, event } = fields;
      if (data === undefined) continue;
      report(this.#onFault, () =>
        answerDocument().checkStreamed(this.#path, {
          data,
          ...(event !== undefined && { event }),
        }),
      );
    }
  }
}

/** @returns the body in bytes that are one whole chunk of HTTP, which `node:http` never writes at once otherwise */
function findBodyOfChunk(bytes: Buffer): Buffer | undefined {
  const size = /^([\da-f]+)\r\n/.exec(bytes.toString('latin1', 0, 20));
  if (size === null) return undefined;
  const begin = size[0].length;
  const end = begin + Number.parseInt(size[1] ?? '', 16);
  return bytes.length === end + 2 ? bytes.subarray(begin, end) : undefined;
}

/** Passes on the chunks that are written to a stream's socket directly, while its response is open. */
function watchConnection(response: ServerResponse, onBody: (bytes: Buffer) => void): void {
  const { socket } = response;
  if (socket === null) return;
  const write = socket.write.bind(socket);
  socket.write = (...given: readonly unknown[]) => {
    const [chunk] = given;
    const body = chunk instanceof Buffer ? findBodyOfChunk(chunk) : undefined;
    if (body !== undefined) onBody(body);
    return Reflect.apply(write, socket, given) as boolean;
  };
  response.once('close', () => {
    socket.write = write;
  });
}

function watch(
  request: IncomingMessage,
  response: ServerResponse,
  onFault: AnswerFaultHandler,
): void {
  const { method = '', url: path = '' } = request;
  if (internalPaths.test(path)) return;
  const namedMethod = method === 'POST' ? watchNamedMethod(request) : () => undefined;
  const written: Record<string, unknown> = {};
  const chunks: Buffer[] = [];
  let stream: StreamWatch | undefined;
  const headers = (): Record<string, unknown> => ({ ...response.getHeaders(), ...written });
  const keep = (chunk: unknown, encoding: unknown): void => {
    if (typeof chunk !== 'string' && !(chunk instanceof Uint8Array)) return;
    const bytes =
      typeof chunk === 'string'
        ? Buffer.from(chunk, typeof encoding === 'string' ? (encoding as BufferEncoding) : 'utf8')
        : Buffer.from(chunk);
    const given = headers()['content-type'];
    const type = typeof given === 'string' ? given : '';
    if (type.startsWith('text/event-stream')) {
      if (stream === undefined) {
        const opened = new StreamWatch(path, onFault);
        stream = opened;
        watchConnection(response, (body) => opened.add(body));
      }
      stream.add(bytes);
    } else if (type.startsWith('application/json')) chunks.push(bytes);
    else if (bytes.length > 0 && chunks.length === 0) chunks.push(Buffer.from('…'));
  };
  const writeHead = response.writeHead.bind(response);
  const write = response.write.bind(response);
  const end = response.end.bind(response);
  response.writeHead = (...given: readonly unknown[]) => {
    Object.assign(written, headersIn(given));
    return Reflect.apply(writeHead, response, given) as ServerResponse;
  };
  response.write = (...given: readonly unknown[]) => {
    keep(given[0], given[1]);
    return Reflect.apply(write, response, given) as boolean;
  };
  response.end = (...given: readonly unknown[]) => {
    keep(given[0], given[1]);
    return Reflect.apply(end, response, given) as ServerResponse;
  };
  const readText = (): string => {
    const bytes = Buffer.concat(chunks);
    const { 'content-encoding': encoding, 'content-type': type } = headers();
    // Of a body that is not JSON, only its presence was recorded.
    const isPacked = encoding === 'gzip' && type === 'application/json' && method !== 'HEAD';
    return (isPacked ? gunzipSync(bytes) : bytes).toString('utf8');
  };
  response.once('finish', () =>
    report(onFault, () =>
      answerDocument().check({
        method,
        path,
        namedMethod: namedMethod(),
        status: response.statusCode,
        headers: headers(),
        text: readText(),
      }),
    ),
  );
}

/**
 * Watches the servers of this process from now on.
 *
 * @param findHandler returns the handler for faults of a server by its port; undefined to ignore the server
 */
export function watchAnswers(
  findHandler: (port: number | undefined) => AnswerFaultHandler | undefined,
): void {
  subscribe('http.server.request.start', (message) => {
    const { request, response } = message as {
      readonly request: IncomingMessage;
      readonly response: ServerResponse;
    };
    const onFault = findHandler(request.socket.localPort);
    if (onFault !== undefined) watch(request, response, onFault);
  });
}
