/** Requests that reach a service over links from gateways, many on one connection. */
import { validateHeaderValue } from 'node:http';
import type { Readable } from 'node:stream';

import { isLinked, serviceUnavailable } from '@parley/api';
import type { ApiError, Caller, Endpoint } from '@parley/api';
import {
  answerMaxBytes,
  bytesOf,
  linkedHeaderNames,
  notOverLinksStatus,
  readAnswerMaxBytes,
  textOf,
} from '@parley/links';
import type { LinkAnswer, LinkBody, ReceivedRequest } from '@parley/links';
import { requestLogger } from '@parley/logging';

import { refusalFor } from './error-handler.ts';
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
import { LinkedFiles, mustComeByHttp, readFile } from './linked-files.ts';
import type { FileSlot } from './linked-files.ts';
import { streamedStatus } from './pipeline.ts';
import type { Exchange, Pipeline, Progress } from './pipeline.ts';
import { passageHeaders, passageOf } from './write-answer.ts';

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
    files: new LinkedFiles(),
  };
  return (request, reply) => {
    void new LinkExchange(shared, request, reply).run();
  };
}

type Shared<Context> = {
  readonly pipeline: Pipeline<Context>;
  readonly answerHeaders: Readonly<Record<string, string>>;
  /** The same objects for all answers, because equal answers are recognised by them. */
  readonly successHeaders: Readonly<Record<Passage, Readonly<Record<string, string>>>>;
  readonly files: LinkedFiles;
};

/**
 * While more than this waits for a gateway, each part of a stream waits until its client has taken the previous one, so that each part
 * carries more.
 */
const streamBacklogMaxBytes = 4 * 1_048_576;

/** The same object for all parts, because equal parts are recognised by it. */
const noHeaders = {};

class LinkExchange<Context> implements Exchange, StreamWriter {
  readonly #shared: Shared<Context>;
  readonly #request: ReceivedRequest;
  readonly #reply: (answer: LinkAnswer) => void;
  readonly #progress: Progress;
  #heldBody: HeldBody | undefined;
  #fileSlot: FileSlot | undefined;
  /** The content of a file that is being read. */
  #content: Readable | undefined;
  #addedHeaders: Readonly<Record<string, string>> | undefined;
  /** Headers of the next part of a stream. */
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

  async run(): Promise<void> {
    await this.#progress.run();
    this.#fileSlot?.leave();
  }

  get requestId(): string {
    return this.#request.requestId;
  }

  get method(): string {
    return this.#request.method;
  }

  get address(): string {
    return this.#request.address;
  }

  get caller(): Caller | undefined {
    return this.#request.caller ?? undefined;
  }

  get signal(): Exchange['signal'] {
    return this.#request.signal;
  }

  get traceparent(): string | undefined {
    return this.#request.headers.traceparent;
  }

  header(name: string): string | undefined {
    const known = linkedHeaderNames.find((each) => each === name);
    if (known === undefined) throw new TypeError(`${name} does not use links`);
    return this.#request.headers[known];
  }

  /** The gateway chose the transport by the method, but the form of a POST may name another method. */
  accept(endpoint: Endpoint): void {
    if (!isLinked(endpoint)) throw mustComeByHttp();
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

  admitFile(bytes: number): void {
    if (this.method === 'HEAD' || this.#fileSlot !== undefined) return;
    const onLate = (): void => {
      // If the store is silent, this does not end the pending read, so neither is awaited.
      this.#content?.destroy();
      this.refuse(mustComeByHttp());
    };
    this.#fileSlot = this.#shared.files.admit(bytes, this.#request, onLate);
  }

  addHeaders(headers: Readonly<Record<string, string>>): void {
    this.#addedHeaders = { ...this.#addedHeaders, ...headers };
  }

  answer(answer: Preserialized, endpoint: Endpoint | undefined): void {
    const { shared, own } = answer;
    const tooLong = findTooLong(shared, own, endpoint);
    if (tooLong !== undefined) {
      this.refuse(
        refusalFor(tooLong, requestLogger(this.#shared.pipeline.options.log, this.requestId)),
      );
      return;
    }
    const text = shared === '' ? { shared: own, own: '' } : { shared, own: textOf(own) };
    const headers = this.#shared.successHeaders[passageOf(answer, endpoint)];
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

  /** @throws TypeError for a header that cannot be written; ApiError if the answer must use HTTP, or could not be read */
  async answerRaw({ status, headers, body }: RawAnswer): Promise<void> {
    const all = { ...this.#shared.answerHeaders, ...headers };
    try {
      // On the link it would be a fault for every request there.
      for (const [name, value] of Object.entries(headers)) validateHeaderValue(name, value);
      const shared = typeof body === 'string' ? body : await this.#read(headers, body);
      this.#end({ status, kind: 'raw', headers: all, shared, own: '' });
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

  async #read(
    { 'Content-Length': length }: Readonly<Record<string, string>>,
    body: Readable,
  ): Promise<LinkBody> {
    if (this.method === 'HEAD' || this.#isOver) return '';
    const bytes = length === undefined ? Infinity : Number(length);
    this.admitFile(bytes);
    this.#content = body;
    const { requestId, signal } = this.#request;
    try {
      return await readFile(body, bytes, signal);
    } catch (error) {
      if (!this.#isOver && !signal.aborted)
        requestLogger(this.#shared.pipeline.options.log, requestId).error(
          { err: error },
          'a file could not be read to its end',
        );
      throw serviceUnavailable();
    }
  }

  #end(answer: LinkAnswer): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#heldBody?.release();
    if (answer.status === notOverLinksStatus) this.#progress.leave();
    else this.#progress.end({ status: answer.status, hungUp: this.#request.signal.aborted });
    const added = this.#addedHeaders;
    this.#reply(
      added === undefined ? answer : { ...answer, headers: { ...answer.headers, ...added } },
    );
  }
}

/** @returns the fault of an answer that is too long for a link; a read can be repeated by HTTP */
function findTooLong(
  shared: string,
  own: LinkBody,
  endpoint: Endpoint | undefined,
): Error | undefined {
  // A UTF-16 unit takes at most three bytes.
  const isShort = (text: string): boolean => text.length * 3 <= readAnswerMaxBytes / 2;
  if (isShort(shared) && typeof own === 'string' && isShort(own)) return undefined;
  const bytes = bytesOf(shared) + bytesOf(own);
  // Polls are exempt, because a single event may make an answer longer.
  if (endpoint?.method === 'GET' && !endpoint.longPoll && bytes > readAnswerMaxBytes)
    return mustComeByHttp();
  return bytes > answerMaxBytes ? new Error(`an answer has ${bytes} bytes`) : undefined;
}
