/**
 * Compresses answers of JSON for clients that take gzip. It happens in the thread pool, a few at a time, so that nothing else waits for
 * it; while too many bytes wait for their turn, further answers go as they are.
 *
 * What answers to several polls begin with is compressed once for all that came in the same moment.
 */
import type { IncomingMessage } from 'node:http';

import {
  Deflater,
  compressedMinBytes,
  gzipMember,
  storedPiece,
  takesGzip,
} from '@parley/compression';
import type { DeflatedPiece } from '@parley/compression';
import { bytesOf, joined } from '@parley/links';
import type { LinkAnswer, LinkBody } from '@parley/links';

/** A longer one would hold a thread for a tenth of a second; what only reads and is so long goes by HTTP in any case. */
const compressedMaxBytes = 16 * 1_048_576;

/** Answers that are being compressed or wait for it, all together. */
const waitingMaxBytes = 64 * 1_048_576;

/** The fastest: it makes most of the difference, and what is made for one reader is not worth more. */
const level = 1;

/** What a cache or a proxy is not to change, a gateway does not change either: services say so of answers in which keys stand. */
const untouchable = /\bno-transform\b/;

/** A compressed answer, or its headers alone for HEAD, whose length nobody knows. */
export type CompressedAnswer = {
  readonly body: LinkBody | undefined;
  readonly headers: Readonly<Record<string, string>>;
};

export type CompressionOptions = {
  /** Told of each answer that was compressed. */
  readonly onCompressed: (plainBytes: number, bytes: number) => void;
  /** Told of each that was not, because too many wait. */
  readonly onRefused: () => void;
};

const compressedHeaders = { 'Content-Encoding': 'gzip' } as const;

export class AnswerCompression {
  readonly #options: CompressionOptions;
  /** Beginnings of answers that came in one moment, by their text. */
  readonly #shared = new Map<string, Promise<DeflatedPiece>>();
  readonly #deflater = new Deflater();
  #heldBytes = 0;

  constructor(options: CompressionOptions) {
    this.#options = options;
  }

  /** @returns bytes of answers that are being compressed or wait for it; for metrics and tests */
  get heldBytes(): number {
    return this.#heldBytes;
  }

  /**
   * Begins to compress an answer.
   *
   * @returns undefined where it goes as it is. The promise is never rejected; undefined in it says the same
   */
  begin(
    request: Pick<IncomingMessage, 'headers' | 'method'>,
    answer: LinkAnswer,
  ): Promise<CompressedAnswer | undefined> | undefined {
    const { kind, headers, shared, own } = answer;
    if (kind !== 'json') return undefined;
    const bytes = bytesOf(shared) + bytesOf(own);
    if (bytes <= compressedMinBytes || bytes > compressedMaxBytes) return undefined;
    if (!mayBeChanged(headers) || !takesGzip(request.headers['accept-encoding'])) return undefined;
    if (request.method === 'HEAD')
      return Promise.resolve({ body: undefined, headers: compressedHeaders });
    if (this.#heldBytes + bytes > waitingMaxBytes) {
      this.#options.onRefused();
      return undefined;
    }
    return this.#compress(shared, own, bytes);
  }

  async #compress(
    shared: LinkBody,
    own: string,
    plainBytes: number,
  ): Promise<CompressedAnswer | undefined> {
    this.#heldBytes += plainBytes;
    try {
      const begin = await (typeof shared === 'string' && own !== ''
        ? this.#deflateShared(shared)
        : this.#deflate(shared));
      const body = gzipMember(own === '' ? [begin] : [begin, storedPiece(Buffer.from(own))]);
      this.#options.onCompressed(plainBytes, bytesOf(body));
      return { body, headers: compressedHeaders };
    } catch {
      // Without the memory for it, say: it goes as it is.
      return undefined;
    } finally {
      this.#heldBytes -= plainBytes;
    }
  }

  #deflateShared(shared: string): Promise<DeflatedPiece> {
    const known = this.#shared.get(shared);
    if (known !== undefined) return known;
    const begun = this.#deflate(shared);
    // Those that came with it are all told of in this turn.
    if (this.#shared.size === 0) setImmediate(() => this.#shared.clear());
    this.#shared.set(shared, begun);
    return begun;
  }

  #deflate(body: LinkBody): Promise<DeflatedPiece> {
    return this.#deflater.deflate(
      typeof body === 'string' ? Buffer.from(body) : joined(body),
      level,
    );
  }
}

function mayBeChanged(headers: LinkAnswer['headers']): boolean {
  for (const [name, value] of Object.entries(headers)) {
    const known = name.toLowerCase();
    if (known === 'content-encoding' || known === 'content-range') return false;
    if (known === 'cache-control' && untouchable.test(value)) return false;
  }
  return true;
}
