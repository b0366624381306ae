/** Requests that reach a service over links from gateways, many on one connection. */
import { validateHeaderValue } from 'node:http';
import type { Readable } from 'node:stream';

import { changeWithinHeaderName, serviceUnavailable } from '@parley/api';
import type { ApiError, Caller, Endpoint, FormValues } from '@parley/api';
import {
  answerMaxBytes,
  bytesOf,
  cutAt,
  partBytes,
  readAnswerMaxBytes,
  textOf,
} from './links/index.ts';
import type { LinkAnswer, LinkBody, ReceivedRequest } from './links/index.ts';
import { requestLogger } from '@parley/telemetry/logging';

import { readFormFiles } from './form-files.ts';
import type { FormFile } from './form-files.ts';
import { senderOf } from './held-bodies.ts';
import type { HeldBody } from './held-bodies.ts';
import type {
  Passage,
  Preserialized,
  RawAnswer,
  StreamWriter,
  StreamedAnswer,
} from './implement.ts';
import { streamedStatus } from './pipeline.ts';
import type { Exchange, Pipeline, Progress } from './pipeline.ts';
import { noStoreHeaders, passageHeaders, passageOf } from './write-answer.ts';

/** Answers one request by calling back once, also with a refusal. */
export type LinkHandler = (request: ReceivedRequest, reply: (answer: LinkAnswer) => void) => void;

/** @returns the function that answers requests of links */
export function serveLinks<Context>(
  pipeline: Pipeline<Context>,
  answerHeaders: Readonly<Record<string, string>> = {},
): LinkHandler {
  const shared: Shared<Context> = {
    pipeline,
    answerHeaders,
    successHeaders: {
      any: { ...answerHeaders, ...passageHeaders.any },
      untouched: { ...answerHeaders, ...passageHeaders.untouched },
      gzip: { ...answerHeaders, ...passageHeaders.gzip },
    },
  };
  return (request, reply) => {
    new LinkExchange(shared, request, reply).run();
  };
}

type Shared<Context> = {
  readonly pipeline: Pipeline<Context>;
  readonly answerHeaders: Readonly<Record<string, string>>;
  /** The same objects for all answers, because equal answers are recognised by them. */
  readonly successHeaders: Readonly<Record<Passage, Readonly<Record<string, string>>>>;
};

/**
 * While more than this waits for a gateway, each part of a stream waits until its client has taken the previous one, so that each part
 * carries more.
 */
const streamBacklogMaxBytes = 4 * 1_048_576;

/** A file up to this size is read before it is answered. Where a gateway wants steps, longer answers have some. */
const shortMaxBytes = 65_536;

/** The same object for all parts, because equal parts are recognised by it. */
const noHeaders = {};

class LinkExchange<Context> implements Exchange, StreamWriter {
  readonly #shared: Shared<Context>;
  readonly #request: ReceivedRequest;
  readonly #reply: (answer: LinkAnswer) => void;
  readonly #progress: Progress;
  #heldBody: HeldBody | undefined;
  #addedHeaders: Readonly<Record<string, string>> | undefined;
  /** Headers of the next part of a stream; only those of the first part count. */
  #partHeaders: Readonly<Record<string, string>> = noHeaders;
  #isOver = false;

  constructor(
    shared: Shared<Context>,
    request: ReceivedRequest,
    reply: (answer: LinkAnswer) => void,
  ) {
    this.#shared = shared;
    this.#request = request;
    this.#reply = reply;
    this.#progress = shared.pipeline.open(this);
  }

  run(): void {
    void this.#progress.run();
  }

  get requestId(): string {
    return this.#request.requestId;
  }

  get endpoint(): string {
    return this.#request.endpoint;
  }

  get isHead(): boolean {
    return this.#request.wants === 'headers';
  }

  get path(): Exchange['path'] {
    return this.#request.path;
  }

