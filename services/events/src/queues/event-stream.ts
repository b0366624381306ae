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
import { badEventQueueId } from '@parley/api';
import type { ApiError, HangUpSignal } from '@parley/api';
import { StreamedAnswer, refusalFor } from '@parley/server';
import type { StreamWriter } from '@parley/server';

import { answerBounds } from './collect-events.ts';
import type { CollectBounds, Collected } from './collect-events.ts';
import type { EventQueue } from './event-queue.ts';
import type { EventTexts } from './event-texts.ts';
import { QueueReader } from './queue-reader.ts';
import type { ReaderContext, Reading, ReadingListener } from './queue-reader.ts';

/** How long a client waits before it comes back after a connection that broke. */
const reconnectMs = 1_000;

/** Clients of streams that end together come back spread over so long. */
const reconnectSpreadMs = 2_000;

/** Small parts, so that little is on its way to a reader that takes nothing: what is long waits for the one before to be taken. */
const partBounds: CollectBounds = { ...answerBounds, answerBytesMax: 65_536 };

const noEvents = ': nothing happened\n\n';

const headers = {
  'Content-Type': 'text/event-stream',
  'Cache-Control': 'max-age=0, no-cache, no-store, must-revalidate',
  // Without it, proxies such as nginx would buffer the events.
  'X-Accel-Buffering': 'no',
};

/** What streams are made of. */
export type StreamContext = { readonly read: ReaderContext; readonly texts: EventTexts };

function retryText(afterMs: number): string {
  return `retry: ${Math.round(afterMs)}\n\n`;
}

/** @returns a refusal as the last event of a stream */
function refusalText(refusal: ApiError): string {
  return `event: error\ndata: ${JSON.stringify(refusal.toBody())}\n\n`;
}

/**
 * Opens a stream of what is above `lastEventId`. It ends when the queue does, when another reader takes it, and when the node drains.
 *
 * @param options.signal aborted when the client hangs up
 * @throws ApiError as a poll does, before anything is written
 */
export async function openStream(
  context: StreamContext,
  queue: EventQueue,
  options: { readonly lastEventId: number; readonly signal: HangUpSignal },
): Promise<StreamedAnswer> {
  const reader = await QueueReader.open(context.read, queue, {
    kind: 'stream',
    lastEventId: options.lastEventId,
    catchUp: false,
    bounds: partBounds,
  });
  try {
    const first = await reader.readPending();
    return new StreamedAnswer(headers, (writer) =>
      new OpenStream(context, queue, reader, options.signal, writer).begin(first),
    );
  } catch (error) {
    reader.leave();
    throw error;
  }
}

class OpenStream implements ReadingListener {
  readonly #context: StreamContext;
  readonly #queue: EventQueue;
  readonly #reader: QueueReader;
  readonly #signal: HangUpSignal;
  readonly #writer: StreamWriter;
  /** Whether more was there than the last part holds. */
  #wasFull = false;

  constructor(
    context: StreamContext,
    queue: EventQueue,
    reader: QueueReader,
    signal: HangUpSignal,
    writer: StreamWriter,
  ) {
    this.#context = context;
    this.#queue = queue;
    this.#reader = reader;
    this.#signal = signal;
    this.#writer = writer;
  }

  begin(first: Collected): void {
    const text = first.events.length > 0 ? this.#context.texts.streamPartOf(first.events) : '';
    this.#write(retryText(reconnectMs) + text, first.isFull);
  }

  onReading({ events, isFull, isOver }: Reading): void {
    const text = events.length > 0 ? this.#context.texts.streamPartOf(events) : '';
    if (this.#queue.hasEnded) this.#end(text + refusalText(badEventQueueId(this.#queue.id)));
    else if (isOver) this.#end(text + retryText(reconnectMs + Math.random() * reconnectSpreadMs));
    else this.#write(text === '' ? noEvents : text, isFull);
  }

  onFault(error: unknown): void {
    this.#end(this.#signal.aborted ? '' : refusalText(refusalFor(error, this.#context.read.log)));
  }

  #write(text: string, isFull: boolean): void {
    this.#wasFull = isFull;
    if (this.#writer.write(text, isFull, this.#goOn)) this.#goOn();
    else if (this.#signal.aborted) this.#end('');
    else this.#signal.addEventListener('abort', this.#onHangUp);
  }

  readonly #goOn = (): void => {
    this.#signal.removeEventListener('abort', this.#onHangUp);
    if (this.#wasFull) this.#reader.follow(this.#signal, this);
    else this.#reader.followOn(this.#signal, this);
  };

  readonly #onHangUp = (): void => this.#end('');

  #end(lastWords: string): void {
    this.#reader.leave();
    this.#writer.end(lastWords);
  }
}
