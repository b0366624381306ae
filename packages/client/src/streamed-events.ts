import { ApiError, NoAnswerError } from './errors.ts';
import type { AnyRefusal, ServerEvent } from './operation-types.ts';
import type { Requests } from './request-options.ts';
import { ServerSentEventsParser } from './server-sent-events.ts';
import type { ServerSentEvent } from './server-sent-events.ts';

const operation = 'GET /events/stream';

/** The server writes a line at once. If it does not come, something between holds back the answer. */
const firstBytesMs = 10_000;

/** The server sends a heartbeat after at most 55 s of silence (reference facts, events 6.5). */
const silenceMaxMs = 80_000;

/** The server ends a stream after an hour. */
const lengthMaxMs = 2 * 3_600_000;

/** Nothing ever came in time: something between holds back what the server writes. */
export class SilentStreamError extends NoAnswerError {}

function eventOf({ name, data }: ServerSentEvent): ServerEvent {
  const value: unknown = JSON.parse(data);
  // The server's own tests ensure the form of events and refusals.
  if (name !== 'error') return value as ServerEvent;
  const body = value as AnyRefusal;
  // A refusal after the first byte has no status. Of any other the next request has one.
  if (body.code === 'BAD_EVENT_QUEUE_ID') throw new ApiError(operation, { status: 400, body });
  throw new NoAnswerError(operation, body.msg);
}

/** One answer of `GET events/stream`, from its first bytes to its end. */
export class StreamedEvents {
  readonly #ending = new AbortController();
  readonly #decoder = new TextDecoder();
  readonly #parser = new ServerSentEventsParser();
  #reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  #first: readonly ServerEvent[] | undefined;
  /** An event came: later silence means that the connection is dead. */
  #isProven = false;

  private constructor() {}

  /**
   * @throws ApiError if the server refuses
   * @throws NoAnswerError if there is no answer, or none that is a stream; SilentStreamError if its first bytes do not come
   */
  static async open(
    client: Requests,
    queue: { readonly id: string; readonly lastEventId: number },
    signal: AbortSignal,
  ): Promise<StreamedEvents> {
    const stream = new StreamedEvents();
    await stream.#within(firstBytesMs, async () => {
      const response = await client.request(
        operation,
        { queue_id: queue.id, last_event_id: queue.lastEventId },
        {
          signal: AbortSignal.any([signal, stream.#ending.signal]),
          repeatsMax: 0,
          timeoutMs: lengthMaxMs,
        },
      );
      const type = response.headers.get('content-type') ?? '';
      if (!type.startsWith('text/event-stream') || response.body === null)
        throw new NoAnswerError(operation, 'an answer that is no stream');
      stream.#reader = response.body.getReader();
      stream.#first = await stream.#readPart();
    });
    return stream;
  }

  /** How long the server asks to wait before the next stream, in milliseconds. */
  get retryMs(): number {
    return this.#parser.retryMs;
  }

  /**
   * Waits for the next bytes.
   *
   * @returns the events that they complete, often none; undefined if the server ended the stream
   * @throws ApiError, NoAnswerError, SilentStreamError as `open` does
   */
  async read(): Promise<readonly ServerEvent[] | undefined> {
    const first = this.#first;
    this.#first = undefined;
    return first ?? this.#within(silenceMaxMs, () => this.#readPart());
  }

  /** A read in progress fails. */
  close(): void {
    this.#ending.abort(new NoAnswerError(operation, 'closed'));
  }

  async #readPart(): Promise<readonly ServerEvent[] | undefined> {
    const part = await this.#reader?.read();
    if (part?.value === undefined) return undefined;
    const parsed = this.#parser.push(this.#decoder.decode(part.value, { stream: true }));
    this.#isProven ||= parsed.length > 0;
    return parsed.map(eventOf);
  }

  async #within<Value>(timeoutMs: number, work: () => Promise<Value>): Promise<Value> {
    const Silence = this.#isProven ? NoAnswerError : SilentStreamError;
    const late = setTimeout(
      () => this.#ending.abort(new Silence(operation, 'nothing came in time')),
      timeoutMs,
    );
    try {
      return await work();
    } catch (cause) {
      const reason: unknown = this.#ending.signal.reason;
      this.close();
      if (reason instanceof NoAnswerError) throw reason;
      if (cause instanceof ApiError || cause instanceof NoAnswerError) throw cause;
      throw new NoAnswerError(operation, 'a broken stream', { cause });
    } finally {
      clearTimeout(late);
    }
  }
}
