/** Reads a request's body at the gateway, whole, so that a request can go to another replica if the first is lost. */
import type { IncomingMessage } from 'node:http';

import { bodyTooLarge } from '@parley/api';
import { ReceivedBytes } from '@parley/server';
import type { HeldBody } from '@parley/server';

/** The client hung up while its body was read. */
export class ClientGone extends Error {}

const nothing = Buffer.alloc(0);

/**
 * Reads a body (reference facts, people 2.2).
 *
 * @param maxBytes the longest body
 * @param held counts the kept bytes
 * @throws ApiError 413 if the declared length or the received bytes exceed the bound; 503 if all bodies together exceed theirs
 * @throws ClientGone
 */
export async function readBody(
  request: IncomingMessage,
  maxBytes: number,
  held: HeldBody,
): Promise<Buffer> {
  const { 'content-length': declared, 'transfer-encoding': transferEncoding } = request.headers;
  if (declared === undefined && transferEncoding === undefined) return nothing;
  if (declared !== undefined && Number(declared) > maxBytes) throw bodyTooLarge();
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  const received = new ReceivedBytes();
  const stopListening = (): void => {
    request.off('data', onData);
    request.off('end', onEnd);
    request.off('close', onClose);
  };
  const onData = (chunk: Buffer): void => {
    try {
      if (received.length + chunk.length > maxBytes) throw bodyTooLarge();
      held.add(chunk.length);
      received.add(chunk);
    } catch (error) {
      stopListening();
      reject(error);
    }
  };
  const onEnd = (): void => {
    stopListening();
    resolve(received.whole());
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
