/**
 * A queue as Server-Sent Events, for clients that do not want to poll. It reads as successive polls would, each with the last id as
 * `last_event_id`, so it has the same guarantees. The only difference is that one answer carries all events.
 *
 * - `id:` is the event's id, `data:` the event's JSON. Heartbeats are events. If not even a heartbeat has an id, a comment keeps proxies
 *   from closing the connection.
 * - The first line says after what time a client reconnects. A stream that ends without a fault says it again, with a spread time, so that
 *   clients that were sent away together do not return together.
 * - A refusal after the first byte is an event `error` with the JSON of the refusal, and then the end.
 */
import { badEventQueueId, serviceUnavailable } from '@parley/api';
import type { HangUpSignal } from '@parley/api';
import { firstLineText, reconnectText, refusalEventText } from '@parley/api/events';
import { StreamedAnswer, passageHeaders, refusalFor } from '@parley/server';
import type { StreamWriter } from '@parley/server';

import { answerBounds } from './collect-events.ts';
import type { CollectBounds, Collected } from './collect-events.ts';
import type { EventQueue } from './event-queue.ts';
import type { EventTexts } from './event-texts.ts';
import { QueueReader } from './queue-reader.ts';
import type { ReaderContext, Reading, ReadingListener } from './queue-reader.ts';

/** Parts are small, so that little is in flight to a client that reads nothing: a longer text waits until the previous part was taken. */
const partBounds: CollectBounds = { ...answerBounds, answerBytesMax: 65_536 };

const noEvents = ': nothing happened\n\n';

const headers = {
  'Content-Type': 'text/event-stream',
  // Events of bots contain keys, which no proxy may compress.
  ...passageHeaders.untouched,
  // Without it, proxies such as nginx would buffer the events.
  'X-Accel-Buffering': 'no',
};

/** The beginning of a stream for a client that wants headers alone. It does not read the queue, so the queue's reader stays. */
export const streamOfHeaders = new StreamedAnswer(headers, (writer) => {
  writer.write('', false, () => undefined);
  writer.end('');
});

/** The tools for making streams. */
export type StreamContext = { readonly read: ReaderContext; readonly texts: EventTexts };

/**
 * Opens a stream of the events above `lastEventId`. It ends when the queue does, when another reader takes the queue, and when the node
 * drains.
 *
 * @param options.signal aborted when the client hangs up
 * @throws ApiError like a poll, before anything is written
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
    signal: options.signal,
  });
  try {
    const first = await reader.readPending();
    // Nobody would end this stream: those that were open have been ended.
    if (context.read.draining.aborted) throw serviceUnavailable();
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
  /** Whether there were more events than the last part holds. */
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
    this.#write(firstLineText + text, first.isFull);
  }

  onReading({ events, isFull, isOver }: Reading): void {
    const text = events.length > 0 ? this.#context.texts.streamPartOf(events) : '';
    if (this.#queue.hasEnded) this.#end(text + refusalEventText(badEventQueueId(this.#queue.id)));
    else if (isOver) this.#end(text + reconnectText());
    else this.#write(text === '' ? noEvents : text, isFull);
  }

  onFault(error: unknown): void {
    this.#end(
      this.#signal.aborted ? '' : refusalEventText(refusalFor(error, this.#context.read.log)),
    );
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
