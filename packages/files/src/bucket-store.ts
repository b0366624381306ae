import { Readable } from 'node:stream';

import {
  DeleteObjectCommand,
  GetObjectCommand,
  S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { limitMs } from '@parley/clock';
import type { Clock } from '@parley/clock';

import { FileStoreFault, checkKey } from './file-store.ts';
import type { ByteRange, FileStore, StoredFile } from './file-store.ts';

export type BucketOptions = {
  readonly clock: Clock;
  readonly bucket: string;
  /** Undefined for Amazon S3 itself. */
  readonly endpoint: string | undefined;
  readonly region: string;
  /** Undefined if the machine itself has access to the bucket. */
  readonly credentials:
    | { readonly accessKeyId: string; readonly secretAccessKey: string }
    | undefined;
};

/** The smallest part that S3 accepts, and so the most of a file that is in memory. */
const partBytes = 5 * 1024 * 1024;

const attemptsMax = 3;
const connectionTimeoutMs = 3_000;
/** A store that is silent for this time is down. */
const silenceTimeoutMs = 15_000;

/**
 * Files in a bucket of a store with the S3 protocol. Large files are sent in parts. The parts that a killed writer leaves are never
 * visible, and the bucket's own rule for incomplete uploads removes them.
 */
export class BucketStore implements FileStore {
  readonly #client: S3Client;
  readonly #bucket: string;

  constructor({ clock, bucket, endpoint, region, credentials }: BucketOptions) {
    this.#bucket = bucket;
    this.#client = new S3Client({
      region,
      ...(credentials === undefined ? {} : { credentials }),
      // Self-hosted stores seldom have a host name for each bucket.
      ...(endpoint === undefined ? {} : { endpoint, forcePathStyle: true }),
      maxAttempts: attemptsMax,
      // Only Amazon's own store and few others understand checksums in trailers.
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
      requestHandler: {
        connectionTimeout: limitMs(clock, connectionTimeoutMs),
        requestTimeout: limitMs(clock, silenceTimeoutMs),
        throwOnRequestTimeout: true,
      },
    });
  }

  async write(key: string, content: Readable): Promise<number> {
    checkKey(key);
    // A stream that fails before it is read would otherwise end the process.
    content.on('error', () => undefined);
    let size = 0;
    let failure: Error | undefined;
    const counted = Readable.from(
      (async function* count(): AsyncGenerator<Buffer> {
        try {
          for await (const chunk of content as AsyncIterable<Buffer>) {
            size += chunk.length;
            yield chunk;
          }
        } catch (error) {
          failure = error as Error;
          throw error;
        }
      })(),
      { objectMode: false },
    );
    const upload = new Upload({
      client: this.#client,
      params: { Bucket: this.#bucket, Key: key, Body: counted },
      partSize: partBytes,
      queueSize: 1,
    });
    try {
      await upload.done();
      return size;
    } catch (error) {
      if (failure !== undefined) throw failure;
      throw faultOf(error);
    } finally {
      counted.destroy();
      content.destroy();
    }
  }

  async read(key: string, range?: ByteRange): Promise<StoredFile | undefined> {
    checkKey(key);
    return undefinedIfMissing(async () => {
      const found = await this.#client.send(
        new GetObjectCommand({
          Bucket: this.#bucket,
          Key: key,
          ...(range === undefined ? {} : { Range: `bytes=${range.first}-${range.last}` }),
        }),
      );
      if (!(found.Body instanceof Readable)) throw new TypeError('an object without content');
      const whole = /\/(\d+)$/.exec(found.ContentRange ?? '')?.[1] ?? found.ContentLength;
      return { sizeBytes: Number(whole ?? 0), content: found.Body };
    });
  }

  async remove(key: string): Promise<void> {
    checkKey(key);
    await undefinedIfMissing(() =>
      this.#client.send(new DeleteObjectCommand({ Bucket: this.#bucket, Key: key })),
    );
  }

  close(): void {
    this.#client.destroy();
  }
}

function faultOf(error: unknown): FileStoreFault {
  return new FileStoreFault('the bucket of files failed', {
    cause: error,
  });
}

async function undefinedIfMissing<Result>(
  work: () => Promise<Result>,
): Promise<Result | undefined> {
  try {
    return await work();
  } catch (error) {
    const isMissing =
      error instanceof S3ServiceException &&
      (error.name === 'NoSuchKey' || error.name === 'NotFound');
    if (isMissing) return undefined;
    throw faultOf(error);
  }
}
