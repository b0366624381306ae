/**
 * Compresses JSON answers for clients that accept gzip. Compression runs in the thread pool, a few answers at a time, so that nothing else
 * waits for it. While too many bytes wait for their turn, further answers are sent uncompressed.
 *
 * The common beginning of answers to several polls is compressed once for all polls of the same moment.
 */
import type { IncomingMessage } from 'node:http';

import {
  Deflater,
  compressedMinBytes,
  gzipMember,
  storedPiece,
  takesGzip,
} from '@parley/server/compression';
import type { DeflatedPiece } from '@parley/server/compression';
import { bytesOf, joined } from '@parley/server/links';
import type { LinkAnswer, LinkBody } from '@parley/server/links';

/** A longer answer would occupy a thread for a tenth of a second. Reads with such long answers go in steps anyway. */
const compressedMaxBytes = 16 * 1_048_576;

/** Bytes of all answers that are being compressed or wait for it. */
const waitingMaxBytes = 64 * 1_048_576;

/** The fastest level. It saves most of the bytes, and an answer for one reader is not worth more time. */
const level = 1;

/** Services mark answers that contain keys so that no cache or proxy transforms them; the gateway does not either. */
const noTransform = /\bno-transform\b/;

/** A compressed answer. For HEAD it has only headers, and its length is unknown. */
export type CompressedAnswer = {
  readonly body: LinkBody | undefined;
  readonly headers: Readonly<Record<string, string>>;
};

export type CompressionOptions = {
  /** Called for each compressed answer. */
  readonly onCompressed: (plainBytes: number, bytes: number) => void;
  /** Called for each answer that is not compressed because too many bytes wait. */
  readonly onRefused: () => void;
};

const compressedHeaders = { 'Content-Encoding': 'gzip' } as const;

export class AnswerCompression {
  readonly #options: CompressionOptions;
  /** The common beginnings of answers of the current moment, by their text. */
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
   * Starts to compress an answer.
   *
   * @returns undefined if it is sent uncompressed. The promise is never rejected; it gives undefined in the same case
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
    const isCommon = typeof shared === 'string' && own !== '';
    const known = isCommon ? this.#shared.get(shared) : undefined;
    const held = known === undefined ? bytes : bytesOf(own);
    if (this.#heldBytes + held > waitingMaxBytes) {
      this.#options.onRefused();
      return undefined;
    }
    this.#heldBytes += held;
    const beginning = known ?? (isCommon ? this.#deflateShared(shared) : this.#deflate(shared));
    return this.#finish(beginning, own, bytes).finally(() => {
      this.#heldBytes -= held;
    });
  }

  async #finish(
    beginning: Promise<DeflatedPiece>,
    own: LinkAnswer['own'],
    plainBytes: number,
  ): Promise<CompressedAnswer | undefined> {
    try {
      const begin = await beginning;
      const body = gzipMember(own === '' ? [begin] : [begin, storedPiece(Buffer.from(own))]);
      this.#options.onCompressed(plainBytes, bytesOf(body));
      return { body, headers: compressedHeaders };
    } catch {
      // For example without enough memory: the answer is sent uncompressed.
      return undefined;
    }
  }

  #deflateShared(shared: string): Promise<DeflatedPiece> {
    const begun = this.#deflate(shared);
    // All answers that arrived together are handled in this turn.
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
    if (known === 'cache-control' && noTransform.test(value)) return false;
  }
  return true;
}
