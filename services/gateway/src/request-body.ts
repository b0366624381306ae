/**
 * Reads a request's body at the gateway. Small bodies are kept whole, so that a request can go to another replica if the first is lost.
 * Large bodies are streamed and sent only once.
 */
import type { IncomingMessage } from 'node:http';
import { Readable, Transform, pipeline } from 'node:stream';
import type { TransformCallback } from 'node:stream';

import { bodyTooLarge, uploadTooLarge } from '@parley/api';
import { ReceivedBytes, decodeForm, multipartOverheadMaxBytes } from '@parley/server';
import type { HeldBody } from '@parley/server';

/** A body up to this size is kept for a repeat. Every message and flag change is far smaller. */
const keptBodyMaxBytes = 1024 * 1024;

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
  begun: Buffer,
): RequestBody {
  const stream = new LimitedBody(bytesMax - begun.length, refusal);
  if (begun.length > 0) stream.push(begun);
  // Errors reach the reader of the stream; an error before it reads must not end the process.
  stream.on('error', () => undefined);
  pipeline(request, stream, () => undefined);
  return { kind: 'flowing', stream };
}

/** The largest body, and the error for a larger one. */
export type BodyBound = { readonly bytesMax: number; readonly refusal: () => Error };

/** The bound of bodies without an upload (reference facts, people 2.2). */
export function bodyBound(bytesMax: number): BodyBound {
  return { bytesMax, refusal: bodyTooLarge };
}

/** The bound of bodies with a file. It leaves room for other fields, and its refusal is the same as the service's. */
export function fileBound(fileMaxBytes: number): BodyBound {
  return {
    bytesMax: fileMaxBytes + multipartOverheadMaxBytes,
    refusal: () => uploadTooLarge(fileMaxBytes),
  };
}

/**
 * Reads a body: the whole body up to 1 MiB, otherwise as a stream that fails with the bound's refusal above the bound.
 *
 * @param held counts the kept bytes
 * @throws ApiError the bound's refusal if the declared length or the received bytes exceed it; 503 if all bodies together exceed their
 *   bound
 * @throws ClientGone
 */
export async function readBody(
  request: IncomingMessage,
  bound: BodyBound,
  held: HeldBody,
): Promise<RequestBody> {
  const { 'content-length': declared, 'transfer-encoding': transferEncoding } = request.headers;
  if (declared === undefined && transferEncoding === undefined) {
    return { kind: 'kept', bytes: nothing };
  }
  if (declared !== undefined && Number(declared) > bound.bytesMax) throw bound.refusal();
  if (declared !== undefined && Number(declared) > keptBodyMaxBytes)
    return flowOn(request, bound, nothing);
  return readSmallBody(request, bound, held);
}

function readSmallBody(
  request: IncomingMessage,
  bound: BodyBound,
  held: HeldBody,
): Promise<RequestBody> {
  const { promise, resolve, reject } = Promise.withResolvers<RequestBody>();
  const received = new ReceivedBytes();
  const stopListening = (): void => {
    request.off('data', onData);
    request.off('end', onEnd);
    request.off('close', onClose);
  };
  const onData = (chunk: Buffer): void => {
    try {
      if (received.length + chunk.length > bound.bytesMax) throw bound.refusal();
      held.add(chunk.length);
      received.add(chunk);
    } catch (error) {
      stopListening();
      reject(error);
      return;
    }
    if (received.length <= keptBodyMaxBytes) return;
    stopListening();
    request.pause();
    held.release();
    resolve(flowOn(request, bound, received.whole()));
  };
  const onEnd = (): void => {
    stopListening();
    resolve({ kind: 'kept', bytes: received.whole() });
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

export type FindField = (name: string) => string | undefined;

function urlencodedFinder(bytes: Buffer): FindField {
  let fields: ReadonlyMap<string, string> | undefined;
  return (name) => {
    try {
      fields ??= decodeForm(bytes.toString('utf8'));
    } catch {
      // The form has too many fields. The service refuses it, if it is a form at all.
      fields = new Map();
    }
    return fields.get(name);
  };
}

function multipartFinder(bytes: Buffer): FindField {
  let text: string | undefined;
  return (name) => {
    text ??= bytes.toString('latin1');
    const header = text.lastIndexOf(`name="${name}"`);
    if (header < 0) return undefined;
    const begin = text.indexOf('\r\n\r\n', header);
    const end = begin < 0 ? -1 : text.indexOf('\r\n', begin + 4);
    return end < 0 ? undefined : text.slice(begin + 4, end);
  };
}

/**
 * Reads fields of a kept form, only to decide how it is forwarded. The service decodes the form itself.
 *
 * @returns a function that gives the text of one field; its first call decodes the form
 */
export function formFinder(contentType: string | undefined, bytes: Buffer): FindField {
  return contentType?.toLowerCase().startsWith('multipart/') === true
    ? multipartFinder(bytes)
    : urlencodedFinder(bytes);
}