  get query(): FormValues {
    return new Map(this.#request.query);
  }

  get caller(): Caller | undefined {
    return this.#request.caller ?? undefined;
  }

  get signal(): Exchange['signal'] {
    return this.#request.signal;
  }

  get traceparent(): string | undefined {
    return this.#request.headers['traceparent'];
  }

  get changeWithinMs(): number | undefined {
    const within = this.#request.headers[changeWithinHeaderName];
    return within === undefined ? undefined : Number(within);
  }

  whenArrived(arrived: () => void): void {
    arrived();
  }

  header(name: string): string | undefined {
    return this.#request.headers[name];
  }

  readBody(): Buffer {
    const { body } = this.#request;
    if (body.length > 0) {
      this.#heldBody = this.#shared.pipeline.options.heldBodies?.begin(senderOf(this.caller));
      this.#heldBody?.add(body.length);
    }
    return body;
  }

  readonly formFiles = (): Promise<FormFile[]> =>
    readFormFiles(this.#request.headers['content-type'], this.#request.body);

  readonly receiveFile = (): never => {
    throw new TypeError('uploads do not use links');
  };

  addHeaders(headers: Readonly<Record<string, string>>): void {
    this.#addedHeaders = { ...this.#addedHeaders, ...headers };
  }

  answer(answer: Preserialized, endpoint: Endpoint | undefined): void {
    const { shared, own } = answer;
    const headers = this.#shared.successHeaders[passageOf(answer, endpoint)];
    const maxBytes = this.#wholeMaxBytes(endpoint);
    const bytes = isShort(shared, own, maxBytes) ? 0 : bytesOf(shared) + bytesOf(own);
    if (bytes > maxBytes) {
      if (endpoint?.method !== 'GET') throw new Error(`an answer has ${bytes} bytes`);
      void this.#answerInSteps(answer.body, bytes, headers);
      return;
    }
    const text = shared === '' ? { shared: own, own: '' } : { shared, own: textOf(own) };
    this.#end({ status: 200, kind: 'json', headers, ...text });
  }

  refuse(refusal: ApiError): void {
    this.#end({
      status: refusal.status,
      kind: 'json',
      headers: { ...this.#shared.answerHeaders, ...refusal.headers },
      shared: JSON.stringify(refusal.toBody()),
      own: '',
    });
  }

  /** @throws TypeError for a header that cannot be written; ApiError if a file could not be read */
  async answerRaw({ status, headers, body }: RawAnswer): Promise<void> {
    const all = { ...this.#shared.answerHeaders, ...headers };
    try {
      // On the link it would be a fault for every request there.
      for (const [name, value] of Object.entries(headers)) validateHeaderValue(name, value);
      if (typeof body === 'string')
        this.#end({ status, kind: 'raw', headers: all, shared: body, own: '' });
      else if (this.isHead) this.#end({ status, kind: 'raw', headers: all, shared: '', own: '' });
      else await this.#answerFile(status, all, body);
    } finally {
      if (typeof body !== 'string') body.destroy();
    }
  }

  answerStreamed({ headers, begin }: StreamedAnswer): void {
    this.#partHeaders = { ...this.#shared.answerHeaders, ...headers };
    begin(this);
  }

  write(text: string, isFull: boolean, onTaken: () => void): boolean {
    const { signal, link } = this.#request;
    const isStep = isFull || link.backlogBytes > streamBacklogMaxBytes;
    if (isStep) signal.whenTaken(onTaken);
    const headers = this.#partHeaders;
    this.#partHeaders = noHeaders;
    const kind = isStep ? 'step' : 'open';
    this.#reply({ status: streamedStatus, kind, headers, shared: text, own: '' });
    return !isStep;
  }

  end(lastWords: string): void {
    const headers = this.#partHeaders;
    this.#end({ status: streamedStatus, kind: 'raw', headers, shared: lastWords, own: '' });
  }

  /** The longest answer that goes as a whole. Polls have no bound of their own, because a single event may be long. */
  #wholeMaxBytes(endpoint: Endpoint | undefined): number {
    if (endpoint?.method !== 'GET' || endpoint.eventQueue === 'held') return answerMaxBytes;
    return this.#request.wants === 'steps' ? shortMaxBytes : readAnswerMaxBytes;
  }

  async #answerInSteps(
    body: LinkBody,
    bytes: number,
    headers: Readonly<Record<string, string>>,
  ): Promise<void> {
    let left = typeof body === 'string' ? [Buffer.from(body)] : body;
    this.#partHeaders = {
      'Content-Type': 'application/json',
      'Content-Length': String(bytes),
      ...noStoreHeaders(),
      ...headers,
      ...this.#addedHeaders,
    };
    while (!this.#request.signal.aborted && left.length > 0) {
      const [part, behind] = cutAt(left, partBytes);
      left = behind;
      await this.#step(streamedStatus, part);
    }
    this.end('');
  }

  /** A file that is not short goes in steps. If it fails or has another length than announced, the answer must not look complete. */
  async #answerFile(
    status: number,
    headers: Readonly<Record<string, string>>,
    body: Readable,
  ): Promise<void> {
    const { signal } = this.#request;
    const giveUp = (): void => {
      body.destroy();
    };
    if (signal.aborted) giveUp();
    const begun: Buffer[] = [];
    let bytes = 0;
    let hasSteps = false;
    this.#partHeaders = { ...headers, ...this.#addedHeaders };
    try {
      signal.addEventListener('abort', giveUp);
      for await (const piece of body as AsyncIterable<Buffer>) {
        bytes += piece.length;
        begun.push(piece);
        if (bytes <= shortMaxBytes) continue;
        hasSteps = true;
        await this.#step(status, begun.splice(0));
      }
      const { 'Content-Length': announced } = headers;
      if (announced !== undefined && bytes !== Number(announced))
        throw new Error(`a file of ${announced} bytes has ${bytes}`);
      const rest = hasSteps ? noHeaders : headers;
      this.#end({ status, kind: 'raw', headers: rest, shared: begun, own: '' });
    } catch (error) {
      if (!signal.aborted)
        requestLogger(this.#shared.pipeline.options.log, this.requestId).error(
          { err: error },
          'a file could not be read to its end',
        );
      if (!hasSteps) throw serviceUnavailable();
      this.#end({ status, kind: 'broken', headers: noHeaders, shared: '', own: '' });
    } finally {
      signal.removeEventListener('abort', giveUp);
    }
  }

  /** Sends a part of a stream. Resolves when the client has taken it, or nobody waits any more. */
  async #step(status: number, part: readonly Buffer[]): Promise<void> {
    const headers = this.#partHeaders;
    this.#partHeaders = noHeaders;
    const { signal } = this.#request;
    const taken = signal.taken();
    this.#reply({ status, kind: 'step', headers, shared: part, own: '' });
    await taken;
  }

  #end(answer: LinkAnswer): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#heldBody?.release();
    this.#progress.end({ status: answer.status, hungUp: this.#request.signal.aborted });
    const added = this.#addedHeaders;
    this.#reply(
      added === undefined ? answer : { ...answer, headers: { ...answer.headers, ...added } },
    );
  }
}

/** Whether an answer is certainly not long. A UTF-16 unit takes at most three bytes. */
function isShort(shared: string, own: LinkBody, maxBytes: number): boolean {
  return typeof own === 'string' && (shared.length + own.length) * 3 <= maxBytes;
}
