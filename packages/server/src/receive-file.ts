import type { IncomingMessage } from 'node:http';
import { PassThrough } from 'node:stream';
import type { Readable } from 'node:stream';

import { badRequest, limits, uploadTooLarge, withoutCode } from '@parley/api';
import type { Busboy } from '@fastify/busboy';

import {
  createMultipartParser,
  hasMultipartForm,
  isEmptyMultipart,
  malformedMultipart,
} from './request-body.ts';

/** Receiving one file of a multipart form as a stream (reference facts, people 15). */

export type ReceivedFile = {
  /** As the client wrote it, without the folders before it. */
  readonly name: string;
  /** Fails if the file is refused or the client hangs up; the consumer must then discard its work. */
  readonly content: Readable;
};

export type FileOptions<Taken> = {
  /** The largest permitted file. */
  readonly maxBytes: number;
  /** Reads the content to its end. Its result counts only if the whole body is valid. */
  readonly take: (file: ReceivedFile) => Promise<Taken>;
};

export type ReceiveFile = <Taken>(options: FileOptions<Taken>) => Promise<Taken>;

/** Names, headers and other fields beside the file. */
export const multipartOverheadMaxBytes = 1024 * 1024;

/**
 * Receives exactly one file, whatever the name of its part; parts without a file name are skipped. Only a few chunks are in memory. Excess
 * bytes are read and dropped, because a client that is disconnected while it sends may not see the answer.
 *
 * @throws ApiError without code: no file, more than one, or one that is too large; 400 for a malformed or incomplete body
 * @throws whatever `take` throws
 */
export async function receiveFile<Taken>(
  request: IncomingMessage,
  options: FileOptions<Taken>,
): Promise<Taken> {
  const { maxBytes } = options;
  // The rest of a body that is announced as far too large is not read.
  if (Number(request.headers['content-length'] ?? 0) > maxBytes + multipartOverheadMaxBytes)
    throw uploadTooLarge(maxBytes);
  const contentType = request.headers['content-type'] ?? '';
  if (!hasMultipartForm(contentType)) throw noFile();
  const reception = new Reception(request, contentType, options);
  const taken = await reception.finish();
  return taken.value;
}

function noFile(): Error {
  return withoutCode('You must specify a file to upload');
}

/** Some clients write the whole path of the file. */
function withoutFolders(name: string): string {
  return name.slice(Math.max(name.lastIndexOf('/'), name.lastIndexOf('\\')) + 1);
}

class Reception<Taken> {
  readonly #request: IncomingMessage;
  readonly #options: FileOptions<Taken>;
  readonly #parser: InstanceType<typeof Busboy>;
  readonly #end = Promise.withResolvers<undefined>();
  #taking: Promise<{ readonly value: Taken }> | undefined;
  #content: PassThrough | undefined;
  #files = 0;
  #bodyBytes = 0;
  /** The refusal of the whole body; a second file takes precedence over the first file's size. */
  #refusal: Error | undefined;

  constructor(request: IncomingMessage, contentType: string, options: FileOptions<Taken>) {
    this.#request = request;
    this.#options = options;
    this.#parser = createMultipartParser(contentType, {
      // The values of other fields are not needed.
      limits: { fields: limits.bodyFieldsMax, fieldNameSize: 1000, fieldSize: 1000 },
    });
    this.#end.promise.catch(() => undefined);
  }

  async finish(): Promise<{ readonly value: Taken }> {
    this.#listen();
    try {
      await this.#end.promise;
    } catch (error) {
      this.#giveUp(error as Error);
      // The consumer must have handled its failure before the caller cleans up.
      await this.#taking?.catch(() => undefined);
      throw error;
    }
    if (this.#files > 1 || this.#refusal !== undefined) {
      await this.#taking?.catch(() => undefined);
      throw this.#files > 1
        ? withoutCode('You may only upload one file at a time')
        : (this.#refusal ?? noFile());
    }
    if (this.#taking === undefined) throw noFile();
    return this.#taking;
  }

  #listen(): void {
    const parser = this.#parser;
    const request = this.#request;
    parser.on('file', (_field, stream, name) => this.#begin(stream, withoutFolders(name)));
    parser.on('error', () => this.#end.reject(malformedMultipart()));
    parser.on('finish', () => this.#end.resolve(undefined));
    const incomplete = (): void => this.#end.reject(badRequest('The request body is incomplete'));
    if (request.destroyed && !request.complete) incomplete();
    request.on('error', incomplete);
    request.on('close', () => {
      if (!request.complete) incomplete();
    });
    let tail = Buffer.alloc(0);
    request.on('data', (chunk: Buffer) => {
      this.#bodyBytes += chunk.length;
      if (this.#bodyBytes <= 1024) tail = Buffer.concat([tail, chunk]);
      if (this.#bodyBytes > this.#options.maxBytes + multipartOverheadMaxBytes) {
        this.#end.reject(uploadTooLarge(this.#options.maxBytes));
      }
    });
    request.on('end', () => {
      // The parser rejects a form without parts, which the JavaScript client sends.
      if (isEmptyMultipart(request.headers['content-type'] ?? '', tail, this.#bodyBytes))
        this.#end.resolve(undefined);
    });
    request.pipe(parser);
  }

  #begin(stream: Readable, name: string): void {
    this.#files += 1;
    stream.on('error', () => this.#end.reject(malformedMultipart()));
    if (this.#files > 1) {
      this.#giveUp(withoutCode('You may only upload one file at a time'));
      stream.resume();
      return;
    }
    const content = new PassThrough();
    this.#content = content;
    // The consumer gets its failure; without this listener an earlier failure would end the process.
    content.on('error', () => undefined);
    // The parser continues only if its stream is read, even if unwanted.
    content.on('close', () => {
      stream.unpipe(content);
      stream.resume();
    });
    let size = 0;
    stream.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= this.#options.maxBytes) return;
      this.#refusal = uploadTooLarge(this.#options.maxBytes);
      this.#giveUp(this.#refusal);
    });
    stream.pipe(content);
    this.#taking = this.#take({ name, content });
    this.#taking.catch((error: unknown) => {
      this.#refusal ??= error as Error;
      content.destroy();
    });
  }

  async #take(file: ReceivedFile): Promise<{ readonly value: Taken }> {
    return { value: await this.#options.take(file) };
  }

  #giveUp(reason: Error): void {
    this.#content?.destroy(reason);
  }
}
