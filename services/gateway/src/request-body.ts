/**
 * Reading a request's body at the gateway. Small bodies are kept whole, so that a request can go to another replica when the
 * first is lost; large ones flow through, and go only once.
 */
import type { IncomingMessage } from 'node:http';
import { Readable, Transform, pipeline } from 'node:stream';
import type { TransformCallback } from 'node:stream';

import { bodyTooLarge, limits, uploadTooLarge } from '@parley/contracts';
import { multipartOverheadMaxBytes } from '@parley/http';

/** A body up to this size is kept for a repeat; every message and flag change is far below it. */
export const keptBodyMaxBytes = 1024 * 1024;

export type RequestBody =
  | { readonly kind: 'kept'; readonly bytes: Buffer }
  | { readonly kind: 'flowing'; readonly stream: Readable };

/** The client hung up while its body was read. */
export class ClientGone extends Error {}

const nothing = Buffer.alloc(0);

class LimitedBody extends Transform {
  #left: number;
  readonly #refusal: () => Error;

  constructor(bytesLeft: number, refusal: () => Error) {
    super();
    this.#left = bytesLeft;
    this.#refusal = refusal;
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.#left -= chunk.length;
    if (this.#left < 0) done(this.#refusal());
    else done(null, chunk);
  }
}

function flowOn(
  request: IncomingMessage,
  { bytesMax, refusal }: BodyBound,
  begun: readonly Buffer[],
  size: number,
): RequestBody {
  const stream = new LimitedBody(bytesMax - size, refusal);
  for (const chunk of begun) stream.push(chunk);
  // Faults reach whoever reads the stream; one that comes before that must not end the process.
  stream.on('error', () => undefined);
  pipeline(request, stream, () => undefined);
  return { kind: 'flowing', stream };
}

/** The largest body, and what is thrown at a larger one. */
export type BodyBound = { readonly bytesMax: number; readonly refusal: () => Error };

/** The bound of bodies that bring no file (reference facts, people 2.2). */
export const ordinaryBound: BodyBound = { bytesMax: limits.bodyMaxBytes, refusal: bodyTooLarge };

/** The bound of bodies that the gateway itself has to read. */
export const keptBound: BodyBound = { bytesMax: keptBodyMaxBytes, refusal: bodyTooLarge };

/** The bound of bodies with a file: room for what is beside it, and above it the very refusal that the service would give. */
export function fileBound(fileMaxBytes: number): BodyBound {
  return {
    bytesMax: fileMaxBytes + multipartOverheadMaxBytes,
    refusal: () => uploadTooLarge(fileMaxBytes),
  };
}

/**
 * Reads a body: all of it up to 1 MiB, else as a stream that fails with the bound's refusal beyond it.
 *
 * @throws ApiError the bound's refusal where the declared length is above it
 * @throws ClientGone
 */
export async function readBody(
  request: IncomingMessage,
  bound: BodyBound = ordinaryBound,
): Promise<RequestBody> {
  const { 'content-length': declared, 'transfer-encoding': transferEncoding } = request.headers;
  if (declared === undefined && transferEncoding === undefined) {
    return { kind: 'kept', bytes: nothing };
  }
  if (declared !== undefined && Number(declared) > bound.bytesMax) throw bound.refusal();
  if (declared !== undefined && Number(declared) > keptBodyMaxBytes)
    return flowOn(request, bound, [], 0);
  return readSmallBody(request, bound);
}

function readSmallBody(request: IncomingMessage, bound: BodyBound): Promise<RequestBody> {
  const { promise, resolve, reject } = Promise.withResolvers<RequestBody>();
  const chunks: Buffer[] = [];
  let size = 0;
  const stopListening = (): void => {
    request.off('data', onData);
    request.off('end', onEnd);
    request.off('close', onClose);
  };
  const onData = (chunk: Buffer): void => {
    chunks.push(chunk);
    size += chunk.length;
    if (size <= keptBodyMaxBytes) return;
    stopListening();
    request.pause();
    resolve(flowOn(request, bound, chunks, size));
  };
  const onEnd = (): void => {
    stopListening();
    resolve({
      kind: 'kept',
      bytes: chunks.length === 1 ? (chunks[0] ?? nothing) : Buffer.concat(chunks),
    });
  };
  const onClose = (): void => {
    stopListening();
    reject(new ClientGone('the client hung up before its request was complete'));
  };
  request.on('data', onData);
  request.on('end', onEnd);
  request.on('close', onClose);
  request.on('error', () => undefined);
  return promise;
}

/**
 * The text of one form field of a kept body, for choosing a node and no more than that: the service decodes the form itself.
 */
export function findFormField(
  contentType: string | undefined,
  bytes: Buffer,
  name: string,
): string | undefined {
  if (bytes.length === 0) return undefined;
  if (!contentType?.toLowerCase().startsWith('multipart/')) {
    return new URLSearchParams(bytes.toString('utf8')).getAll(name).at(-1);
  }
  const text = bytes.toString('latin1');
  const header = text.lastIndexOf(`name="${name}"`);
  if (header < 0) return undefined;
  const begin = text.indexOf('\r\n\r\n', header);
  const end = begin < 0 ? -1 : text.indexOf('\r\n', begin + 4);
  return end < 0 ? undefined : text.slice(begin + 4, end);
}
