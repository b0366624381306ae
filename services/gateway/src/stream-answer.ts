/** The answer of a stream of events on its way from a node to the client: nothing is held here but what both sockets hold. */
import type { IncomingMessage, ServerResponse } from 'node:http';

import type { ApiError } from '@parley/api';

/** A client that does not take the end of its stream is left after so long. */
const endingMaxMs = 10_000;

/** So long the rest of an event may take to come before the stream is broken off in its middle. */
const boundaryMaxMs = 1_000;

/** Clients that are sent away together come back spread over so long. */
const reconnectSpreadMs = 2_000;

const newline = 10;

/** Says when to come back. */
export function comeBack(): string {
  return `retry: ${Math.round(500 + Math.random() * reconnectSpreadMs)}\n\n`;
}

/** A refusal where the answer has begun: the last event of the stream, with the JSON that the answer would have been. */
export function refusalEvent(error: ApiError): string {
  return `event: error\ndata: ${JSON.stringify(error.toBody())}\n\n`;
}

export type StreamAnswerOptions = {
  /** A client that takes nothing for so long, while everything on the way to it is full, is left. */
  readonly stallMs: number;
  readonly onBytes: (count: number) => void;
  readonly onCutOff: () => void;
};

export class StreamAnswer {
  readonly #answer: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #options: StreamAnswerOptions;
  readonly #stallCheck: NodeJS.Timeout;
  #isBetweenEvents = true;
  #receivedBytes = 0;
  /** What the client's connection had taken at the last check; undefined unless more was waiting then. */
  #takenBytes: number | undefined;
  #lastByte = newline;
  #lastWords: string | undefined;
  #timer: NodeJS.Timeout | undefined;

  /** Begins to send the answer on; its headers have been written. */
  constructor(answer: IncomingMessage, response: ServerResponse, options: StreamAnswerOptions) {
    this.#answer = answer;
    this.#response = response;
    this.#options = options;
    this.#stallCheck = setInterval(() => this.#checkProgress(), options.stallMs);
    response.once('close', () => {
      clearInterval(this.#stallCheck);
      clearTimeout(this.#timer);
    });
    answer.on('error', () => this.#lose());
    answer.on('close', () => {
      if (!answer.complete) this.#lose();
    });
    answer.pipe(response);
    // After the pipe, so that what is seen here has been written.
    answer.on('data', (chunk: Buffer) => {
      this.#receivedBytes += chunk.length;
      options.onBytes(chunk.length);
      const last = chunk.at(-1) ?? this.#lastByte;
      const before = chunk.length > 1 ? chunk.at(-2) : this.#lastByte;
      this.#isBetweenEvents = last === newline && before === newline;
      this.#lastByte = last;
      if (this.#lastWords !== undefined && this.#isBetweenEvents) this.#end(this.#lastWords);
    });
  }

  /**
   * Ends the stream with these words. Within an event they would become part of it, so its end is waited for; a client drops an event
   * that breaks off, and gets it again when it comes back.
   */
  end(lastWords: string): void {
    if (this.#lastWords !== undefined || this.#isOver) return;
    this.#lastWords = lastWords;
    if (this.#isBetweenEvents) this.#end(lastWords);
    else this.#timer = setTimeout(() => this.#breakOff(), boundaryMaxMs);
  }

  /** The node cannot tell a client that takes nothing from one that is slow, nor is its end seen while nothing is read from it. */
  #checkProgress(): void {
    const takenBytes = this.#receivedBytes - this.#response.writableLength;
    if (this.#response.writableNeedDrain && takenBytes === this.#takenBytes) {
      this.#options.onCutOff();
      this.#breakOff();
    }
    this.#takenBytes = this.#response.writableNeedDrain ? takenBytes : undefined;
  }

  get #isOver(): boolean {
    return this.#response.writableEnded || this.#response.destroyed;
  }

  #lose(): void {
    if (this.#isOver) return;
    if (this.#isBetweenEvents) this.#end(this.#lastWords ?? comeBack());
    else this.#breakOff();
  }

  #end(lastWords: string): void {
    clearTimeout(this.#timer);
    this.#answer.unpipe(this.#response);
    this.#response.end(lastWords);
    // Who reads nothing would hold the connection as long as it likes.
    this.#timer = setTimeout(() => this.#response.destroy(), endingMaxMs);
    this.#answer.destroy();
  }

  #breakOff(): void {
    this.#answer.unpipe(this.#response);
    this.#answer.destroy();
    this.#response.destroy();
  }
}
