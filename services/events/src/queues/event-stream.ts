/**
 * A queue as Server-Sent Events, for those who do not want to poll. It reads as polls do, one after the other with the last id given as
 * `last_event_id`, so it promises the same; what differs is that one answer carries them all.
 *
 * - `id:` is the event's id, `data:` the event's JSON. Heartbeats are events. Where not even a heartbeat has an id, a comment keeps
 *   proxies from closing the connection.
 * - The first line says after how long a client comes back. A stream that ends without a fault says it once more, spread, so that those
 *   who were sent away together do not return together.
 * - A refusal after the first byte is an event `error` with the JSON of the refusal, and the end.
 */
import { Readable } from 'node:stream';

import { badEventQueueId } from '@parley/api';
import type { ApiError } from '@parley/api';
import type { HangUpSignal } from '@parley/api';
import { refusalFor } from '@parley/server';

import { answerBounds } from './collect-events.ts';
import type { CollectBounds, CollectedEvent } from './collect-events.ts';
import type { EventQueue } from './event-queue.ts';
import { QueueReader } from './queue-reader.ts';
import type { ReadContext } from './queue-reader.ts';

/** How long a client waits before it comes back after a connection that broke. */
const reconnectMs = 1_000;

/** Clients of streams that end together come back spread over so long. */
const reconnectSpreadMs = 2_000;

/** Small steps, so that what a reader leaves unread is bounded closely. */
const stepBounds: CollectBounds = { ...answerBounds, answerBytesMax: 65_536 };

const noEvents = ': nothing happened\n\n';

export type StreamSettings = {
  readonly lifetimeMs: number;
  /** What a reader may leave unread in this process; above it the stream waits for the reader. */
  readonly unreadMaxBytes: number;
  /** A reader that leaves more than that unread for so long is cut off. */
  readonly stallMs: number;
};

export type StreamCounts = {
  readonly onSent: (bytes: number) => void;
  readonly onCutOff: () => void;
};

function eventText({ id, text }: CollectedEvent): string {
  return `id: ${id}\ndata: ${text}\n\n`;
}

function retryText(afterMs: number): string {
  return `retry: ${Math.round(afterMs)}\n\n`;
}

/** @returns a refusal as the last event of a stream */
function refusalText(refusal: ApiError): string {
  return `event: error\ndata: ${JSON.stringify(refusal.toBody())}\n\n`;
}

/** The open streams of this node. */
export class EventStreams {
  readonly #context: ReadContext;
  readonly #settings: StreamSettings;
  readonly #counts: StreamCounts;
  readonly #open = new Set<Readable>();

  constructor(context: ReadContext, settings: StreamSettings, counts: StreamCounts) {
    this.#context = context;
    this.#settings = settings;
    this.#counts = counts;
  }

  get count(): number {
    return this.#open.size;
  }

  /** @returns bytes that wait in this process for readers to take them */
  get unreadBytes(): number {
    let bytes = 0;
    for (const body of this.#open) bytes += body.readableLength;
    return bytes;
  }

  /**
   * Opens a stream, which is what answers from then on. It ends by itself, or when it is destroyed.
   *
   * @param options.signal aborted when the client hangs up
   * @throws ApiError as a poll does, before anything is written
   */
  async open(
    queue: EventQueue,
    options: { readonly lastEventId: number; readonly signal: HangUpSignal },
  ): Promise<Readable> {
    const reader = await QueueReader.open(this.#context, queue, {
      kind: 'stream',
      lastEventId: options.lastEventId,
      catchUp: false,
      bounds: stepBounds,
    });
    let first: readonly CollectedEvent[];
    try {
      first = await reader.readPending();
    } catch (error) {
      reader.leave();
      throw error;
    }
    const { lifetimeMs, unreadMaxBytes } = this.#settings;
    const lifetime = setTimeout(() => reader.end(), lifetimeMs);
    const cutOff = (): void => {
      this.#counts.onCutOff();
      body.destroy();
    };
    const texts = this.#texts(queue, reader, first, options.signal);
    // Asked for more only while less than this is unread.
    const body = Readable.from(this.#chunks(texts, cutOff), {
      objectMode: false,
      highWaterMark: unreadMaxBytes,
    });
    this.#open.add(body);
    body.once('close', () => {
      clearTimeout(lifetime);
      this.#open.delete(body);
      reader.leave();
    });
    return body;
  }

  async *#chunks(texts: AsyncIterable<string>, cutOff: () => void): AsyncGenerator<Buffer> {
    for await (const text of texts) {
      const chunk = Buffer.from(text);
      this.#counts.onSent(chunk.length);
      const stalled = setTimeout(cutOff, this.#settings.stallMs);
      try {
        yield chunk;
      } finally {
        clearTimeout(stalled);
      }
    }
  }

  async *#texts(
    queue: EventQueue,
    reader: QueueReader,
    first: readonly CollectedEvent[],
    signal: HangUpSignal,
  ): AsyncGenerator<string> {
    yield retryText(reconnectMs) + first.map(eventText).join('');
    try {
      for (;;) {
        const { events, isOver } = await reader.next(signal);
        if (events.length > 0) yield events.map(eventText).join('');
        else if (!isOver) yield noEvents;
        if (queue.hasEnded) {
          yield refusalText(badEventQueueId(queue.id));
          return;
        }
        if (isOver) {
          yield retryText(reconnectMs + Math.random() * reconnectSpreadMs);
          return;
        }
      }
    } catch (error) {
      if (!signal.aborted) yield refusalText(refusalFor(error, this.#context.log));
    }
  }
}
