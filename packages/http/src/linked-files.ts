/** Files that are sent over links, where each is held whole until its gateway has it. */
import type { Readable } from 'node:stream';

import { serviceUnavailable, withoutCode } from '@parley/contracts';
import type { ApiError } from '@parley/contracts';
import { fileMaxBytes, notOverLinksStatus } from '@parley/links';
import type { ReceivedRequest } from '@parley/links';
import type { Logger } from '@parley/logging';

/** While more files are read, further ones go by HTTP, which holds a few chunks of each. */
const readingMax = 64;

/** While a gateway has so much to take, files go by HTTP, so that they do not hold up the rest. */
const backlogMaxBytes = 4 * fileMaxBytes;

/** A store that takes longer for so few bytes is slow or silent: by HTTP the client gets what comes as it comes. */
const readMaxMs = 1_000;

export function mustComeByHttp(): ApiError {
  return withoutCode('This request has to come by HTTP', notOverLinksStatus);
}

export class LinkedFiles {
  #reading = 0;

  /** @throws ApiError where a file of so many bytes has to go by HTTP */
  admit(bytes: number, { method, link }: ReceivedRequest): void {
    const fits = bytes <= fileMaxBytes || method === 'HEAD';
    if (!fits || this.#reading >= readingMax || link.backlogBytes > backlogMaxBytes)
      throw mustComeByHttp();
  }

  /**
   * @param bytes the length of the file
   * @returns its content, of HEAD nothing; the stream is destroyed in any case
   * @throws ApiError where it has to go by HTTP, or could not be read
   */
  async read(
    content: Readable,
    bytes: number,
    request: ReceivedRequest,
    log: Logger,
  ): Promise<readonly Buffer[]> {
    try {
      this.admit(bytes, request);
      return request.method === 'HEAD' ? [] : await this.#readAll(content, bytes, request, log);
    } finally {
      content.destroy();
    }
  }

  async #readAll(
    content: Readable,
    bytes: number,
    { signal }: ReceivedRequest,
    log: Logger,
  ): Promise<readonly Buffer[]> {
    const giveUp = (): void => {
      content.destroy();
    };
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      giveUp();
    }, readMaxMs);
    signal.addEventListener('abort', giveUp);
    this.#reading += 1;
    try {
      return await collect(content, bytes);
    } catch (error) {
      if (isLate) throw mustComeByHttp();
      if (!signal.aborted) log.error({ err: error }, 'a file could not be read to its end');
      throw serviceUnavailable();
    } finally {
      this.#reading -= 1;
      clearTimeout(timer);
      signal.removeEventListener('abort', giveUp);
    }
  }
}

async function collect(content: Readable, bytes: number): Promise<readonly Buffer[]> {
  const pieces: Buffer[] = [];
  let left = bytes;
  for await (const piece of content as AsyncIterable<Buffer>) {
    pieces.push(piece);
    left -= piece.length;
    if (left < 0) break;
  }
  if (left !== 0) throw new Error(`a file of ${bytes} bytes has ${bytes - left}`);
  return pieces;
}
