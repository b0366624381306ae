/** Files that are sent over links, where each is held whole until its gateway has it. */
import type { Readable } from 'node:stream';

import { withoutCode } from '@parley/api';
import type { ApiError } from '@parley/api';
import type { HangUpSignal } from '@parley/api';
import { fileMaxBytes, notOverLinksStatus } from '@parley/links';
import type { ReceivedRequest } from '@parley/links';

/** While so many are opened and read, further ones go by HTTP, which holds a few chunks of each. */
const filesMax = 16;

/** While a gateway has so much to take, files go by HTTP, so that they do not hold up the rest. */
const backlogMaxBytes = 4 * fileMaxBytes;

/** A store that takes longer for so few bytes is slow or silent: by HTTP the client gets what comes as it comes. */
const waitMaxMs = 1_000;

export function mustComeByHttp(): ApiError {
  return withoutCode('This request has to come by HTTP', notOverLinksStatus);
}

/** The place of a request among those whose file is opened and read. */
export type FilePlace = {
  /** Called once, when nothing is done for it any more. */
  readonly leave: () => void;
};

export class LinkedFiles {
  #taken = 0;

  /**
   * Takes a place for a file of so many bytes.
   *
   * @param onLate told when the file should have been there
   * @throws ApiError where it has to go by HTTP
   */
  admit(bytes: number, { link }: ReceivedRequest, onLate: () => void): FilePlace {
    if (bytes > fileMaxBytes || this.#taken >= filesMax || link.backlogBytes > backlogMaxBytes)
      throw mustComeByHttp();
    this.#taken += 1;
    // Where this process was busy itself, what has come meanwhile is seen before.
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
 * Reads a file, as long as somebody waits for it.
 *
 * @param bytes the length that it should have
 * @throws Error where it could not be read, has another length, or nobody waits for it
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
