import { Readable } from 'node:stream';

import {
  DeleteObjectCommand,
  GetObjectCommand,
  S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';

import { FileStoreFault, checkKey } from './file-store.ts';
import type { ByteRange, FileStore, StoredFile } from './file-store.ts';

export type BucketOptions = {
  readonly bucket: string;
  /** Undefined for Amazon S3 itself. */
  readonly endpoint: string | undefined;
  readonly region: string;
  /** Undefined where the machine has the right to the bucket by itself. */
  readonly credentials:
    | { readonly accessKeyId: string; readonly secretAccessKey: string }
    | undefined;
};

/** The smallest part that S3 takes, and so the most of a file that is in memory. */
const partBytes = 5 * 1024 * 1024;

const attemptsMax = 3;
const connectionTimeoutMs = 3_000;
/** A store that says nothing for so long is away. */
const silenceTimeoutMs = 15_000;

/**
 * Files in a bucket of a store that speaks as S3 does. Large files go in parts; what a killed writer leaves of them is never
 * visible, and the bucket's own rule for incomplete uploads takes it away.
 */
export class BucketStore implements FileStore {
  readonly #client: S3Client;
  readonly #bucket: string;

  constructor({ bucket, endpoint, region, credentials }: BucketOptions) {
    this.#bucket = bucket;
    this.#client = new S3Client({
      region,
      ...(credentials === undefined ? {} : { credentials }),
      // Stores of one's own seldom have a host name for each bucket.
      ...(endpoint === undefined ? {} : { endpoint, forcePathStyle: true }),
      maxAttempts: attemptsMax,
      // Checksums in trailers are understood by Amazon's own store and few others.
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
      requestHandler: {
        connectionTimeout: connectionTimeoutMs,
        requestTimeout: silenceTimeoutMs,
        throwOnRequestTimeout: true,
      },
    });
  }

  async write(key: string, content: Readable): Promise<number> {
    checkKey(key);
    // One that fails before it is read would end the process.
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
    return orMissing(async () => {
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
    await orMissing(() =>
      this.#client.send(new DeleteObjectCommand({ Bucket: this.#bucket, Key: key })),
    );
  }

  close(): void {
    this.#client.destroy();
  }
}

function faultOf(error: unknown): FileStoreFault {
  return new FileStoreFault('the bucket of files did not do what it was asked to', {
    cause: error,
  });
}

async function orMissing<Result>(work: () => Promise<Result>): Promise<Result | undefined> {
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
