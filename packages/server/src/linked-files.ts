/** Files sent over links, where each is kept whole until its gateway has it. */
import type { Readable } from 'node:stream';

import { withoutCode } from '@parley/api';
import type { ApiError } from '@parley/api';
import type { HangUpSignal } from '@parley/api';
import { fileMaxBytes, notOverLinksStatus } from '@parley/links';
import type { ReceivedRequest } from '@parley/links';

/** The most files that are opened and read at once; further ones use HTTP, which keeps only a few chunks of each. */
const filesMax = 16;

/** While more than this waits for a gateway, files use HTTP, so that they do not delay other answers. */
const backlogMaxBytes = 4 * fileMaxBytes;

/** A store that takes longer for so few bytes is slow or silent; by HTTP the client gets bytes as they arrive. */
const waitMaxMs = 1_000;

export function mustComeByHttp(): ApiError {
  return withoutCode('This request has to come by HTTP', notOverLinksStatus);
}

/** The slot of a request whose file is opened and read. */
export type FileSlot = {
  /** Called once, when the work for it has ended. */
  readonly leave: () => void;
};

export class LinkedFiles {
  #taken = 0;

  /**
   * Takes a slot for a file of this size.
   *
   * @param onLate called when the file is late
   * @throws ApiError if it must use HTTP
   */
  admit(bytes: number, { link }: ReceivedRequest, onLate: () => void): FileSlot {
    if (bytes > fileMaxBytes || this.#taken >= filesMax || link.backlogBytes > backlogMaxBytes)
      throw mustComeByHttp();
    this.#taken += 1;
    // If this process was busy, bytes that arrived meanwhile are handled first.
    const timer = setTimeout(() => setImmediate(onLate), waitMaxMs);
    return {
      leave: () => {
        clearTimeout(timer);
        this.#taken -= 1;
      },
    };
  }
}

/**
 * Reads a file while somebody waits for it.
 *
 * @param bytes the expected length
 * @throws Error if it cannot be read, has another length, or nobody waits for it
 */
export async function readFile(
  content: Readable,
  bytes: number,
  signal: HangUpSignal,
): Promise<readonly Buffer[]> {
  if (signal.aborted) throw new Error('nobody waits for the file');
  const giveUp = (): void => {
    content.destroy();
  };
  signal.addEventListener('abort', giveUp);
  try {
    const pieces: Buffer[] = [];
    let left = bytes;
    for await (const piece of content as AsyncIterable<Buffer>) {
      pieces.push(piece);
      left -= piece.length;
      if (left < 0) break;
    }
    if (left !== 0) throw new Error(`a file of ${bytes} bytes has ${bytes - left}`);
    return pieces;
  } finally {
    signal.removeEventListener('abort', giveUp);
  }
}
